package votetest

import "ojud/voting"

// planFaults chooses which honest nodes crash when, which lose their journal, and which cannot
// reach the chain.
func (s *sim) planFaults() {
	honest := s.honest()
	if len(honest) == 0 {
		return
	}
	for i := range s.opt.Faults.Crashes {
		n := honest[s.rng.IntN(len(honest))]
		loses := i < s.opt.Faults.Lost
		s.queue.at(s.rng.Int64N(700_000), "crash planned", func() {
			if n.crashAfter < 0 && n.machine != nil {
				// the next effects run, then the node stops between two of them
				n.crashAfter, n.losesDisk = s.rng.IntN(8), loses
			}
		})
	}
	for range s.opt.Ledger.Blind {
		honest[s.rng.IntN(len(honest))].isBlind = true
	}
	for i := range s.opt.Ledger.Cut + s.opt.Ledger.Poor {
		n := honest[s.rng.IntN(len(honest))]
		if n.isBlind {
			continue
		}
		n.isCut, n.isPoor = i < s.opt.Ledger.Cut, i >= s.opt.Ledger.Cut
		n.cutAfter = s.rng.Int64N(400_000)
	}
	for _, n := range honest {
		if n.isBlind || n.isCut {
			s.grope(n)
		}
	}
	s.planMoves(honest)
}

// grope has a node that sees nothing of the chain say so to its machine, as the shell does.
func (s *sim) grope(n *node) {
	s.queue.in(5_000, "grope", func() {
		if now := n.clock(); n.frozen != 0 {
			n.event(n.incarnation, voting.Tick{At: now, Blind: true})
		}
		if !s.done() {
			s.grope(n)
		}
	})
}

// planMoves lets judges leave and stakes grow while rounds run: weights must not move.
func (s *sim) planMoves(honest []*node) {
	for _, n := range honest {
		if s.rng.IntN(8) == 0 {
			s.queue.at(s.rng.Int64N(700_000), "top up", func() {
				_ = s.execute(n.id, func() error { return s.chain.TopUp(n.id, s.chain.State.Wallets[n.id]/2) })
			})
		}
		if s.rng.IntN(12) == 0 {
			s.queue.at(s.rng.Int64N(700_000), "exit", func() {
				_ = s.execute(n.id, func() error { return s.chain.BeginExit(n.id) })
			})
			s.queue.at(s.rng.Int64N(700_000), "withdraw", func() {
				_ = s.execute(n.id, func() error { return s.chain.WithdrawStake(n.id) })
			})
		}
	}
}

func (s *sim) honest() []*node {
	var out []*node
	for _, n := range s.nodes {
		if n.adversary == 0 {
			out = append(out, n)
		}
	}
	return out
}

// crash stops the node at once and plans its return.
func (n *node) crash() {
	s := n.sim
	s.log(n.id, "crash")
	s.result.Crashes++
	n.machine, n.view, n.crashAfter = nil, nil, -1
	n.incarnation++
	n.downSince = s.queue.now
	lost := n.losesDisk
	n.losesDisk = false
	if lost {
		n.journal, n.lostDisk = nil, true
	}
	s.queue.in(s.between(s.opt.Faults.Downtime), "restart", func() { s.restart(n, lost) })
}

// restart brings a node back. As the shell does, it waits for the chain first: when the journal is
// new it has to know since when.
func (s *sim) restart(n *node, fresh bool) {
	if n.clock(); n.frozen != 0 {
		s.queue.in(5_000, "restart", func() { s.restart(n, fresh) })
		return
	}
	s.log(n.id, "restart")
	n.disturbed = append(n.disturbed, disturbance{n.downSince, s.queue.now})
	if err := n.start(fresh); err != nil {
		s.ref.fault("node %d does not start again: %v", n.id, err)
		return
	}
	s.reconnect(n)
}

// reconnect tells the others that the node is back, and the node that the others are there.
func (s *sim) reconnect(n *node) {
	for _, other := range s.nodes {
		if other != n {
			s.queue.in(s.between(s.opt.Network.Latency), "connected", func() {
				if other.machine != nil && !s.cut(n, other) {
					other.step(voting.PeerConnected{At: other.clock(), Peer: n.peer})
				}
			})
		}
	}
}
