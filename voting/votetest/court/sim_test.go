package court_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"ojud/test/longtest"
	"ojud/voting"
	"ojud/voting/votetest/court"
)

// flagSeeds is how many simulations TestCourt runs. make siege runs more of them.
var flagSeeds = flag.Int("seeds", fewSeeds, "simulations of TestCourt")

// TestMain makes the garbage collector lazier, because it takes a fifth of the time of simulations.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// run simulates and fails the test for every broken promise.
func run(t testing.TB, o court.Options) court.Totals {
	t.Helper()
	r, err := court.Run(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range r.Faults {
		t.Errorf("seed %d: %s", o.Seed, fault)
	}
	return r
}

// TestCourt runs courts of every kind: sizes, networks, faults, adversaries. What the referee
// checks is listed in referee.go. A plain "go test ./..." runs a third of them.
func TestCourt(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	seeds := *flagSeeds
	if !longtest.Wanted() {
		seeds /= 3
	}
	var sum court.Totals
	verdicts := make(map[voting.Verdict]int)
	for _, r := range runAll(t, seeds) {
		sum.Rounds += r.Rounds
		sum.Crashes += r.Crashes
		sum.Slashed += r.Slashed
		sum.Relayed += r.Relayed
		sum.Carried += r.Carried
		sum.VotesKnown += r.VotesKnown
		sum.VotesShown += r.VotesShown
		for _, v := range r.Verdicts {
			verdicts[v]++
		}
	}
	t.Logf("%d rounds, %d crashes, %d seats slashed, %d commits and %d reveals by others, %d of %d votes known, verdicts %v",
		sum.Rounds, sum.Crashes, sum.Slashed, sum.Carried, sum.Relayed, sum.VotesKnown, sum.VotesShown, verdicts)
	if sum.Rounds < seeds*2 || sum.Crashes < seeds || sum.Slashed < seeds/20 || sum.Relayed < seeds/20 || sum.Carried < seeds/20 {
		t.Error("the simulations do not reach what they are for")
	}
	for _, v := range []voting.Verdict{voting.ForWorker, voting.ForCreator, voting.Undecided} {
		if verdicts[v] < seeds/10 {
			t.Errorf("only %d cases ended with %s", verdicts[v], v)
		}
	}
	if sum.VotesKnown*100 < sum.VotesShown*94 {
		t.Errorf("only %d of %d votes were known to the other seats", sum.VotesKnown, sum.VotesShown)
	}
}

// runAll runs so many seeds on all processors.
func runAll(t *testing.T, seeds int) []court.Totals {
	results := make([]court.Totals, seeds)
	workers := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for seed := w; seed < seeds; seed += workers {
				r, err := court.Run(court.RandomOptions(uint64(seed)), nil)
				if err != nil {
					t.Error(err)
				}
				for _, fault := range r.Faults {
					t.Errorf("seed %d: %s", seed, fault)
				}
				results[seed] = r
			}
		})
	}
	wait.Wait()
	return results
}

// A quiet network of honest judges decides in the first round, and everybody knows everybody's
// vote.
func TestQuiet(t *testing.T) {
	for _, judges := range []int{3, 7, 28} {
		o := court.DefaultOptions(uint64(judges))
		o.Judges, o.Opinions.Reject = judges, 0
		r := run(t, o)
		if r.Rounds != 1 || r.Verdicts[0] != voting.ForWorker || r.VotesKnown*100 < r.VotesShown*75 {
			t.Errorf("%d judges: %+v", judges, r)
		}
	}
}

// Each adversary alone, and as many of them as the court must bear, against an honest rest that
// agrees.
func TestAdversaries(t *testing.T) {
	for a := court.Absent; a <= court.RelayEquivocator; a++ {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			for judges, count := range map[int]uint64{4: 3, 7: 3, 10: 3, 28: bigPanels} {
				for seed := range count {
					o := court.DefaultOptions(seed)
					o.Judges, o.Unrelated, o.Opinions.Reject = judges, true, 0
					for range (judges - 1) / 3 {
						o.Adversaries = append(o.Adversaries, a)
					}
					r := run(t, o)
					if len(r.Verdicts) != 1 || r.Verdicts[0] == voting.NoVerdict {
						t.Errorf("%d judges, seed %d: %v", judges, seed, r.Verdicts)
					}
					if two := a == court.Equivocator || a == court.LateEquivocator || a == court.RelayEquivocator; two != (r.Slashed > 0) {
						t.Errorf("%d judges, seed %d: %d slashed", judges, seed, r.Slashed)
					}
				}
			}
		})
	}
}

// A network that is split while its judges commit heals before they reveal. A withholder makes the
// reveals last, so that there is time to catch up: then everybody has everything.
func TestSplitHeals(t *testing.T) {
	for seed := range uint64(10) {
		o := court.DefaultOptions(seed)
		o.Judges, o.Unrelated, o.Adversaries = 10, true, []court.Adversary{court.Absent, court.Withholder}
		o.Network.Split = [2]int64{100_000, 360_000}
		if r := run(t, o); r.VotesKnown != r.VotesShown {
			t.Errorf("seed %d: %d of %d votes known", seed, r.VotesKnown, r.VotesShown)
		}
	}
}

// Judges without an RPC during the reveals are revealed by the others.
func TestBlindAreRelayed(t *testing.T) {
	relayed := 0
	for seed := range uint64(10) {
		o := court.DefaultOptions(seed)
		o.Ledger.Blind = 2
		o.Adversaries = []court.Adversary{court.Absent} // so that the reveal does not begin early
		relayed += run(t, o).Relayed
	}
	if relayed < 10 {
		t.Errorf("%d reveals relayed", relayed)
	}
}

// Judges that lose the chain at any time after they saw the draw, and judges that cannot pay a fee,
// are in the majority by the help of the others, who pay no more than they promise; the referee
// finds an absence. If no judge helps, it does.
func TestRelayed(t *testing.T) {
	for name, trouble := range map[string]func(*court.Options){
		"cut off":        func(o *court.Options) { o.Ledger.Cut = 3 },
		"poor":           func(o *court.Options) { o.Ledger.Poor = 3 },
		"blind at last":  func(o *court.Options) { o.Ledger.Blind = 3 },
		"lossy and slow": func(o *court.Options) { o.Ledger.Cut, o.Ledger.Poor, o.Network.Loss, o.Ledger.Drop = 2, 2, 100, 200 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			helped, alone := 0, 0
			for seed := range uint64(20) {
				o := court.DefaultOptions(seed)
				o.Judges, o.Unrelated = 10, true
				trouble(&o)
				r := run(t, o)
				helped += r.Carried + r.Relayed
				o.Selfish = true
				bad, err := court.Run(o, nil)
				if err != nil {
					t.Fatal(err)
				}
				alone += len(bad.Faults)
			}
			if helped < 15 || alone < 8 {
				t.Errorf("%d times others helped; where nobody does the referee finds %d absences", helped, alone)
			}
		})
	}
}

// Nodes that lose their disk again and again never equivocate, and those whose commitment had
// landed reveal it.
func TestLostDisks(t *testing.T) {
	for seed := range uint64(60) {
		o := court.DefaultOptions(seed)
		o.Faults.Crashes, o.Faults.Lost = 30, 30
		o.Cases = 3
		run(t, o)
	}
}

// A chain that goes back all the time still ends every case.
func TestRollbacks(t *testing.T) {
	for seed := range uint64(40) {
		o := court.DefaultOptions(seed)
		o.Ledger.Rollbacks, o.Faults.Crashes = 30, 5
		run(t, o)
	}
}

// trace simulates and returns the hash of the trace.
func trace(t *testing.T, o court.Options) voting.Hash {
	t.Helper()
	h := sha256.New()
	if _, err := court.Run(o, h); err != nil {
		t.Fatal(err)
	}
	return voting.Hash(h.Sum(nil))
}

// One seed gives one trace.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(25) {
		a, b := trace(t, court.RandomOptions(seed)), trace(t, court.RandomOptions(seed))
		if a != b {
			t.Errorf("seed %d: %s, then %s", seed, a, b)
		}
	}
	if trace(t, court.RandomOptions(1)) == trace(t, court.RandomOptions(2)) {
		t.Error("two seeds have one trace: the trace says nothing")
	}
}

// The method of TestDeterminism finds a planted fault: a loop over a map that decides the order of
// messages.
func TestDeterminismFindsMapOrder(t *testing.T) {
	o := court.DefaultOptions(1)
	o.PlantMapOrder = true
	first := trace(t, o)
	for range 10 {
		if trace(t, o) != first {
			return
		}
	}
	t.Error("a loop over a map went unnoticed ten times")
}

// The trace can be read.
func TestTraceIsText(t *testing.T) {
	var text bytes.Buffer
	if _, err := court.Run(court.DefaultOptions(1), &text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"submit draw", "ask-judge", "persist cast", "announce", "submit reveal", "submit settle", "forget"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the trace", want)
		}
	}
}

func TestImpossibleOptions(t *testing.T) {
	for _, o := range []court.Options{{}, {Judges: 3}, {Judges: 1, Cases: 1, Adversaries: make([]court.Adversary, 2)}} {
		if _, err := court.Run(o, nil); err == nil {
			t.Errorf("%+v was simulated", o)
		}
	}
}

// FuzzCourt looks for a seed that breaks a promise.
func FuzzCourt(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		o := court.RandomOptions(seed)
		o.Judges, o.Cases = min(o.Judges, 8), 1
		o.Adversaries = o.Adversaries[:min(len(o.Adversaries), o.Judges/3)]
		run(t, o)
	})
}

// BenchmarkRound measures whole rounds of quiet courts; rounds/s is the number to look at.
func BenchmarkRound(b *testing.B) {
	for _, judges := range []int{7, 28} {
		b.Run(map[int]string{7: "7", 28: "28"}[judges], func(b *testing.B) {
			rounds := 0
			for i := 0; b.Loop(); i++ {
				o := court.DefaultOptions(uint64(i))
				o.Judges = judges
				rounds += run(b, o).Rounds
			}
			b.ReportMetric(float64(rounds)/b.Elapsed().Seconds(), "rounds/s")
		})
	}
}
