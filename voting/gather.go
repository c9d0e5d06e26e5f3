package voting

import "slices"

// gathering asks other seats for notices. It owns the schedule of these questions.
type gathering struct {
	*self
	judging *judging
}

// gather asks other seats for the notices that are missing: all of them when a round is first seen,
// or as long as a new journal needs to know whether it has voted before, then one after another.
// Gossip has no memory.
func (g *gathering) gather(c *caseState) {
	h := c.live()
	if c.chain.Appealed() {
		g.askAfterRound(c, c.chain.FirstRound)
	}
	if h == nil {
		g.askAfterRound(c, c.chain.SeatsRound())
		return
	}
	if g.now >= c.chain.RevealEnds {
		return
	}
	unsure := g.judging.unsure(c, h)
	if h.caught && !unsure && !g.missing(c, h) { // most of the time
		return
	}
	peers := g.peers(c.chain.Seats)
	switch {
	case len(peers) == 0 && !unsure:
		return
	case !h.caught || unsure && h.askNext.due(g.now):
		h.caught = true
		g.catchUp(c, h, peers)
	case h.askNext.due(g.now):
		h.turn++
		g.catchUp(c, h, []Key{peers[(h.turn+g.place(c.chain.Seats))%len(peers)]})
	}
	c.wakeAt(h.askNext.at)
}

// questionsAfterRound is how often all seats are asked for half a proof, at gaps that double.
const questionsAfterRound = 12

// askAfterRound asks after a round in which this node has a seat. It asks one seat after another,
// each once, while a vote is missing that the chain shows as revealed: rounds can end faster than
// notices travel. It asks all of them if a statement is doubted, because evidence still counts.
func (g *gathering) askAfterRound(c *caseState, round uint8) {
	h, seats := c.rounds[round], c.chain.Panel(round)
	peers := g.peers(seats)
	if h == nil || len(peers) == 0 || seatIn(seats, g.cfg.Judge) < 0 {
		return
	}
	doubted := func(s Seat) bool { known := h.of(s.Judge); return s.Judge != g.cfg.Judge && known.doubted(&s, true) }
	if h.doubtsAfterRound < questionsAfterRound && slices.ContainsFunc(seats, doubted) {
		if h.doubtNext.due(g.now) {
			g.catchUp(c, h, peers)
			h.doubtNext = after(g.now, g.cfg.Params.CatchUpEvery<<h.doubtsAfterRound)
			h.doubtsAfterRound++
		}
		c.wakeAt(h.doubtNext.at)
	}
	if h.askedAfterRound >= len(peers) || !g.unheard(c, seats, h) {
		return
	}
	if h.askNext.due(g.now) {
		g.catchUp(c, h, []Key{peers[(h.askedAfterRound+g.place(seats))%len(peers)]})
		h.askedAfterRound++
	}
	c.wakeAt(h.askNext.at)
}

// unheard reports whether a round has ended the case, or a level of it, and the vote of a seat that
// has revealed is not here.
func (g *gathering) unheard(c *caseState, seats []Seat, h *roundState) bool {
	return c.chain.decided(h.number) && slices.ContainsFunc(seats, func(s Seat) bool {
		return s.Revealed && s.Judge != g.cfg.Judge && h.of(s.Judge).vote == nil
	})
}

// place spreads the questions of different nodes over the seats.
func (g *gathering) place(seats []Seat) int { return max(seatIn(seats, g.cfg.Judge), 0) }

func (g *gathering) catchUp(c *caseState, h *roundState, to []Key) {
	h.askNext = after(g.now, g.cfg.Params.CatchUpEvery)
	g.emit(CatchUp{Task: c.task, Round: h.number, To: to})
}

// unsure reports whether this node may have voted in the round without its journal knowing: the
// journal is new, and too few seats were asked. While there is time all but a third have to answer,
// as many as can be honest; in the end enough for one honest one to be among them.
func (j *judging) unsure(c *caseState, h *roundState) bool {
	if !j.distrusts(c) || !j.mayCast(c, h) {
		return false
	}
	peers, one := len(j.peers(c.chain.Seats)), OneHonest(len(c.chain.Seats))
	need := max(peers-(one-1), one)
	if j.now >= j.cfg.Params.opinionDeadline(&c.chain) {
		need = one
	}
	return h.answered < min(need, peers) || !h.caught
}

// missing reports whether a seat is known to have a notice that this node lacks. A statement that
// the chain does not bear out is as good as none.
func (g *gathering) missing(c *caseState, h *roundState) bool {
	show := c.chain.CommitsOver(g.now)
	for i := range c.chain.Seats {
		s := &c.chain.Seats[i]
		if s.Judge == g.cfg.Judge || !s.Committed && !show {
			continue
		}
		known := h.of(s.Judge)
		if known.doubted(s, show) || s.Committed && (!known.fits(s) || show && known.vote == nil) {
			return true
		}
	}
	return false
}

// caughtUp learns that a catch-up is complete: had this node announced a statement before, those
// that answered would have brought it.
func (m *Machine) caughtUp(e CaughtUp) {
	c := m.cases.find(e.Task)
	if c == nil {
		return
	}
	if h := c.live(); h != nil && h.number == e.Round {
		h.answered = max(h.answered, e.Answered)
		m.drive(c)
	}
}

// peerConnected asks a node that just connected, if it has a seat in a live round.
func (m *Machine) peerConnected(e PeerConnected) {
	if e.Peer == m.cfg.Peer {
		return
	}
	for _, c := range m.cases.all {
		seated := func(s Seat) bool { return s.Peer == e.Peer }
		if h := c.live(); h != nil && m.now < c.chain.RevealEnds && slices.ContainsFunc(c.chain.Seats, seated) {
			m.emit(CatchUp{Task: c.task, Round: h.number, To: []Key{e.Peer}})
		}
	}
}

// OneHonest is how many seats are enough to have an honest one among them, if less than a third of
// n is dishonest: ⌊(n − 1)/3⌋ + 1. A node with an empty journal asks that many seats whether they
// know a statement of its own.
func OneHonest(n int) int {
	return (n + 2) / 3
}
