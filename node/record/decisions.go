package record

import (
	"cmp"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/voting"
)

// maxDecisions bounds the decided rounds that a node remembers: the newest ones, about 1,100 bytes
// each.
const maxDecisions = 4096

type decisionStore interface {
	All() ([]panel.DecidedRound, error)
	Put(p panel.DecidedRound) error
	Drop(all ...panel.DecidedRound) error
}

// Decisions remembers decided rounds: the vote of each judge, and the verdict. They are on disk,
// because case accounts are closed a day after the verdict. A void round has no verdict and teaches
// nothing.
type Decisions struct {
	store decisionStore

	mu     sync.Mutex
	rounds map[round]panel.DecidedRound
}

// OpenDecisions reads the store.
func OpenDecisions(store decisionStore) (*Decisions, error) {
	all, err := store.All()
	if err != nil {
		return nil, err
	}
	d := &Decisions{store: store, rounds: map[round]panel.DecidedRound{}}
	for _, p := range all {
		d.rounds[roundOf(p)] = p
	}
	return d, nil
}

func roundOf(p panel.DecidedRound) round { return round{voting.Key(p.Case), p.Round} }

// See takes a look at a case. If it is decided, its round is on disk before See returns. A look
// that shows a round differently from an earlier one replaces it, because a block may be dropped
// before it is final.
func (d *Decisions) See(l ledger.Look) error {
	const _ = uint(6 - voting.Statuses) // does a seventh status show a decided round?
	const _ = uint(3 - voting.Verdicts) // is a round with a fourth verdict decided?
	if l.Case == nil || l.Case.Status != voting.Decided || l.Case.Verdict != voting.ForWorker && l.Case.Verdict != voting.ForCreator {
		return nil
	}
	p := decision(casefile.Address(l.ID), l.Case)
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.rounds[roundOf(p)]; ok && old.At == p.At && old.Verdict == p.Verdict && slices.Equal(old.Votes, p.Votes) {
		return nil
	}
	if err := d.store.Put(p); err != nil {
		return err
	}
	d.rounds[roundOf(p)] = p
	return d.prune()
}

// prune forgets the oldest rounds beyond maxDecisions. The caller holds mu.
func (d *Decisions) prune() error {
	if len(d.rounds) <= maxDecisions {
		return nil
	}
	all := d.list()
	slices.SortFunc(all, func(x, y panel.DecidedRound) int {
		return cmp.Or(cmp.Compare(y.At, x.At), slices.Compare(x.Case[:], y.Case[:]), cmp.Compare(x.Round, y.Round))
	})
	if err := d.store.Drop(all[maxDecisions:]...); err != nil {
		return err
	}
	for _, p := range all[maxDecisions:] {
		delete(d.rounds, roundOf(p))
	}
	return nil
}

// All returns the rounds, in any order. The caller must not change their votes.
func (d *Decisions) All() []panel.DecidedRound {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.list()
}

func (d *Decisions) list() []panel.DecidedRound {
	out := make([]panel.DecidedRound, 0, len(d.rounds))
	for _, p := range d.rounds {
		out = append(out, p)
	}
	return out
}

// firstLevel is the level of a verdict that the first panel gave.
const firstLevel = 1

func decision(task casefile.Address, c *program.Case) panel.DecidedRound {
	round, seats := c.Round, c.Seats
	if c.Level == firstLevel && c.AppealSeats > 0 { // the appeal decided nothing
		round, seats = c.FirstRound, c.First
	}
	p := panel.DecidedRound{Case: task, Round: round, At: c.SettledAt, Verdict: casefile.Verdict(c.Verdict)}
	for _, s := range seats {
		choice := voting.Seat{
			Choice: s.Choice, Revealed: s.Flags&program.SeatRevealed != 0, Equivocated: s.Flags&program.SeatEquivocated != 0,
		}
		p.Votes = append(p.Votes, panel.DecidedVote{Judge: casefile.Address(s.Judge), Choice: casefile.Chosen(choice)})
	}
	return p
}
