package voting

import "slices"

// want is a transaction that the state of the case asks for.
type want struct {
	Submit
	from   int64 // chain time from which it can succeed; 0: since it was first wanted
	ranked bool  // others may do it too: wait for one's turn
}

// attempt is what this node did about a want.
type attempt struct {
	op          Op
	round, seat uint8
	due         int64 // chain time of this node's turn
	since       int64 // when it was first wanted
	flying      bool  // a SubmitDone is to come
	finished    bool  // not to be tried again while it is wanted
	tries       int   // failures in a row
	retry       timer
}

// crank submits what is due. What is not wanted any more is forgotten, whoever did it.
func (m *Machine) crank(c *docket) {
	wants := m.wants(c)
	c.attempts = slices.DeleteFunc(c.attempts, func(a *attempt) bool {
		return !a.flying && !slices.ContainsFunc(wants, a.is)
	})
	for i := range wants {
		m.try(c, &wants[i])
	}
}

func (a *attempt) is(w want) bool { return a.op == w.Op && a.round == w.Round && a.seat == w.Seat }

// try submits w when this node's turn has come and nothing is under way.
func (m *Machine) try(c *docket, w *want) {
	a := m.attempt(c, w)
	switch {
	case a.flying || a.finished:
		return
	case m.now < a.due && m.now >= a.since:
		c.wakeAt(a.due)
	case !a.retry.due(m.now):
		c.wakeAt(a.retry.at)
	case w.Op.charity() && !m.spend(c, w):
		return
	default:
		a.flying = true
		m.emit(w.Submit)
	}
}

func (m *Machine) attempt(c *docket, w *want) *attempt {
	for _, a := range c.attempts {
		if a.is(*w) {
			return a
		}
	}
	a := &attempt{op: w.Op, round: w.Round, seat: w.Seat, since: m.now, due: m.now}
	if w.from != 0 {
		a.due = w.from
	}
	if w.ranked {
		a.due += m.turn(c, w)
	}
	c.attempts = append(c.attempts, a)
	return a
}

// turn is how long after the first node this one does w. Relays have less time than the others.
func (m *Machine) turn(c *docket, w *want) int64 {
	rank := int64(Rank(c.look.Seats, m.cfg.Judge, c.task, w.Round, w.Op, w.Seat))
	step, places := int64(m.cfg.Params.CrankStep), int64(len(c.look.Seats)+outsiders)
	switch w.Op {
	case OpRelay:
		return min(rank*step, rank*m.cfg.Params.relayMargin(&c.look)/places)
	case OpCarry: // whose turn does not come in time sends nothing: a judge that asks late must not cost everybody a fee
		return rank * max(1, min(step, (c.look.CommitEnds-m.now)/2/places))
	}
	return rank * step
}

// submitted learns how a transaction ended. The chain decides whether more is to be done.
func (m *Machine) submitted(e SubmitDone) {
	c := m.find(e.Task)
	if c == nil {
		return
	}
	if h := c.live(); h != nil && h.number == e.Round && e.Op == OpCommit && e.Class == Failed {
		h.failed = true
	}
	p := &m.cfg.Params
	for _, a := range c.attempts {
		if !a.flying || a.op != e.Op || a.round != e.Round || a.seat != e.Seat {
			continue
		}
		a.flying = false
		switch e.Class {
		case Landed:
			a.tries, a.retry = 0, after(m.now, p.LandedWait)
			a.finished = a.op == OpClaim || a.op == OpCarry // no look shows the one; of the other one a seat is enough
		case Hopeless:
			a.finished = true
		default:
			a.finished = e.Class == Moot && (a.op == OpClaim || a.op == OpCarry) || a.op == OpCarry && a.tries+1 >= maxCarryTries
			a.retry = after(m.now, p.backoff(a.tries, a.op.urgent()))
			a.tries++
		}
	}
	m.drive(c)
}
