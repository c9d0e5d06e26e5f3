package court

import (
	"slices"

	"ojud/voting"
	"ojud/voting/votetest"
)

// send carries bytes between two nodes unless the network loses them; origin is the author of a
// gossip message and zero on a stream.
func (s *sim) send(from, to *node, origin voting.Key, b []byte, gossip bool) {
	if s.cut(from, to) || s.chance(s.opt.Network.Loss) {
		return
	}
	times := 1
	if s.chance(s.opt.Network.Duplicate) {
		times = 2
	}
	for range times {
		latency := s.between(s.opt.Network.Latency)
		if gossip {
			latency += s.rng.Int64N(3*latency + 1)
		}
		s.queue.In(latency, "message", func() {
			if !s.cut(from, to) {
				to.receive(origin, b)
			}
		})
	}
}

// cut reports whether the network is split between two nodes now.
func (s *sim) cut(a, b *node) bool {
	split := s.opt.Network.Split
	return a.half != b.half && s.queue.Now >= split[0] && s.queue.Now < split[1]
}

// byPeer finds a node by its key.
func (s *sim) byPeer(peer voting.Key) *node {
	i := slices.IndexFunc(s.nodes, func(n *node) bool { return n.Peer == peer })
	if i < 0 {
		return nil
	}
	return s.nodes[i]
}

// announce pushes a notice to the other seats and gossips it to everybody.
func (n *node) announce(f voting.Announce) {
	b := f.Notice.Encode()
	for _, peer := range n.sim.order(f.To) {
		if to := n.sim.byPeer(peer); to != nil {
			n.sim.send(n, to, voting.Key{}, b, false)
		}
	}
	for _, to := range n.sim.nodes {
		if to != n {
			n.sim.send(n, to, n.Peer, b, true)
		}
	}
}

// order is the order of sending: as given, or the planted fault.
func (s *sim) order(to []voting.Key) []voting.Key {
	if !s.opt.PlantMapOrder {
		return to
	}
	return votetest.MapOrder(to)
}

// receive decodes, checks and hands a notice to the machine.
func (n *node) receive(origin voting.Key, b []byte) {
	if n.machine == nil {
		return
	}
	notice, err := voting.DecodeNotice(b, votetest.ParseVote)
	if err != nil {
		return // the real shell penalises the sender
	}
	n.sim.log(n.id, "hears", notice)
	n.behaviour.hear(n, notice)
	checked, err := n.view.Check(origin, notice)
	n.sim.ref.checked(n, notice, origin, err)
	if checked.Usable() {
		n.step(voting.NoticeReceived{At: n.clock(), Notice: checked})
	}
}

// inquiry is a catch-up that is under way.
type inquiry struct {
	voting.CatchUp
	node           *node
	mine           votetest.Had
	life           int // of the node when it asked
	open, answered int
	closed         bool
}

// alive reports whether the node has not stopped since it asked.
func (q *inquiry) alive() bool { return q.node.machine != nil && q.node.life == q.life }

func (q *inquiry) finish() {
	if !q.closed && q.alive() {
		q.node.step(voting.CaughtUp{At: q.node.clock(), Task: q.Task, Round: q.Round, Answered: q.answered})
	}
	q.closed = true
}

// catchUp asks every named peer for its notices. A peer that has not answered after five seconds is
// not waited for. As in the protocol, the request names the seats of which the asker has something,
// and the answer names those of which the answerer has something.
func (n *node) catchUp(f voting.CatchUp) {
	s := n.sim
	q := &inquiry{CatchUp: f, node: n, mine: votetest.Have(n.view, f), life: n.life, open: len(f.To)}
	if len(f.To) == 0 {
		s.queue.In(0, "caught up", q.finish)
		return
	}
	s.queue.In(5_000, "catch-up ends", q.finish)
	for _, peer := range f.To {
		to := s.byPeer(peer)
		if to == nil || s.cut(n, to) || s.chance(s.opt.Network.Loss) {
			continue
		}
		s.queue.In(s.between(s.opt.Network.Latency), "catch-up request", func() { q.ask(to) })
	}
}

// ask runs at the node that is asked: it sends the notices that the asker lacks, and gets those
// that it lacks itself.
func (q *inquiry) ask(to *node) {
	if to.machine == nil || !to.behaviour.answers() {
		return
	}
	n, s := q.node, q.node.sim
	missing, theirs := votetest.Missing(to.view, q.CatchUp, q.mine), votetest.Have(to.view, q.CatchUp)
	s.queue.In(s.between(s.opt.Network.Latency), "catch-up answer", func() {
		if !q.alive() || s.cut(n, to) {
			return
		}
		var surplus []voting.Notice
		if n.behaviour.answers() {
			surplus = votetest.Missing(n.view, q.CatchUp, theirs)
		}
		for _, x := range missing {
			if n.receive(voting.Key{}, x.Encode()); !q.alive() {
				return
			}
		}
		for _, x := range surplus {
			s.send(n, to, voting.Key{}, x.Encode(), false)
		}
		if q.answered++; q.answered == q.open {
			q.finish()
		}
	})
}
