package voting

// gather asks other seats for the notices that are missing: all of them when a round is first seen, or as long as a new
// journal needs to know whether it has voted before, then one after another. Gossip has no memory.
func (m *Machine) gather(c *docket) {
	h := c.live()
	if h == nil {
		m.inquire(c)
		return
	}
	if m.now >= c.look.RevealEnds {
		return
	}
	unsure := m.unsure(c, h)
	if h.caught && !unsure && !m.missing(c, h) { // most of the time
		return
	}
	peers := m.peers(c)
	switch {
	case len(peers) == 0 && !unsure:
		return
	case !h.caught || unsure && h.askNext.due(m.now):
		h.caught = true
		m.catchUp(c, h, peers)
	case h.askNext.due(m.now):
		h.turn++
		m.catchUp(c, h, []Key{peers[(h.turn+m.place(c))%len(peers)]})
	}
	c.wakeAt(h.askNext.at)
}

// inquire asks every seat once after the round, while a vote is missing that the chain shows as revealed: rounds can end faster than
// notices travel. And if a judge announced something else than it committed on the chain: it may have told the others the truth;
// the evidence still counts.
func (m *Machine) inquire(c *docket) {
	h := c.rounds[c.look.SeatsRound()]
	if h == nil || h.inquired >= len(c.look.Seats) || !m.contradicted(c, h) && !m.unheard(c, h) {
		return
	}
	peers := m.peers(c)
	if h.inquired >= len(peers) {
		return
	}
	if h.askNext.due(m.now) {
		m.catchUp(c, h, []Key{peers[(h.inquired+m.place(c))%len(peers)]})
		h.inquired++
	}
	c.wakeAt(h.askNext.at)
}

// unheard reports whether a case is over and the vote of a seat that has revealed is not here.
func (m *Machine) unheard(c *docket, h *hearing) bool {
	if !c.look.Status.Over() || c.look.SeatOf(m.cfg.Judge) < 0 {
		return false
	}
	for i := range c.look.Seats {
		if s := &c.look.Seats[i]; s.Revealed && s.Judge != m.cfg.Judge && h.of(s.Judge).vote == nil {
			return true
		}
	}
	return false
}

// contradicted reports whether the only statement that is known of a seat is not that of its commitment on the chain.
func (m *Machine) contradicted(c *docket, h *hearing) bool {
	for i := range c.look.Seats {
		s := &c.look.Seats[i]
		known := h.of(s.Judge)
		if s.Committed && !s.Equivocated && s.Judge != m.cfg.Judge && len(known.commits) == 1 && !known.fits(s) {
			return true
		}
	}
	return false
}

// place spreads the questions of different nodes over the seats.
func (m *Machine) place(c *docket) int { return max(c.look.SeatOf(m.cfg.Judge), 0) }

func (m *Machine) catchUp(c *docket, h *hearing, to []Key) {
	h.askNext = after(m.now, m.cfg.Params.CatchUpEvery)
	m.emit(CatchUp{Task: c.task, Round: h.number, To: to})
}

// unsure reports whether this node may have voted in the round without its journal knowing: the journal is new, and too few
// seats were asked. While there is time all but a third have to answer, as many as can be honest; in the end enough for one
// honest one to be among them.
func (m *Machine) unsure(c *docket, h *hearing) bool {
	if !m.distrusts(c) || !m.mayCast(c, h) {
		return false
	}
	peers, one := len(m.peers(c)), OneHonest(len(c.look.Seats))
	need := max(peers-(one-1), one)
	if m.now >= m.cfg.Params.opinionDeadline(&c.look) {
		need = one
	}
	return h.answered < min(need, peers) || !h.caught
}

// missing reports whether a seat is known to have a notice that this node lacks. A statement that is not the one for the
// commitment on the chain is as good as none: the judge may have told others another, and only they know.
func (m *Machine) missing(c *docket, h *hearing) bool {
	show := c.look.CommitsOver(m.now)
	for i := range c.look.Seats {
		s := &c.look.Seats[i]
		if !s.Committed || s.Judge == m.cfg.Judge {
			continue
		}
		known := h.of(s.Judge)
		if !known.fits(s) || show && known.vote == nil {
			return true
		}
	}
	return false
}

// caughtUp learns that a catch-up is complete: had this node announced a statement before, those that answered would have
// brought it.
func (m *Machine) caughtUp(e CaughtUp) {
	c := m.find(e.Task)
	if c == nil {
		return
	}
	if h := c.live(); h != nil && h.number == e.Round {
		h.answered = max(h.answered, e.Answered)
		m.drive(c)
	}
}

// connected asks a node that just connected, if it has a seat in a live round.
func (m *Machine) connected(e PeerConnected) {
	if e.Peer == m.cfg.Peer {
		return
	}
	for _, c := range m.dockets {
		h := c.live()
		if h == nil || m.now >= c.look.RevealEnds {
			continue
		}
		for i := range c.look.Seats {
			if c.look.Seats[i].Peer == e.Peer {
				m.emit(CatchUp{Task: c.task, Round: h.number, To: []Key{e.Peer}})
			}
		}
	}
}

// OneHonest is the number of seats of which at least one is honest when fewer than a third of n are not:
// ⌊(n − 1)/3⌋ + 1. A node with an empty journal asks that many seats whether they know a statement of its own.
func OneHonest(n int) int {
	if n <= 0 {
		return 0
	}
	return (n-1)/3 + 1
}
