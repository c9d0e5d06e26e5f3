package record

import (
	"path/filepath"
	"slices"
	"testing"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// openJournal opens a journal of its own.
func openJournal(t *testing.T, dir string) *journal.Journal {
	t.Helper()
	cfg := journal.DefaultConfig()
	cfg.Dir = dir
	j, err := journal.Open(cfg, journal.Identity{Network: voting.Hash{1}, Program: voting.Key{2}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// look returns a look at a case of three seats that was decided at that time.
func look(task byte, at int64, choices ...voting.Choice) ledger.Look {
	c := &program.Case{Status: voting.Decided, Round: 1, Verdict: voting.ForWorker, SettledAt: at}
	for i, choice := range choices {
		s := program.Seat{Judge: onchain.Address{byte(i + 1)}, Choice: choice}
		if choice != voting.NoChoice {
			s.Flags = program.SeatCommitted | program.SeatRevealed
		}
		c.Seats = append(c.Seats, s)
	}
	return ledger.Look{ID: onchain.Address{task, byte(at), byte(at >> 8)}, Case: c}
}

// TestDecisions: decided rounds are in the book once, as the last look shows them, and are still
// there when the journal is opened again. Other rounds leave no entry.
func TestDecisions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, dir)
	a, err := OpenDecisions(j.Rounds())
	if err != nil {
		t.Fatal(err)
	}
	undecided, live, equivocated := look(3, 1, voting.Accept), look(4, 1, voting.Accept), look(5, 1, voting.Accept, voting.Accept)
	undecided.Case.Status, undecided.Case.Verdict = voting.EndedUndecided, voting.Undecided
	live.Case.Status, live.Case.Verdict = voting.Revealing, voting.NoVerdict
	equivocated.Case.Seats[1].Flags |= program.SeatEquivocated
	for _, l := range []ledger.Look{
		look(1, 1, voting.Accept, voting.Accept, voting.NoChoice), look(1, 1, voting.Accept, voting.Reject, voting.NoChoice),
		look(1, 1, voting.Accept, voting.Reject, voting.NoChoice), undecided, live, equivocated, {ID: onchain.Address{9}},
	} {
		if err := a.See(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = openJournal(t, dir)
	if a, err = OpenDecisions(j.Rounds()); err != nil {
		t.Fatal(err)
	}
	got := a.All()
	slices.SortFunc(got, func(x, y panel.DecidedRound) int { return int(x.Case[0]) - int(y.Case[0]) })
	if len(got) != 2 || len(got[0].Votes) != 3 || voting.Choice(got[0].Votes[1].Choice) != voting.Reject || got[1].Votes[1].Choice != casefile.Choice(voting.NoChoice) {
		t.Errorf("%+v", got)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDecisionsAreBounded: beyond 4,096 rounds the oldest is forgotten, on disk too.
func TestDecisionsAreBounded(t *testing.T) {
	j := openJournal(t, t.TempDir())
	a := &Decisions{store: j.Rounds(), rounds: map[round]panel.DecidedRound{}}
	oldest := decision(casefile.Address(look(1, 1).ID), look(1, 1, voting.Accept).Case)
	if err := a.See(look(1, 1, voting.Accept)); err != nil {
		t.Fatal(err)
	}
	for i := range int64(maxDecisions - 1) { // in memory alone, because a sync of the disk for each takes long
		l := look(1, i+2, voting.Accept)
		p := decision(casefile.Address(l.ID), l.Case)
		a.rounds[roundOf(p)] = p
	}
	if err := a.See(look(2, 5, voting.Accept)); err != nil {
		t.Fatal(err)
	}
	kept, err := j.Rounds().All()
	if _, there := a.rounds[roundOf(oldest)]; err != nil || there || len(a.All()) != maxDecisions || len(kept) != 1 || kept[0].Case[0] != 2 {
		t.Errorf("%d in the book, %d on disk, the oldest is there: %v, %v", len(a.All()), len(kept), there, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
