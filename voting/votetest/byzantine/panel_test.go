package byzantine_test

import (
	"flag"
	"testing"
	"time"

	"ojud/voting"
	"ojud/voting/votetest/byzantine"
)

var (
	flagRounds = flag.Int("rounds", panelRounds, "rounds that TestRounds plays")
	flagSeed   = flag.Uint64("seed", 1, "the first seed of TestRounds")
	flagTime   = flag.Duration("rounds.for", time.Hour, "when TestRounds ends although there are rounds left")
	flagF      = flag.Int("byzantine", 9, "byzantine judges of the 28 in TestRounds")
	flagCases  = flag.Int("control.cases", 10, "cases of TestRoundsControl for each number of byzantine judges")
	flagTraces = flag.Int("traces", 2, "seeds of TestPanelDeterminism")
)

// tally adds up panels.
type tally struct {
	cases, rounds, wrong, undecided, equivocators, convicted, escaped, faults int
	verdicts                                                                  [voting.Undecided + 1]int
	strategies                                                                [byzantine.Mixed + 1]int
}

func (s *tally) play(t testing.TB, o byzantine.PanelOptions) byzantine.PanelResult {
	t.Helper()
	r, err := byzantine.Play(o)
	if err != nil {
		t.Fatal(err)
	}
	s.cases++
	s.rounds += r.Rounds
	s.equivocators += r.Equivocators
	s.convicted += r.Convicted
	s.escaped += r.Escaped
	s.faults += len(r.Faults)
	s.verdicts[r.Verdict]++
	s.strategies[o.Strategy] += r.Rounds
	if r.Wrong {
		s.wrong++
	}
	if o.Answer != voting.NoChoice && r.Verdict == voting.Undecided {
		s.undecided++
	}
	return r
}

// TestRounds plays protocol rounds of 28 judges of whom nine are byzantine, each strategy in its
// turn: no promise is broken.
func TestRounds(t *testing.T) {
	var s tally
	end := time.Now().Add(*flagTime)
	for seed := *flagSeed; s.rounds < *flagRounds && time.Now().Before(end); seed++ {
		o := byzantine.RandomPanel(seed, *flagF)
		for _, fault := range s.play(t, o).Faults {
			t.Errorf("seed %d, %s: %s", seed, o.Strategy, fault)
		}
		if s.faults > 100 {
			t.Fatal("enough")
		}
	}
	t.Logf("%d rounds in %d cases, verdicts %v, %d wrong, %d undecided, %d of %d equivocators convicted and %d escaped with a void round, %d faults",
		s.rounds, s.cases, s.verdicts, s.wrong, s.undecided, s.convicted, s.equivocators, s.escaped, s.faults)
	for i := byzantine.Missing; i <= byzantine.Mixed; i++ {
		t.Logf("%-18s %d rounds", i, s.strategies[i])
	}
}

// TestHalves: two judges who were told one statement each find each other, although both are cut
// off until 90 s after the case.
func TestHalves(t *testing.T) {
	var s tally
	for seed := range uint64(20) {
		o := byzantine.RandomPanel(seed, 5)
		o.Strategy, o.Crashes = byzantine.Halves, 0
		for _, fault := range s.play(t, o).Faults {
			t.Errorf("seed %d: %s", seed, fault)
		}
	}
	if s.convicted < 50 {
		t.Errorf("%d of %d equivocators convicted in %d cases", s.convicted, s.equivocators, s.cases)
	}
}

// TestRoundsControl: with ten byzantine judges, and with fourteen, the answer of the honest ones is
// no longer safe. One verdict a round, the same for all, the rule of the verdict and the evidence
// against equivocators do not depend on their number.
func TestRoundsControl(t *testing.T) {
	for _, f := range []int{10, 14} {
		var s tally
		for seed := range *flagCases {
			o := byzantine.RandomPanel(uint64(seed), f)
			for _, fault := range s.play(t, o).Faults {
				t.Errorf("%d byzantine, seed %d, %s: %s", f, seed, o.Strategy, fault)
			}
		}
		t.Logf("%d byzantine, %d cases: %d times the wrong verdict, %d times none; %d of %d equivocators convicted",
			f, s.cases, s.wrong, s.undecided, s.convicted, s.equivocators)
		if s.wrong == 0 || s.undecided == 0 || s.equivocators == 0 {
			t.Errorf("%d byzantine judges do no harm", f)
		}
	}
}

// TestSabotage: each protection that is taken away is missed.
func TestSabotage(t *testing.T) {
	for sabotage, strategy := range map[byzantine.Sabotage]byzantine.Strategy{
		byzantine.NoEvidence: byzantine.Equivocate, byzantine.NoJournal: byzantine.Missing, byzantine.TwoTruths: byzantine.Collude,
		byzantine.LooseCount: byzantine.Collude,
	} {
		faults := 0
		for seed := range uint64(12) {
			o := byzantine.RandomPanel(seed, 9)
			o.Strategy, o.Sabotage = strategy, sabotage
			if sabotage == byzantine.NoJournal {
				o.Crashes = 6
			}
			if sabotage == byzantine.LooseCount {
				o.Answer, o.Byzantine = voting.Accept, 12
			}
			r, err := byzantine.Play(o)
			if err != nil {
				t.Fatal(err)
			}
			if faults += len(r.Faults); faults > 0 {
				t.Logf("sabotage %d, seed %d: %s", sabotage, seed, r.Faults[0])
				break
			}
		}
		if faults == 0 {
			t.Errorf("sabotage %d goes unnoticed", sabotage)
		}
	}
}

// TestPanelDeterminism: one seed gives one trace, and a loop over a map in the sending is noticed.
func TestPanelDeterminism(t *testing.T) {
	trace := func(o byzantine.PanelOptions) uint64 {
		r, err := byzantine.Play(o)
		if err != nil {
			t.Fatal(err)
		}
		return r.Trace
	}
	different, planted := map[uint64]bool{}, 0
	for seed := range uint64(*flagTraces) {
		o := byzantine.RandomPanel(seed, 9)
		first := trace(o)
		if second := trace(o); second != first {
			t.Errorf("seed %d: %x, then %x", seed, first, second)
		}
		different[first] = true
		o.Sabotage = byzantine.MapOrder
		if seed > 1 {
			continue
		}
		if first = trace(o); trace(o) != first {
			planted++
		}
	}
	if len(different) != *flagTraces || planted == 0 {
		t.Errorf("%d traces of %d seeds; %d loops over a map noticed", len(different), *flagTraces, planted)
	}
	t.Logf("%d of %d seeds with one trace each", len(different), *flagTraces)
}
