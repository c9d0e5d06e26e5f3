package keeper

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/agent/delegation"
)

const (
	maxSeen  = 100_000 // calls that are remembered
	maxOpen  = 10_000  // calls that run or wait
	maxWaits = 256     // calls that wait for a person
	maxLinks = 100_000 // links with spending
	maxLife  = 24 * 60 * 60
	skew     = int64(delegation.Skew / 1e9)
	// maxPassed bounds what one Passed ends and forgets, so that its writes fit one transaction: 16
	// links of each call, and a line about it.
	maxPassed = 64
	// answerTime is how long a call waits for a person, in seconds.
	answerTime = 15 * 60
)

// The prefixes of keys.
const (
	seenKey    = "n/"
	callKey    = "c/"
	spentKey   = "s/"
	revokedKey = "r/"
	horizonKey = "t/"
)

// OpenCall is a call that was admitted and not settled, or that waits for a person.
type OpenCall struct {
	Caller   delegation.Principal `json:"caller"`
	Executor delegation.Principal `json:"executor"`
	Command  string               `json:"command"`
	Links    []string             `json:"links"`
	Spend    delegation.Amounts   `json:"spend"`
	Waiting  bool                 `json:"waiting"`
	Domains  []string             `json:"domains"`
	Until    int64                `json:"until"`        // when waiting ends, Unix seconds
	Of       delegate             `json:"of,omitempty"` // for whom it is kept
}

// seen is a call that was admitted.
type seen struct {
	Until int64    `json:"until"` // when it may be forgotten, Unix seconds
	Of    delegate `json:"of,omitempty"`
}

// spending is what was spent under a link, with what open calls may still spend. One that says
// nothing is not kept.
type spending struct {
	Spent    delegation.Amounts `json:"spent"`
	Reserved delegation.Amounts `json:"reserved"`
	Until    int64              `json:"until"` // when it may be forgotten, Unix seconds
	Of       delegate           `json:"of,omitempty"`
}

// empty reports whether it says nothing.
func (sp spending) empty() bool {
	return sp.Spent == delegation.Amounts{} && sp.Reserved == delegation.Amounts{}
}

// Register is what the executor remembers.
type Register struct {
	seen      map[string]seen
	calls     map[string]OpenCall
	spent     map[string]spending
	revoked   map[string]int64 // when it may be forgotten, Unix seconds
	forgotten horizon

	ofSeen, ofCalls, ofWaits, ofSpent *ration
}

// New returns a Register that remembers nothing.
func New() *Register {
	return &Register{
		seen: map[string]seen{}, calls: map[string]OpenCall{}, spent: map[string]spending{}, revoked: map[string]int64{},
		ofSeen: newRation(maxSeen), ofCalls: newRation(maxOpen), ofWaits: newRation(maxWaits), ofSpent: newRation(maxLinks),
	}
}

// Load takes back one value that Put wrote.
func (s *Register) Load(key string, value []byte) error {
	read := func(v any) error {
		if err := json.Unmarshal(value, v); err != nil {
			return fmt.Errorf("keeper: the value of %.80q is damaged: %w", key, err)
		}
		return nil
	}
	prefix, id := key[:min(2, len(key))], key[min(2, len(key)):]
	switch prefix {
	case seenKey:
		var v seen
		if json.Unmarshal(value, &v.Until) != nil { // an earlier version kept the time alone
			if err := read(&v); err != nil {
				return err
			}
		}
		s.seen[id] = v
		s.ofSeen.add(v.Of, 1)
		return nil
	case callKey:
		var c OpenCall
		err := read(&c)
		s.open(id, c)
		return err
	case spentKey:
		sp := spending{Until: never}
		err := read(&sp)
		if sp.empty() {
			sp.Until = 0 // an earlier version kept it
		}
		s.spent[id] = sp
		s.ofSpent.add(sp.Of, 1)
		return err
	case revokedKey:
		until := int64(never)
		if string(value) != "true" { // as an earlier version has it
			if err := read(&until); err != nil {
				return err
			}
		}
		s.revoked[id] = until
		return nil
	case horizonKey:
		return read(&s.forgotten)
	}
	return fmt.Errorf("keeper: %.80q is no key of this version", key)
}

// IsRevoked reports whether a link was taken back.
func (s *Register) IsRevoked(link string) bool {
	_, ok := s.revoked[link]
	return ok
}

// Open returns the calls that were admitted and not settled, and those that wait.
func (s *Register) Open() map[string]OpenCall { return maps.Clone(s.calls) }

// Spent returns what was spent under a link, and what open calls may still spend.
func (s *Register) Spent(link string) (spent, reserved delegation.Amounts) {
	sp := s.spent[link]
	return sp.Spent, sp.Reserved
}

// Step takes an event and returns what to do, writes first.
func (s *Register) Step(e Occurrence) []Effect {
	switch e := e.(type) {
	case Asked:
		return s.ask(e)
	case Settled:
		return s.settle(e)
	case Answered:
		return s.answer(e)
	case Revoked:
		return s.revoke(e)
	case Passed:
		return s.pass(e.Now)
	}
	return nil
}

func (s *Register) ask(e Asked) []Effect {
	if why := s.refusal(e); why != nil {
		return []Effect{Refuse{e.Call, why}}
	}
	c := OpenCall{Caller: e.Caller, Executor: e.Executor, Command: e.Permit.Command, Spend: e.Permit.Spend, Links: []string{}, Domains: []string{}, Of: delegateOf(e.Permit)}
	for _, l := range e.Permit.Links {
		c.Links = append(c.Links, l.ID)
	}
	c.Domains = append(c.Domains, e.domains()...)
	var decision Effect = Admit{e.Call}
	if len(c.Domains) > 0 {
		c.Waiting, c.Until = true, min(e.Now+answerTime, e.Expires)
		decision = Wait{e.Call, c.Domains, c.Until}
	}
	s.seen[e.Call] = seen{end(e.Expires), c.Of}
	s.ofSeen.add(c.Of, 1)
	s.open(e.Call, c)
	out := []Effect{put(seenKey+e.Call, s.seen[e.Call]), put(callKey+e.Call, c)}
	for _, l := range e.Permit.Links {
		sp, there := s.spent[l.ID]
		if !there {
			sp.Of = c.Of
		}
		sp.Until = end(l.Until) // an earlier version did not keep it
		for unit, n := range c.Spend {
			sp.Reserved[unit] += n
		}
		if there || !sp.empty() {
			out = append(out, s.keep(l.ID, sp))
		}
	}
	return append(out, decision)
}

// domains returns the domains of the call that need a person's approval, because a link or the
// executor says so.
func (e Asked) domains() (out []string) {
	for _, d := range e.Domains {
		if slices.Contains(e.Permit.Approval, d) || slices.Contains(e.Required, d) {
			out = append(out, d)
		}
	}
	return out
}

// open remembers an open call.
func (s *Register) open(id string, c OpenCall) {
	s.calls[id] = c
	s.ofCalls.add(c.Of, 1)
	if c.Waiting {
		s.ofWaits.add(c.Of, 1)
	}
}

// keep writes what was spent under a link, unless it says nothing.
func (s *Register) keep(id string, sp spending) Effect {
	if _, there := s.spent[id]; !there {
		s.ofSpent.add(sp.Of, 1)
	}
	if s.spent[id] = sp; !sp.empty() {
		return put(spentKey+id, sp)
	}
	delete(s.spent, id)
	s.ofSpent.add(sp.Of, -1)
	return Delete{spentKey + id}
}

// revoke remembers that a link was taken back, and ends what is under way there.
func (s *Register) revoke(e Revoked) (out []Effect) {
	if !s.IsRevoked(e.Link) {
		s.revoked[e.Link] = end(e.Expires)
		out = append(out, put(revokedKey+e.Link, s.revoked[e.Link]))
	}
	var stopped []Effect
	for _, id := range slices.Sorted(maps.Keys(s.calls)) {
		c := s.calls[id]
		n := slices.Index(c.Links, e.Link)
		switch {
		case n < 0:
		case c.Waiting:
			out = append(out, s.end(id, c, delegation.Amounts{})...)
			stopped = append(stopped, Refuse{id, link(n, e.Link, delegation.Refuse(delegation.Revoked, "", "it was taken back while the call waited"))})
		default:
			stopped = append(stopped, Stop{id, link(n, e.Link, delegation.Refuse(delegation.Revoked, "", "it was taken back during the call"))})
		}
	}
	return append(out, stopped...)
}

func (s *Register) settle(e Settled) []Effect {
	c, ok := s.calls[e.Call]
	if !ok || c.Waiting {
		return []Effect{Refuse{e.Call, delegation.Refuse(delegation.InvalidClaim, "call", "no such call runs")}}
	}
	for unit, n := range e.Spent {
		if n < 0 || n > c.Spend[unit] {
			return []Effect{Refuse{e.Call, delegation.Refuse(delegation.OverBudget, "spend."+delegation.Unit(unit), "the call spent %d, and it said at most %d", n, c.Spend[unit])}}
		}
	}
	return s.end(e.Call, c, e.Spent)
}

// end forgets an open call. What it may spend is free again, and what it did spend is counted.
func (s *Register) end(id string, c OpenCall, spent delegation.Amounts) (out []Effect) {
	delete(s.calls, id)
	s.ofCalls.add(c.Of, -1)
	if c.Waiting {
		s.ofWaits.add(c.Of, -1)
	}
	for _, l := range c.Links {
		sp, there := s.spent[l]
		if !there {
			continue // it may spend nothing
		}
		for unit := range sp.Spent {
			sp.Reserved[unit] -= c.Spend[unit]
			sp.Spent[unit] += spent[unit]
		}
		out = append(out, s.keep(l, sp))
	}
	return append(out, Delete{callKey + id})
}

func (s *Register) answer(e Answered) []Effect {
	c, ok := s.calls[e.Call]
	if ok && !c.Waiting && e.Yes { // the answer was taken, and a crash left its file
		return []Effect{Admit{e.Call}}
	}
	if !ok || !c.Waiting {
		return []Effect{Refuse{e.Call, delegation.Refuse(delegation.InvalidClaim, "call", "no such call waits for an answer")}}
	}
	refuse := func(why *delegation.Refusal) []Effect {
		return append(s.end(e.Call, c, delegation.Amounts{}), Refuse{e.Call, why})
	}
	for n, id := range c.Links {
		if s.IsRevoked(id) {
			return refuse(link(n, id, delegation.Refuse(delegation.Revoked, "", "it was taken back while the call waited")))
		}
	}
	switch {
	case e.Now >= c.Until:
		return refuse(unanswered())
	case !e.Yes:
		return refuse(delegation.Refuse(delegation.NotApproved, "approval", "a person said no"))
	}
	c.Waiting = false
	s.calls[e.Call] = c
	s.ofWaits.add(c.Of, -1)
	return []Effect{put(callKey+e.Call, c), Admit{e.Call}}
}

func unanswered() *delegation.Refusal {
	return delegation.Refuse(delegation.NotApproved, "approval", "no person answered in time")
}

// put writes a value, which JSON can always say.
func put(key string, v any) Effect {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("keeper: " + strings.TrimSpace(err.Error()))
	}
	return Put{key, raw}
}
