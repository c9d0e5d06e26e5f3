package process

import (
	"encoding/json"
	"fmt"
	"time"
)

// healLimit is the time after a partition until all links and all votes must be back (R6).
const healLimit = 5 * time.Second

// healed heals the network and measures the time until every node is linked to all others and knows
// the statements of every seat.
func (p *play) healed() {
	p.t.Helper()
	now := p.now(p.task)
	before := p.apart(now)
	if before == "" {
		p.t.Log("nothing is missing anywhere when the network is healed")
	} else {
		p.t.Logf("when the network is healed, %s", before)
	}
	if err := p.links.heal(); err != nil {
		p.t.Fatal(err)
	}
	since := time.Now()
	for left := p.apart(now); left != ""; left = p.apart(now) {
		if time.Since(since) > 4*healLimit {
			p.t.Errorf("not healed after %s: %s", time.Since(since).Round(time.Millisecond), left)
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	p.heal = time.Since(since)
	for left := p.apart(p.now(p.task)); left != ""; left = p.apart(p.now(p.task)) { // the case continues meanwhile
		if time.Since(since) > healLimit {
			p.t.Errorf("not healed for long: %s", left)
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	p.t.Logf("all links and all votes were back after %s", p.heal.Round(time.Millisecond))
	if p.heal > healLimit {
		p.t.Errorf("healing took %s, more than %s", p.heal.Round(time.Millisecond), healLimit)
	}
}

// apart names a link or a seat's statement that a node still lacks. It is empty if none is missing.
func (p *play) apart(now caseNow) string {
	for _, s := range p.seats {
		if s.cmd == nil {
			continue
		}
		if n := s.links(); n < len(p.seats) {
			return fmt.Sprintf("%s has %d of %d links", s.name, n, len(p.seats))
		}
		var known struct {
			Round             uint8
			Statements, Votes int
		}
		raw, err := s.api("/v1/cases/" + p.task)
		if err != nil || json.Unmarshal([]byte(raw), &known) != nil {
			return fmt.Sprintf("%s does not know the case: %v", s.name, err)
		}
		if now.Over {
			known.Statements = now.Committed // an opened commitment is not needed any more
		}
		if known.Round < now.Round || known.Round == now.Round && (known.Statements < now.Committed || known.Votes < now.Revealed) {
			return fmt.Sprintf("%s has %d of %d statements and %d of %d votes of round %d", s.name, known.Statements, now.Committed, known.Votes, now.Revealed, now.Round)
		}
	}
	return ""
}
