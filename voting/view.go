package voting

import (
	"bytes"
	"slices"
)

// View is the machine's knowledge at one moment. It never changes, so that goroutines that validate
// gossip or answer catch-up requests may use it while the machine goes on.
type View struct {
	domain Domain
	verify func(peer Key, message []byte, sig Signature) bool
	now    int64
	cases  []*caseView // in the order of their tasks; read only
}

// caseView is one case in a View.
type caseView struct {
	chain  Case
	panels []panelView // of the rounds whose seats the chain shows, in their order
}

// panelView is a round with its seats and what they said.
type panelView struct {
	round uint8
	seats []Seat
	over  bool // nothing that its seats say changes it any more
	heard
}

// View returns what the machine knows now. It is made after a Step, by the goroutine that steps.
// Cases that did not change since the last View are shared with it: a node makes one after each
// batch, in about 10 µs with a thousand cases (go test ./voting -run '^$' -bench View).
func (m *Machine) View() *View {
	m.enter()
	defer m.busy.Store(false)
	v := &View{
		domain: m.cfg.Domain, verify: m.cfg.Verify, now: m.now,
		cases: make([]*caseView, 0, len(m.cases.all)),
	}
	for _, c := range m.cases.all {
		if c.seen && !c.gone {
			if c.view == nil {
				c.view = c.snapshot()
			}
			v.cases = append(v.cases, c.view)
		}
	}
	return v
}

// find returns a case, or nil.
func (v *View) find(task Key) *caseView {
	i, ok := slices.BinarySearchFunc(v.cases, task, func(c *caseView, task Key) int { return bytes.Compare(c.chain.Task[:], task[:]) })
	if !ok {
		return nil
	}
	return v.cases[i]
}

func (c *caseState) snapshot() *caseView {
	v := &caseView{chain: c.chain}
	for _, round := range c.chain.Panels() {
		p := panelView{round: round, seats: c.chain.Panel(round), over: !c.chain.Live() || round != c.chain.Round}
		if h := c.rounds[round]; h != nil {
			p.heard = h.heard
		}
		v.panels = append(v.panels, p)
	}
	return v
}

// panel returns a round whose seats the chain shows, or nil.
func (v *View) panel(task Key, round uint8) (*caseView, *panelView) {
	c := v.find(task)
	if c == nil {
		return nil, nil
	}
	for i := range c.panels {
		if c.panels[i].round == round {
			return c, &c.panels[i]
		}
	}
	return c, nil
}

// Known lists the messages that a node has for a seat.
type Known struct {
	Seat    int
	Commits []Commit // at most two
	Vote    *Vote
	Request *Relay // asks anyone to commit
}

// Round returns the notices of the seats of a round, in their order, to answer and to send catch-up
// requests. Seats without notices are left out. ok is false if the chain does not show that round.
// None of it may be changed.
func (v *View) Round(task Key, round uint8) (known []Known, ok bool) {
	_, p := v.panel(task, round)
	if p == nil {
		return nil, false
	}
	known = make([]Known, 0, len(p.heard))
	for i := range p.seats {
		if n := p.of(p.seats[i].Judge); len(n.commits) > 0 || n.vote != nil {
			known = append(known, Known{Seat: i, Commits: n.commits, Vote: n.vote, Request: n.request})
		}
	}
	return known, true
}

// Have returns the numbers of the seats whose commit or vote this node has: what a catch-up request
// names. A seat is left out although a commit is there, if the chain does not bear out the only
// statement that is known of it: the judge may have equivocated, and this is how the other
// statement comes here.
func (v *View) Have(task Key, round uint8) (commits, votes []int) {
	known, ok := v.Round(task, round)
	if !ok {
		return nil, nil
	}
	c, p := v.panel(task, round)
	over := p.over || c.chain.CommitsOver(v.now)
	for _, k := range known {
		n := judgeNotices{commits: k.Commits}
		if len(k.Commits) > 0 && !n.doubted(&p.seats[k.Seat], over) {
			commits = append(commits, k.Seat)
		}
		if k.Vote != nil {
			votes = append(votes, k.Seat)
		}
	}
	return commits, votes
}

// Asked returns the numbers of the seats whose relay request this node has or does not need.
func (v *View) Asked(task Key, round uint8) []int {
	requests := []int{}
	c, p := v.panel(task, round)
	if p == nil {
		return requests
	}
	for i := range p.seats {
		if p.seats[i].Committed || p.of(p.seats[i].Judge).request != nil || p.over || !c.chain.CanCommit(v.now) {
			requests = append(requests, i)
		}
	}
	return requests
}

// Case returns the latest look at a case. Its Seats may not be changed.
func (v *View) Case(task Key) (Case, bool) {
	if c := v.find(task); c != nil {
		return c.chain, true
	}
	return Case{}, false
}
