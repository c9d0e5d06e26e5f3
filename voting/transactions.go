package voting

import (
	"slices"

	"ojud/voting/turn"
)

// transactions sends what the state of a case asks for. It owns the attempts of a case.
type transactions struct{ *self }

// action is a transaction that the state of the case asks for.
type action struct {
	Submit
	from   int64 // chain time from which it can succeed; 0: since it was first wanted
	ranked bool  // others may do it too: wait for one's turn
}

// attempt is this node's work on a want.
type attempt struct {
	op          Op
	round, seat uint8
	due         int64 // chain time of this node's turn
	since       int64 // when it was first wanted
	pending     bool  // a SubmitDone is to come
	finished    bool  // not to be tried again while it is wanted
	tries       int   // failures in a row
	retry       timer
}

// crank submits the actions that are due. An attempt is forgotten when its action is done, by this
// node or another.
func (t *transactions) crank(c *caseState) {
	actions := t.actions(c)
	c.attempts = slices.DeleteFunc(c.attempts, func(a *attempt) bool {
		return !a.pending && !slices.ContainsFunc(actions, a.is)
	})
	for i := range actions {
		t.try(c, &actions[i])
	}
}

func (a *attempt) is(w action) bool { return a.op == w.Op && a.round == w.Round && a.seat == w.Seat }

// try submits w when this node's turn has come and nothing is under way.
func (t *transactions) try(c *caseState, w *action) {
	a := t.attempt(c, w)
	switch {
	case a.pending || a.finished:
		return
	case t.now < a.due && t.now >= a.since:
		c.wakeAt(a.due)
	case !a.retry.due(t.now):
		c.wakeAt(a.retry.at)
	case w.Op.forOthers() && !t.mayPay(c, w):
		return
	default:
		a.pending = true
		t.emit(w.Submit)
	}
}

func (t *transactions) attempt(c *caseState, w *action) *attempt {
	for _, a := range c.attempts {
		if a.is(*w) {
			return a
		}
	}
	a := &attempt{op: w.Op, round: w.Round, seat: w.Seat, since: t.now, due: t.now}
	if w.from != 0 {
		a.due = w.from
	}
	if w.ranked {
		a.due += t.turn(c, w)
	}
	c.attempts = append(c.attempts, a)
	return a
}

// turn is how long after the first node this one does w. Relays have less time than the others.
func (t *transactions) turn(c *caseState, w *action) int64 {
	rank := int64(rankOf(c.chain.Seats, t.cfg.Judge, c.task, w.Round, w.Op, w.Seat))
	step, places := int64(t.cfg.Params.CrankStep), int64(len(c.chain.Seats)+turn.Outsiders)
	switch w.Op {
	case OpRelayReveal:
		return min(rank*step, rank*t.cfg.Params.relayMargin(&c.chain)/places)
	case OpRelayCommit: // whose turn does not come in time sends nothing: a judge that asks late must not cost everybody a fee
		return rank * max(1, min(step, (c.chain.CommitEnds-t.now)/2/places))
	}
	return rank * step
}

// submitDone learns how a transaction ended. The chain decides whether more is to be done.
func (m *Machine) submitDone(e SubmitDone) {
	c := m.cases.find(e.Task)
	if c == nil {
		return
	}
	if h := c.live(); h != nil && h.number == e.Round && e.Op == OpCommit && e.Class == Failed {
		h.failed = true
	}
	p := &m.cfg.Params
	for _, a := range c.attempts {
		if !a.pending || a.op != e.Op || a.round != e.Round || a.seat != e.Seat {
			continue
		}
		a.pending = false
		switch e.Class {
		case Landed:
			a.tries, a.retry = 0, after(m.now, p.LandedWait)
			a.finished = a.op == OpClaim || a.op == OpRelayCommit // no look shows the one; of the other one a seat is enough
		case Hopeless:
			a.finished = true
		default:
			a.finished = e.Class == Moot && (a.op == OpClaim || a.op == OpRelayCommit) || a.op == OpRelayCommit && a.tries+1 >= maxRelayTries
			a.retry = after(m.now, p.backoff(a.tries, a.op.urgent()))
			a.tries++
		}
	}
	m.drive(c)
}

// mayPay reports whether this node may pay for a seat's sake, and notes that it does:
// Params.MaxRelayed seats of a round, and for a commitment and a vote of one seat it counts twice.
func (t *transactions) mayPay(c *caseState, w *action) bool {
	h := c.round(w.Round)
	mine := &h.relayed[0]
	if w.Op == OpRelayReveal {
		mine = &h.relayed[1]
	}
	if mine[w.Seat] {
		return true // a transaction that did not get there
	}
	if h.relayed[0].count()+h.relayed[1].count() >= int(t.cfg.Params.MaxRelayed) {
		return false
	}
	mine[w.Seat] = true
	return true
}

// maxRelayTries is how often a commitment is sent for another seat when the RPC node does not take
// it.
const maxRelayTries = 3
