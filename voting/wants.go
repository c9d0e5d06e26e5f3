package voting

// wants lists the transactions that the state of the case asks for, in the order in which they matter.
func (m *Machine) wants(c *docket) []want {
	var w []want
	switch {
	case c.look.Status == AwaitingDraw:
		w = m.wantDraw(c, w)
	case c.look.Live():
		w = m.wantOwn(c, w)
		w = m.wantCarries(c, w)
		w = m.wantRelays(c, w)
		w = m.wantSettle(c, w)
	case c.look.Status.Over():
		w = m.wantReward(c, w)
	}
	return m.wantSlashes(c, w)
}

// wantDraw draws the round, or ends the case when that took too long.
func (m *Machine) wantDraw(c *docket, w []want) []want {
	s := Submit{Op: OpDraw, Task: c.task, Round: c.look.Round, Before: c.look.DrawBy}
	if !c.look.CanExpire(m.now) {
		c.wakeAt(c.look.DrawBy)
		return append(w, want{Submit: s, from: c.drawAt, ranked: true})
	}
	s.Op, s.Before = OpExpire, 0
	return append(w, want{Submit: s, from: c.look.DrawBy, ranked: true})
}

// wantOwn brings the own vote to the chain.
func (m *Machine) wantOwn(c *docket, w []want) []want {
	h, i := c.live(), c.look.SeatOf(m.cfg.Judge)
	if i < 0 {
		return w
	}
	seat := &c.look.Seats[i]
	c.wakeAt(m.next(c.look.CommitEnds))
	s := Submit{Task: c.task, Round: h.number, Seat: uint8(i), Judge: m.cfg.Judge}
	switch {
	case seat.Equivocated || seat.Revealed:
	case !seat.Committed && h.cast != nil && c.look.CanCommit(m.now):
		s.Op, s.Before = OpCommit, c.look.CommitEnds
		s.Commitment, s.Opening = h.cast.Commitment, h.cast.Opening
		return append(w, want{Submit: s})
	case seat.Committed && c.look.CanReveal(m.now):
		o, _, ok := h.opening(seat.Commitment, m.cfg.Domain, m.cfg.Judge, c.task)
		if !ok {
			return w
		}
		s.Op, s.Before, s.Opening = OpReveal, c.look.RevealEnds, o
		return append(w, want{Submit: s})
	}
	return w
}

// wantCarries commits for seats that ask for it.
func (m *Machine) wantCarries(c *docket, w []want) []want {
	h := c.live()
	if !c.look.CanCommit(m.now) || !h.begged() {
		return w
	}
	for i := range c.look.Seats {
		seat := &c.look.Seats[i]
		if seat.Judge == m.cfg.Judge || seat.Committed || seat.Equivocated {
			continue
		}
		known := h.of(seat.Judge)
		if known.request == nil || len(known.commits) != 1 {
			continue
		}
		w = append(w, want{from: m.now + m.cfg.Params.carryDelay(&c.look, m.now), ranked: true, Submit: Submit{
			Op: OpCarry, Task: c.task, Round: h.number, Seat: uint8(i), Judge: seat.Judge, Peer: seat.Peer,
			Commitment: known.request.Commitment, Relay: *known.request, Before: c.look.CommitEnds,
		}})
	}
	return w
}

// wantRelays reveals the votes of other seats when they have not done it themselves and little time is left: their RPC may be
// down while their notices still come through.
func (m *Machine) wantRelays(c *docket, w []want) []want {
	from := m.cfg.Params.relayFrom(&c.look)
	c.wakeAt(m.next(from))
	if !c.look.CanReveal(m.now) {
		return w
	}
	h := c.live()
	for i := range c.look.Seats {
		seat := &c.look.Seats[i]
		if seat.Judge == m.cfg.Judge || !seat.Committed || seat.Revealed || seat.Equivocated {
			continue
		}
		known := h.of(seat.Judge)
		v, due := known.vote, from
		if known.request != nil { // it could not commit by itself, and will hardly reveal
			due = min(from, m.now+m.cfg.Params.revealDelay(&c.look))
		}
		if m.now < due && known.request == nil || v == nil || m.cfg.Domain.Commitment(c.task, h.number, seat.Judge, v.Opening) != seat.Commitment {
			continue
		}
		w = append(w, want{from: due, ranked: true, Submit: Submit{
			Op: OpRelay, Task: c.task, Round: h.number, Seat: uint8(i), Judge: seat.Judge,
			Opening: v.Opening, Before: c.look.RevealEnds,
		}})
	}
	return w
}

// wantSettle ends the round.
func (m *Machine) wantSettle(c *docket, w []want) []want {
	if !c.look.CanSettle(m.now) {
		c.wakeAt(m.next(c.look.CommitEnds))
		c.wakeAt(m.next(c.look.RevealEnds))
		return w
	}
	s := want{Submit: Submit{Op: OpSettle, Task: c.task, Round: c.look.Round}, ranked: true}
	if m.now >= c.look.RevealEnds && !c.look.allRevealed() {
		s.from = c.look.RevealEnds
	}
	return append(w, s)
}

// wantReward collects what this node earned in the case.
func (m *Machine) wantReward(c *docket, w []want) []want {
	i := c.look.SeatOf(m.cfg.Judge)
	if i < 0 || c.look.Seats[i].Earned == 0 {
		return w
	}
	return append(w, want{Submit: Submit{Op: OpClaim, Task: c.task, Round: c.look.Round, Judge: m.cfg.Judge}})
}

// wantSlashes files evidence of equivocation while the chain has the seats of that round.
func (m *Machine) wantSlashes(c *docket, w []want) []want {
	round := c.look.SeatsRound()
	if round == 0 || c.rounds[round] == nil {
		return w
	}
	for _, p := range c.rounds[round].proofs {
		i := c.look.SeatOf(p.Judge)
		if i < 0 || c.look.Seats[i].Equivocated || c.look.Seats[i].Peer != p.Peer {
			continue
		}
		w = append(w, want{ranked: true, Submit: Submit{
			Op: OpSlash, Task: c.task, Round: round, Seat: uint8(i), Judge: p.Judge, Evidence: p.Evidence,
		}})
	}
	return w
}

// next is t if it is still to come, otherwise 0: nothing to wait for.
func (m *Machine) next(t int64) int64 {
	if t > m.now {
		return t
	}
	return 0
}
