package votetest

import "ojud/voting"

// seal stands for the encryption of an opening, which the node itself can undo.
func (n *node) seal(task voting.Key, round uint8, o voting.Opening) []byte {
	c := n.sim.chain.Domain.Commitment(task, round, n.judge, o)
	if n.sim.sealedOf(task, round, n.judge, c) == nil {
		n.sim.sealed = append(n.sim.sealed, sealed{task, round, n.judge, o})
	}
	return append(make([]byte, voting.SealedSize-len(c)), c[:]...)
}

// clock is the chain's clock as far as the node has seen it. It stands still while the node cannot
// reach the chain.
func (n *node) clock() int64 {
	now := genesis + max(n.sim.queue.now-n.lag, 0)/1000
	for i := range n.sim.chain.State.Tasks {
		if n.blind(n.sim.chain.State.Tasks[i].Address) {
			if n.frozen == 0 {
				n.frozen = now
			}
			return n.frozen
		}
	}
	n.frozen = 0
	return now
}

// blind reports whether the node cannot reach the chain: while its case reveals, or from some time
// after the draw on, for the nodes that were chosen.
func (n *node) blind(task voting.Key) bool {
	t := n.sim.chain.Task(task)
	switch {
	case t == nil:
		return false
	case n.isBlind:
		return t.Case.CommitsOver(n.sim.chain.Now)
	case n.isCut && t.Case.Live():
		at, ok := n.saw(task, t.Case.Round)
		return ok && n.sim.queue.now >= at+n.cutAfter
	}
	return false
}

// stranded reports whether the node gets no transaction to the chain, and is to be helped all the
// same.
func (n *node) stranded(task voting.Key) bool { return n.isPoor || n.blind(task) }

// saw is when the node saw a round drawn.
func (n *node) saw(task voting.Key, round uint8) (at int64, ok bool) {
	for _, d := range n.drawn {
		if d.task == task && d.round == round {
			return d.at, true
		}
	}
	return 0, false
}

// notice writes down when a round was first seen drawn.
func (n *node) notice(look *voting.Case) {
	if _, ok := n.saw(look.Task, look.Round); !ok && look.Live() {
		n.drawn = append(n.drawn, sighting{look.Task, look.Round, n.sim.queue.now})
	}
}
