package votetest

import (
	"slices"

	"ojud/voting"
)

// send carries bytes between two nodes unless the network loses them; origin is the author of a
// gossip message and zero on a stream.
func (s *sim) send(from, to *node, origin voting.Key, b []byte, gossip bool) {
	if s.cut(from, to) || s.chance(s.opt.Network.Loss) {
		return
	}
	latency := func() int64 {
		l := s.between(s.opt.Network.Latency)
		if gossip {
			l += s.rng.Int64N(3*l + 1)
		}
		return l
	}
	times := 1
	if s.chance(s.opt.Network.Duplicate) {
		times = 2
	}
	for range times {
		s.queue.in(latency(), "message", func() {
			if !s.cut(from, to) {
				to.receive(origin, b)
			}
		})
	}
}

// cut reports whether the network is split between two nodes now.
func (s *sim) cut(a, b *node) bool {
	split := s.opt.Network.Split
	return a.half != b.half && s.queue.now >= split[0] && s.queue.now < split[1]
}

// byPeer finds a node by its key.
func (s *sim) byPeer(peer voting.Key) *node {
	i := slices.IndexFunc(s.nodes, func(n *node) bool { return n.peer == peer })
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
			n.sim.send(n, to, n.peer, b, true)
		}
	}
}

// order is the order in which to send: as given, or the planted fault.
func (s *sim) order(to []voting.Key) []voting.Key {
	if !s.opt.PlantMapOrder {
		return to
	}
	return mapOrder(to)
}

// mapOrder is the planted fault: it leaves the order to a Go map.
func mapOrder[T comparable](in []T) []T {
	set := make(map[T]bool, len(in))
	for _, x := range in {
		set[x] = true
	}
	planted := make([]T, 0, len(set))
	for x := range set {
		planted = append(planted, x)
	}
	return planted
}

// receive decodes, checks and hands a notice to the machine.
func (n *node) receive(origin voting.Key, b []byte) {
	if n.machine == nil {
		return
	}
	notice, err := voting.DecodeNotice(b, parseVote)
	if err != nil {
		return // the real shell penalises the sender
	}
	n.sim.log(n.id, "hears "+notice.String())
	n.behaviour.hear(n, notice)
	checked, err := n.view.Check(origin, notice)
	n.sim.ref.checked(n, notice, origin, err)
	if checked.Usable() {
		n.step(voting.NoticeReceived{At: n.clock(), Notice: checked})
	}
}

// inquiry is a catch-up that is under way.
type inquiry struct {
	open, answered int
	closed         bool
}

// catchUp asks every peer named what it has; what has not answered after five seconds will not. As
// in the protocol, the request names the seats of which the asker has something, and the answer
// those of which the answerer has.
func (n *node) catchUp(f voting.CatchUp) {
	s, incarnation, q := n.sim, n.incarnation, &inquiry{open: len(f.To)}
	finish := func() {
		if !q.closed {
			q.closed = true
			n.event(incarnation, voting.CaughtUp{At: n.clock(), Task: f.Task, Round: f.Round, Answered: q.answered})
		}
	}
	if len(f.To) == 0 {
		s.queue.in(0, "caught up", finish)
		return
	}
	s.queue.in(5_000, "catch-up ends", finish)
	mine := have(n.view, f)
	for _, peer := range f.To {
		to := s.byPeer(peer)
		if to == nil || s.cut(n, to) || s.chance(s.opt.Network.Loss) {
			continue
		}
		s.queue.in(s.between(s.opt.Network.Latency), "catch-up request", func() {
			n.askPeer(to, f, mine, incarnation, q, finish)
		})
	}
}

// had is what one side of a catch-up has: seat numbers.
type had struct{ commits, votes, requests []int }

func have(v *voting.View, f voting.CatchUp) had {
	commits, votes := v.Have(f.Task, f.Round)
	return had{commits, votes, v.Asked(f.Task, f.Round)}
}

// askPeer runs at the node that is asked: it sends what the asker lacks and gets what it lacks
// itself.
func (n *node) askPeer(to *node, f voting.CatchUp, mine had, incarnation int, q *inquiry, finish func()) {
	if to.machine == nil || !to.behaviour.answers() {
		return
	}
	missing, theirs := lacking(to.view, f, mine), have(to.view, f)
	n.sim.queue.in(n.sim.between(n.sim.opt.Network.Latency), "catch-up answer", func() {
		if n.incarnation != incarnation || n.machine == nil || n.sim.cut(n, to) {
			return
		}
		var surplus [][]byte
		if n.behaviour.answers() {
			surplus = lacking(n.view, f, theirs)
		}
		for _, b := range missing {
			n.receive(voting.Key{}, b)
			if n.incarnation != incarnation || n.machine == nil {
				return
			}
		}
		for _, b := range surplus {
			n.sim.send(n, to, voting.Key{}, b, false)
		}
		q.answered++
		if q.answered == q.open {
			finish()
		}
	})
}

// lacking returns the notices in v that the other side does not have.
func lacking(v *voting.View, f voting.CatchUp, other had) [][]byte {
	var out [][]byte
	known, _ := v.Round(f.Task, f.Round)
	for _, k := range known {
		if !slices.Contains(other.commits, k.Seat) {
			for _, c := range k.Commits {
				out = append(out, c.Encode())
			}
		}
		if k.Request != nil && !slices.Contains(other.requests, k.Seat) {
			out = append(out, k.Request.Encode())
		}
		if k.Vote != nil && !slices.Contains(other.votes, k.Seat) {
			out = append(out, k.Vote.Encode())
		}
	}
	return out
}
