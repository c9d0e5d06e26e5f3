package node

import (
	"cmp"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/ledger/program"
	"ojud/voting"
)

// maxSettled is how many decided rounds a node remembers, the newest: some 1,100 bytes each.
const maxSettled = 4096

// agreement is the node's book of decided rounds: who chose what, and what the verdict was. Case accounts are closed a day after the
// verdict, so that the book is on disk. A round that was void has no verdict and teaches nothing.
type agreement struct {
	store journal.Rounds

	mu     sync.Mutex
	rounds map[roundOf]panel.DecidedRound
}

// openAgreement reads what the journal has.
func openAgreement(store journal.Rounds) (*agreement, error) {
	all, err := store.All()
	if err != nil {
		return nil, err
	}
	a := &agreement{store: store, rounds: map[roundOf]panel.DecidedRound{}}
	for _, p := range all {
		a.rounds[pastOf(p)] = p
	}
	return a, nil
}

func pastOf(p panel.DecidedRound) roundOf { return roundOf{voting.Key(p.Case), p.Round} }

// see takes a look at a case: if it is decided, its round is in the book and on disk before see returns. A look that shows a round
// otherwise than the one before replaces it: a block may be dropped before it is final.
func (a *agreement) see(l ledger.Look) error {
	if l.Case == nil || l.Case.Status != voting.Decided || l.Case.Verdict != voting.ForWorker && l.Case.Verdict != voting.ForCreator {
		return nil
	}
	p := settled(casefile.Address(l.ID), l.Case)
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.rounds[pastOf(p)]; ok && old.At == p.At && old.Verdict == p.Verdict && slices.Equal(old.Votes, p.Votes) {
		return nil
	}
	if err := a.store.Put(p); err != nil {
		return err
	}
	a.rounds[pastOf(p)] = p
	return a.prune()
}

// prune forgets the oldest rounds beyond those that there is room for. The caller holds mu.
func (a *agreement) prune() error {
	if len(a.rounds) <= maxSettled {
		return nil
	}
	all := a.list()
	slices.SortFunc(all, func(x, y panel.DecidedRound) int {
		return cmp.Or(cmp.Compare(y.At, x.At), slices.Compare(x.Case[:], y.Case[:]), cmp.Compare(x.Round, y.Round))
	})
	if err := a.store.Drop(all[maxSettled:]...); err != nil {
		return err
	}
	for _, p := range all[maxSettled:] {
		delete(a.rounds, pastOf(p))
	}
	return nil
}

// seen returns the rounds, in any order. Their votes must not be changed.
func (a *agreement) seen() []panel.DecidedRound {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.list()
}

func (a *agreement) list() []panel.DecidedRound {
	out := make([]panel.DecidedRound, 0, len(a.rounds))
	for _, p := range a.rounds {
		out = append(out, p)
	}
	return out
}

// settled is the decided round of a case.
func settled(task casefile.Address, c *program.Case) panel.DecidedRound {
	p := panel.DecidedRound{Case: task, Round: c.Round, At: c.SettledAt, Verdict: casefile.Verdict(c.Verdict)}
	for _, s := range c.Seats {
		choice := voting.Seat{
			Choice: s.Choice, Revealed: s.Flags&program.SeatRevealed != 0, Equivocated: s.Flags&program.SeatEquivocated != 0,
		}
		p.Votes = append(p.Votes, panel.DecidedVote{Judge: casefile.Address(s.Judge), Choice: casefile.Chosen(choice)})
	}
	return p
}
