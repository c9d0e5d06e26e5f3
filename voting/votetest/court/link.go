package court

import (
	"slices"

	"ojud/voting"
	"ojud/voting/votetest"
)

// link is how a node reaches the chain, and what it has seen there.
type link struct {
	lag      int64 // milliseconds behind the chain
	isBlind  bool  // cannot reach the chain during the reveals
	isCut    bool  // loses the chain in the middle of a round
	isPoor   bool  // has nothing to pay a fee with
	cutAfter int64 // milliseconds from when it saw a round drawn
	frozen   int64 // what the clock showed when the chain was lost
	drawn    map[roundOf]int64
	dropped  map[roundOf]int // transactions that the chain lost
	looks    []voting.Key    // cases of which a look is on its way
}

// needsHelp reports whether others must act for the node.
func (l *link) needsHelp() bool { return l.isBlind || l.isCut || l.isPoor }

// clock is the chain's clock as far as the node has seen it. It stands still while the node cannot
// reach the chain.
func (n *node) clock() int64 {
	now := votetest.Genesis + max(n.sim.queue.Now-n.link.lag, 0)/1000
	for i := range n.sim.chain.State.Tasks {
		if n.blind(n.sim.chain.State.Tasks[i].Address) {
			if n.link.frozen == 0 {
				n.link.frozen = now
			}
			return n.link.frozen
		}
	}
	n.link.frozen = 0
	return now
}

// blind reports whether the node cannot reach the chain: while its case reveals, or from some time
// after the draw on, for the nodes that were chosen.
func (n *node) blind(task voting.Key) bool {
	t := n.sim.chain.Task(task)
	switch {
	case t == nil:
		return false
	case n.link.isBlind:
		return t.Case.CommitsOver(n.sim.chain.Now)
	case n.link.isCut && t.Case.Live():
		at, ok := n.link.drawn[roundOf{task, t.Case.Round}]
		return ok && n.sim.queue.Now >= at+n.link.cutAfter
	}
	return false
}

// stranded reports whether the node gets no transaction to the chain, so that others must help it.
func (n *node) stranded(task voting.Key) bool { return n.link.isPoor || n.blind(task) }

// tickBlind lets a node that sees nothing of the chain tell its machine so, as the shell does.
func (s *sim) tickBlind(n *node) {
	s.queue.In(5_000, "blind tick", func() {
		if now := n.clock(); n.link.frozen != 0 && n.machine != nil {
			n.step(voting.Tick{At: now, Blind: true})
		}
		if !s.done() {
			s.tickBlind(n)
		}
	})
}

// lookSoon delivers a look at the case after the node's lag; looks that are on their way show the
// state on arrival, except for stale ones, which show that of now and come after newer ones.
func (n *node) lookSoon(task voting.Key) {
	if n.machine == nil || n.blind(task) {
		return
	}
	s := n.sim
	if s.chance(s.opt.Ledger.Stale) {
		if look, ok := s.chain.Look(task); ok {
			n.later(2*n.link.lag+s.rng.Int64N(5_000), "stale look", func() { n.step(voting.CaseSeen{At: n.clock(), Case: look}) })
		}
	}
	if slices.Contains(n.link.looks, task) {
		return
	}
	n.link.looks = append(n.link.looks, task)
	n.later(n.link.lag, "look", func() { n.look(task) })
}

func (n *node) look(task voting.Key) {
	n.link.looks = slices.DeleteFunc(n.link.looks, func(k voting.Key) bool { return k == task })
	if n.blind(task) {
		n.sim.queue.In(10_000, "poll", func() { n.lookSoon(task) })
		return
	}
	if look, ok := n.sim.chain.Look(task); ok {
		seat := roundOf{task, look.Round}
		if _, seen := n.link.drawn[seat]; !seen && look.Live() {
			n.link.drawn[seat] = n.sim.queue.Now
		}
		n.step(voting.CaseSeen{At: n.clock(), Case: look})
	}
}
