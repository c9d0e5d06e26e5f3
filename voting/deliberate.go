package voting

import "fmt"

// MaxReason is the size in bytes of the longest reason for an abstention that is kept.
const MaxReason = 1_000

// deliberate brings the own seat from the draw to a vote: it asks the judge, asks for an abstention when the judge has none in
// time, and casts.
func (m *Machine) deliberate(c *docket) {
	c.live() // the running round exists from its first look on
	for _, h := range c.rounds {
		switch {
		case h == nil:
		case m.mayCast(c, h):
			m.ask(c, h)
		default:
			m.stop(c, h)
		}
	}
}

// mayCast reports whether this node may still sign a commitment in the round: it never did, nobody else did in its name, and
// the chain takes one.
func (m *Machine) mayCast(c *docket, h *hearing) bool {
	if c.live() != h || !c.look.CanCommit(m.now) || h.cast != nil || h.foreign != nil || h.recovered != nil {
		return false
	}
	i := c.look.SeatOf(m.cfg.Judge)
	return i >= 0 && !c.look.Seats[i].Committed && !c.look.Seats[i].Equivocated
}

// ask makes sure that somebody is working on an opinion.
func (m *Machine) ask(c *docket, h *hearing) {
	deadline := m.cfg.Params.opinionDeadline(&c.look)
	c.wakeAt(c.look.CommitEnds)
	switch {
	case h.held != nil:
		if !m.unsure(c, h) {
			m.cast(c, h)
		}
		c.wakeAt(m.next(deadline))
	case h.asked == askedAbstention:
		if h.askAgain.at != 0 && h.askAgain.due(m.now) {
			m.askAbstain(c, h, h.reason)
		}
		c.wakeAt(h.askAgain.at)
	case m.now >= deadline:
		m.stop(c, h)
		m.askAbstain(c, h, "no opinion in time")
	case h.asked == askedNothing:
		h.asked = askedOpinion
		m.emit(AskJudge{Task: c.task, Round: h.number, Deadline: deadline})
		c.wakeAt(deadline)
	default:
		c.wakeAt(deadline)
	}
}

func (m *Machine) askAbstain(c *docket, h *hearing, reason string) {
	h.asked, h.askAgain, h.reason = askedAbstention, timer{}, reason
	m.emit(AskAbstain{Task: c.task, Round: h.number, Reason: reason})
}

// stop ends the judge's work on a round in which it is of no use any more.
func (m *Machine) stop(c *docket, h *hearing) {
	if h.asked != askedNothing && h.held == nil && h.cast == nil {
		m.emit(StopJudge{Task: c.task, Round: h.number})
	}
	h.asked, h.held, h.askAgain = askedNothing, nil, timer{}
}

func (m *Machine) stopAll(c *docket) {
	for _, h := range c.rounds {
		if h != nil {
			m.stop(c, h)
		}
	}
}

// opine takes an opinion if one is wanted; a late one is ignored, and so is one for a round that is not running.
func (m *Machine) opine(e OpinionReady) error {
	if err := checkOpinion(e.Opening, e.Vote); err != nil {
		return err
	}
	c, h := m.asking(e.Task, e.Round)
	if h == nil || h.held != nil {
		return nil
	}
	const _ = uint(3 - Choices) // an abstention costs nothing to decide, so it counts when it comes late
	late := h.asked == askedAbstention || m.now >= m.cfg.Params.opinionDeadline(&c.look)
	if !late || e.Opening.Choice == Abstain {
		h.held = &e
	}
	m.drive(c)
	return nil
}

// asking returns the round in which the judge is at work, or nil.
func (m *Machine) asking(task Key, round uint8) (*docket, *hearing) {
	c := m.find(task)
	if c == nil || round == 0 || round > MaxRounds {
		return nil, nil
	}
	h := c.rounds[round]
	if h == nil || h.asked == askedNothing || !m.mayCast(c, h) {
		return nil, nil
	}
	return c, h
}

func checkOpinion(o Opening, vote []byte) error {
	switch {
	case !o.Choice.Valid():
		return fmt.Errorf("%w: opinion with choice %d", ErrEvent, o.Choice)
	case o.Opinion.IsZero() || o.Salt.IsZero():
		return fmt.Errorf("%w: opinion without hash or salt", ErrEvent)
	case len(vote) > MaxVote:
		return fmt.Errorf("%w: vote object of %d bytes, at most %d", ErrEvent, len(vote), MaxVote)
	}
	return nil
}

// abstain learns that there will be no opinion.
func (m *Machine) abstain(e OpinionFailed) {
	c, h := m.asking(e.Task, e.Round)
	if h == nil || h.held != nil {
		return
	}
	if h.asked == askedAbstention {
		h.askAgain = after(m.now, m.cfg.Params.RetryMin)
	} else {
		m.askAbstain(c, h, e.Reason[:min(len(e.Reason), MaxReason)])
	}
	m.drive(c)
}

// cast signs the one vote of this node in the round. The record goes first: whatever shows the vote comes after it.
func (m *Machine) cast(c *docket, h *hearing) {
	d, o := m.cfg.Domain, h.held.Opening
	n := Commit{Task: c.task, Round: h.number, Judge: m.cfg.Judge}
	n.Commitment = d.Commitment(c.task, h.number, m.cfg.Judge, o)
	n.Signature = m.cfg.Sign(d.Statement(c.task, h.number, m.cfg.Judge, n.Commitment))
	h.cast = &Cast{At: m.now, Commit: n, Opening: o, Vote: h.held.Vote}
	h.asked, h.held = askedNothing, nil
	h.addCommit(n)
	m.emit(Persist{*h.cast})
}
