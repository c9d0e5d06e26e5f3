package court

import (
	"slices"

	"ojud/voting"
)

// crashes is a node's history of crashes, and the next one.
type crashes struct {
	after     int   // effects to go until the planned crash; −1: none
	losesDisk bool  // in that crash
	lostDisk  bool  // in one that happened
	last      int64 // when the node was last back from one
	any       bool
}

// since reports whether the node was down at that time or later.
func (c *crashes) since(ms int64) bool { return c.any && c.last >= ms }

// planFaults chooses which honest nodes crash when, which lose their journal, and which cannot
// reach the chain.
func (s *sim) planFaults() {
	honest := slices.DeleteFunc(slices.Clone(s.nodes), func(n *node) bool { return n.adversary != 0 })
	if len(honest) == 0 {
		return
	}
	anyone := func() *node { return honest[s.rng.IntN(len(honest))] }
	for i := range s.opt.Faults.Crashes {
		n := anyone()
		s.queue.At(s.rng.Int64N(700_000), "crash planned", func() {
			if n.crashes.after < 0 && n.machine != nil {
				// the next effects run, then the node stops between two of them
				n.crashes.after, n.crashes.losesDisk = s.rng.IntN(8), i < s.opt.Faults.Lost
			}
		})
	}
	for range s.opt.Ledger.Blind {
		anyone().link.isBlind = true
	}
	for i := range s.opt.Ledger.Cut + s.opt.Ledger.Poor {
		l := &anyone().link
		if l.isBlind {
			continue
		}
		l.isCut, l.isPoor = i < s.opt.Ledger.Cut, i >= s.opt.Ledger.Cut
		l.cutAfter = s.rng.Int64N(400_000)
	}
	for _, n := range honest {
		if n.link.isBlind || n.link.isCut {
			s.tickBlind(n)
		}
	}
	s.planMoves(honest)
}

// planMoves lets judges leave, stakes grow and seasons begin while rounds run: the weights of seats
// must not move.
func (s *sim) planMoves(honest []*node) {
	for _, n := range honest {
		move := func(what string, tx func() error) {
			s.queue.At(s.rng.Int64N(700_000), what, func() { _ = s.execute(n.id, tx) }) // execute tells the referee of a fault
		}
		if s.rng.IntN(8) == 0 {
			move("top up", func() error { return s.chain.TopUp(n.id, s.chain.State.Wallets[n.id]/2) })
		}
		if s.rng.IntN(12) == 0 {
			move("exit", func() error { return s.chain.BeginExit(n.id) })
			move("withdraw", func() error { return s.chain.WithdrawStake(n.id) })
		}
		if s.rng.IntN(8) == 0 {
			move("season", s.chain.BeginSeason)
		}
	}
}

// crash stops the node at once and plans its return.
func (n *node) crash() {
	s, c := n.sim, &n.crashes
	lost := c.losesDisk
	s.log(n.id, "crash", lost)
	s.result.Crashes++
	n.machine, n.view = nil, nil
	c.after, c.losesDisk = -1, false
	if lost {
		n.journal, c.lostDisk = nil, true
	}
	s.queue.In(s.between(s.opt.Faults.Downtime), "restart", func() { s.restart(n, lost) })
}

// restart brings a node back. As the shell does, it waits for the chain first: when the journal is
// new it has to know since when.
func (s *sim) restart(n *node, fresh bool) {
	if n.clock(); n.link.frozen != 0 {
		s.queue.In(5_000, "restart", func() { s.restart(n, fresh) })
		return
	}
	s.log(n.id, "restart", fresh)
	n.crashes.any, n.crashes.last = true, s.queue.Now
	if err := n.start(fresh); err != nil {
		s.ref.fault("node %d does not start again: %v", n.id, err)
		return
	}
	for _, other := range s.nodes { // they notice that the node is back
		if other != n {
			s.queue.In(s.between(s.opt.Network.Latency), "connected", func() {
				if other.machine != nil && !s.cut(n, other) {
					other.step(voting.PeerConnected{At: other.clock(), Peer: n.Peer})
				}
			})
		}
	}
}
