package voting

import (
	"fmt"
	"slices"
)

// restore takes the journal. Cases from it wait for the chain to show them; until then they only
// keep this node from voting twice.
func (m *Machine) restore(e Restored) error {
	for i, r := range e.Records {
		if err := m.load(r); err != nil {
			m.cases.all, m.born = nil, 0
			return fmt.Errorf("%w: record %d: %w", errEvent, i, err)
		}
	}
	m.restored = true
	if e.Fresh { // an older Born is of the time before a backup was restored
		m.born = max(e.At, 1)
		m.emit(Persist{Born{At: m.born}})
	}
	for _, c := range slices.Clone(m.cases.all) {
		m.drive(c)
	}
	return nil
}

func (m *Machine) load(r Record) error {
	switch r := r.(type) {
	case Born:
		m.born = r.At
	case Cast:
		h, err := m.recall(r.Task, r.Round, r.At)
		if err != nil {
			return err
		}
		if h.cast != nil || m.cfg.Domain.Commitment(r.Task, r.Round, m.cfg.Judge, r.Opening) != r.Commitment {
			return fmt.Errorf("%s: the journal is of another node or has two votes for a round", r)
		}
		h.cast = &r
		h.addCommit(r.Commit)
	case Recovered:
		h, err := m.recall(r.Task, r.Round, r.At)
		if err != nil {
			return err
		}
		h.recovered = &r
	case Foreign:
		h, err := m.recall(r.Task, r.Round, r.At)
		if err != nil {
			return err
		}
		h.foreign = &r
		h.addCommit(r.Commit)
	case Heard:
		h, err := m.recall(r.Task, r.Round, r.At)
		if err != nil {
			return err
		}
		h.addCommit(r.Commit)
	case HeardVote:
		h, err := m.recall(r.Task, r.Round, r.At)
		if err != nil {
			return err
		}
		h.addVote(Vote{Task: r.Task, Round: r.Round, Judge: r.Judge, Opening: r.Opening, Raw: r.Vote})
	case Proof:
		h, err := m.recall(r.Task, r.Round, r.At)
		if err != nil {
			return err
		}
		h.proofs = append(h.proofs, r)
		h.addCommit(Commit{r.Task, r.Round, r.Judge, r.A})
		h.addCommit(Commit{r.Task, r.Round, r.Judge, r.B})
	default:
		return fmt.Errorf("%T is no record", r)
	}
	return nil
}

// recall returns the round that a record is about.
func (m *Machine) recall(task Key, round uint8, at int64) (*roundState, error) {
	if round == 0 || round > MaxRound {
		return nil, fmt.Errorf("round %d", round)
	}
	c := m.cases.find(task)
	if c == nil {
		c = &caseState{task: task, gone: true}
		m.cases.add(c)
	}
	c.goneAt = max(c.goneAt, at)
	return c.round(round), nil
}

// distrusts reports whether an earlier journal may have held a vote in the round of the look: it
// was drawn before this journal was made. The slack covers rounds that were drawn, rolled back and
// drawn again. When the reveal began early the time of the draw comes out earlier than it was,
// which is the safe side.
func (s *self) distrusts(c *caseState) bool {
	drawn := c.chain.CommitEnds - int64(c.chain.Rules.CommitSeconds)
	return s.born != 0 && drawn <= s.born+int64(s.cfg.Params.FreshSlack)
}
