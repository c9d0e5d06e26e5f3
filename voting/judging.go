package voting

import "fmt"

// maxReason is the size in bytes of the longest reason for an abstention that is kept.
const maxReason = 1_000

// NoOpinionInTime is the reason of an AskAbstain if the judge gave no opinion before its deadline.
const NoOpinionInTime = "no opinion in time"

// judging brings the own seat from the draw to a signed vote. It owns what the judge was asked, and
// the vote.
type judging struct{ *self }

// deliberate brings the own seat from the draw to a vote: it asks the judge, asks for an abstention
// when the judge has none in time, and casts.
func (j *judging) deliberate(c *caseState) {
	c.live() // the running round exists from its first look on
	for _, h := range c.rounds {
		switch {
		case h == nil:
		case j.mayCast(c, h):
			j.ask(c, h)
		default:
			j.stop(c, h)
		}
	}
}

// mayCast reports whether this node may still sign a commitment in the round: it never did, no
// other copy of the node did, and the chain accepts one.
func (j *judging) mayCast(c *caseState, h *roundState) bool {
	if c.live() != h || !c.chain.CanCommit(j.now) || h.cast != nil || h.foreign != nil || h.recovered != nil {
		return false
	}
	i := c.chain.SeatOf(j.cfg.Judge)
	return i >= 0 && !c.chain.Seats[i].Committed && !c.chain.Seats[i].Equivocated
}

// ask makes sure that somebody is working on an opinion.
func (j *judging) ask(c *caseState, h *roundState) {
	deadline := j.cfg.Params.opinionDeadline(&c.chain)
	c.wakeAt(c.chain.CommitEnds)
	switch {
	case h.held != nil:
		if !j.unsure(c, h) {
			j.cast(c, h)
		}
		c.wakeAt(j.next(deadline))
	case h.asked == askedAbstention:
		if h.askAgain.at != 0 && h.askAgain.due(j.now) {
			j.askAbstain(c, h, h.reason)
		}
		c.wakeAt(h.askAgain.at)
	case j.now >= deadline:
		j.stop(c, h)
		j.askAbstain(c, h, NoOpinionInTime)
	case h.asked == askedNothing:
		h.asked = askedOpinion
		j.emit(AskJudge{Task: c.task, Round: h.number, Deadline: deadline})
		c.wakeAt(deadline)
	default:
		c.wakeAt(deadline)
	}
}

func (j *judging) askAbstain(c *caseState, h *roundState, reason string) {
	h.asked, h.askAgain, h.reason = askedAbstention, timer{}, reason
	j.emit(AskAbstain{Task: c.task, Round: h.number, Reason: reason})
}

// stop ends the judge's work on a round that no longer needs an opinion.
func (j *judging) stop(c *caseState, h *roundState) {
	if h.asked != askedNothing && h.held == nil && h.cast == nil {
		j.emit(StopJudge{Task: c.task, Round: h.number})
	}
	h.asked, h.held, h.askAgain = askedNothing, nil, timer{}
}

func (j *judging) stopAll(c *caseState) {
	for _, h := range c.rounds {
		if h != nil {
			j.stop(c, h)
		}
	}
}

// opinionReady takes an opinion if one is wanted; a late one is ignored, and so is one for a round
// that is not running.
func (m *Machine) opinionReady(e OpinionReady) error {
	if err := checkOpinion(e.Opening, e.Vote); err != nil {
		return err
	}
	c, h := m.asking(e.Task, e.Round)
	if h == nil || h.held != nil {
		return nil
	}
	const _ = uint(3 - Choices) // an abstention costs nothing to decide, so it counts when it comes late
	late := h.asked == askedAbstention || m.now >= m.cfg.Params.opinionDeadline(&c.chain)
	if !late || e.Opening.Choice == Abstain {
		h.held = &e
	}
	m.drive(c)
	return nil
}

// asking returns the round that the judge works on, or nil.
func (m *Machine) asking(task Key, round uint8) (*caseState, *roundState) {
	c := m.cases.find(task)
	if c == nil || round == 0 || round > MaxRound {
		return nil, nil
	}
	h := c.rounds[round]
	if h == nil || h.asked == askedNothing || !m.judging.mayCast(c, h) {
		return nil, nil
	}
	return c, h
}

func checkOpinion(o Opening, vote []byte) error {
	switch {
	case !o.Choice.Valid():
		return fmt.Errorf("%w: opinion with choice %d", errEvent, o.Choice)
	case o.Opinion.IsZero() || o.Salt.IsZero():
		return fmt.Errorf("%w: opinion without hash or salt", errEvent)
	case len(vote) > MaxVote:
		return fmt.Errorf("%w: vote object of %d bytes, at most %d", errEvent, len(vote), MaxVote)
	}
	return nil
}

// opinionFailed learns that there will be no opinion.
func (m *Machine) opinionFailed(e OpinionFailed) {
	c, h := m.asking(e.Task, e.Round)
	if h == nil || h.held != nil {
		return
	}
	if h.asked == askedAbstention {
		h.askAgain = after(m.now, m.cfg.Params.RetryMin)
	} else {
		m.judging.askAbstain(c, h, e.Reason[:min(len(e.Reason), maxReason)])
	}
	m.drive(c)
}

// cast signs the one vote of this node in the round. The record goes first: every effect that shows
// the vote comes after it.
func (j *judging) cast(c *caseState, h *roundState) {
	d, o := j.cfg.Domain, h.held.Opening
	n := Commit{Task: c.task, Round: h.number, Judge: j.cfg.Judge}
	n.Commitment = d.Commitment(c.task, h.number, j.cfg.Judge, o)
	n.Signature = j.cfg.Sign(d.Statement(c.task, h.number, j.cfg.Judge, n.Commitment))
	h.cast = &Cast{At: j.now, Commit: n, Opening: o, Vote: h.held.Vote}
	h.asked, h.held = askedNothing, nil
	h.addCommit(n)
	j.emit(Persist{*h.cast})
}
