package voting

import "slices"

// actions lists the transactions that the state of the case asks for, the most urgent first.
func (t *transactions) actions(c *caseState) []action {
	const _ = uint(6 - Statuses) // a seventh status may ask for transactions
	var w []action
	switch {
	case c.chain.Status == AwaitingDraw:
		w = t.drawAction(c, w)
	case c.chain.Live():
		w = t.ownActions(c, w)
		w = t.relayCommitActions(c, w)
		w = t.relayActions(c, w)
		w = t.settleAction(c, w)
	case c.chain.Status.Over():
		w = t.claimAction(c, w)
	}
	return t.slashActions(c, w)
}

// drawAction draws the round, or ends the case when that took too long.
func (t *transactions) drawAction(c *caseState, w []action) []action {
	s := Submit{Op: OpDraw, Task: c.task, Round: c.chain.Round, Before: c.chain.DrawBy}
	if !c.chain.CanExpire(t.now) {
		c.wakeAt(c.chain.DrawBy)
		return append(w, action{Submit: s, from: c.drawAt, ranked: true})
	}
	s.Op, s.Before = OpExpire, 0
	return append(w, action{Submit: s, from: c.chain.DrawBy, ranked: true})
}

// ownActions brings the own vote to the chain.
func (t *transactions) ownActions(c *caseState, w []action) []action {
	h, i := c.live(), c.chain.SeatOf(t.cfg.Judge)
	if i < 0 {
		return w
	}
	seat := &c.chain.Seats[i]
	c.wakeAt(t.next(c.chain.CommitEnds))
	s := Submit{Task: c.task, Round: h.number, Seat: uint8(i), Judge: t.cfg.Judge}
	switch {
	case seat.Equivocated || seat.Revealed:
	case !seat.Committed && h.cast != nil && c.chain.CanCommit(t.now):
		s.Op, s.Before = OpCommit, c.chain.CommitEnds
		s.Commitment, s.Opening = h.cast.Commitment, h.cast.Opening
		return append(w, action{Submit: s})
	case seat.Committed && c.chain.CanReveal(t.now):
		o, _, ok := h.opening(seat.Commitment, t.cfg.Domain, t.cfg.Judge, c.task)
		if !ok {
			return w
		}
		s.Op, s.Before, s.Opening = OpReveal, c.chain.RevealEnds, o
		return append(w, action{Submit: s})
	}
	return w
}

// relayCommitActions commits for seats that ask for it.
func (t *transactions) relayCommitActions(c *caseState, w []action) []action {
	h := c.live()
	if !c.chain.CanCommit(t.now) || !h.anyRelayRequest() {
		return w
	}
	for i := range c.chain.Seats {
		seat := &c.chain.Seats[i]
		if seat.Judge == t.cfg.Judge || seat.Committed || seat.Equivocated {
			continue
		}
		known := h.of(seat.Judge)
		if known.request == nil || len(known.commits) != 1 {
			continue
		}
		w = append(w, action{from: t.now + t.cfg.Params.relayDelay(&c.chain, t.now), ranked: true, Submit: Submit{
			Op: OpRelayCommit, Task: c.task, Round: h.number, Seat: uint8(i), Judge: seat.Judge, Peer: seat.Peer,
			Commitment: known.request.Commitment, Relay: *known.request, Before: c.chain.CommitEnds,
		}})
	}
	return w
}

// relayActions reveals the votes of other seats when they have not done it themselves and little
// time is left: their RPC may be down while their notices still come through.
func (t *transactions) relayActions(c *caseState, w []action) []action {
	from := t.cfg.Params.relayFrom(&c.chain)
	c.wakeAt(t.next(from))
	if !c.chain.CanReveal(t.now) {
		return w
	}
	h := c.live()
	for i := range c.chain.Seats {
		seat := &c.chain.Seats[i]
		if seat.Judge == t.cfg.Judge || !seat.Committed || seat.Revealed || seat.Equivocated {
			continue
		}
		known := h.of(seat.Judge)
		v, due := known.vote, from
		if known.request != nil { // it could not commit by itself, and will hardly reveal
			due = min(from, t.now+t.cfg.Params.revealDelay(&c.chain))
		}
		if t.now < due && known.request == nil || v == nil || t.cfg.Domain.Commitment(c.task, h.number, seat.Judge, v.Opening) != seat.Commitment {
			continue
		}
		w = append(w, action{from: due, ranked: true, Submit: Submit{
			Op: OpRelayReveal, Task: c.task, Round: h.number, Seat: uint8(i), Judge: seat.Judge,
			Opening: v.Opening, Before: c.chain.RevealEnds,
		}})
	}
	return w
}

// settleAction ends the round.
func (t *transactions) settleAction(c *caseState, w []action) []action {
	if !c.chain.CanSettle(t.now) {
		c.wakeAt(t.next(c.chain.CommitEnds))
		c.wakeAt(t.next(c.chain.RevealEnds))
		return w
	}
	s := action{Submit: Submit{Op: OpSettle, Task: c.task, Round: c.chain.Round}, ranked: true}
	if t.now >= c.chain.RevealEnds && !c.chain.allRevealed() {
		s.from = c.chain.RevealEnds
	}
	return append(w, s)
}

// claimAction collects what this node earned in the case.
func (t *transactions) claimAction(c *caseState, w []action) []action {
	if !slices.ContainsFunc(slices.Concat(c.chain.First, c.chain.Seats), func(s Seat) bool { return s.Judge == t.cfg.Judge && s.Earned > 0 }) {
		return w
	}
	return append(w, action{Submit: Submit{Op: OpClaim, Task: c.task, Round: c.chain.Round, Judge: t.cfg.Judge}})
}

// slashActions files evidence of equivocation while the chain has the seats of that round.
func (t *transactions) slashActions(c *caseState, w []action) []action {
	for _, round := range c.chain.Panels() {
		if c.rounds[round] == nil {
			continue
		}
		seats := c.chain.Panel(round)
		for _, p := range c.rounds[round].proofs {
			i := seatIn(seats, p.Judge)
			if i < 0 || seats[i].Equivocated || seats[i].Peer != p.Peer {
				continue
			}
			w = append(w, action{ranked: true, Submit: Submit{
				Op: OpSlash, Task: c.task, Round: round, Seat: c.chain.number(round, i), Judge: p.Judge, Evidence: p.Evidence,
			}})
		}
	}
	return w
}

// next is t if it is still to come, otherwise 0: nothing to wait for.
func (s *self) next(t int64) int64 {
	if t > s.now {
		return t
	}
	return 0
}
