package sequence_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ojud/programs/oju"
)

var (
	count = flag.Int("sequences", 600, "how many random sequences to run")
	seed  = flag.Uint64("seed", 1, "which sequences: every seed has others")
	only  = flag.Int("only", -1, "replay this sequence of the seed alone, every call in the log")
	cores = flag.Int("cores", runtime.GOMAXPROCS(0), "how many sequences to run at a time")
	other = flag.String("elf", "", "attack this program file instead of the committed one")
)

// finding is a sequence that shows a fault of the program.
type finding struct {
	number int
	err    error
}

// program under attack.
func theELF(t testing.TB) []byte {
	t.Helper()
	if *other == "" {
		return oju.ELF()
	}
	elf, err := os.ReadFile(*other)
	if err != nil {
		t.Fatal(err)
	}
	return elf
}

// sequence runs one sequence. Its number and the seed determine it.
func sequence(from []*arena, number int, seen *coverage, f faults, story func(string, ...any)) error {
	r := rand.New(rand.NewPCG(*seed, uint64(number)))
	a := from[r.IntN(len(from))].fork(r)
	a.seen, a.faults, a.story = seen, f, story
	steps := 6 + r.IntN(36)
	seen.sequence++
	seen.longest = max(seen.longest, steps)
	seen.reached[a.court.name]++
	for n := range steps {
		if err := a.do(a.next()); err != nil {
			return fmt.Errorf("%s, call %d: %w", a.court.name, n, err)
		}
	}
	if number%8 == 0 && len(a.court.agents) > 0 {
		if err := a.finish(); err != nil {
			return fmt.Errorf("%s, at the end: %w", a.court.name, err)
		}
		seen.reached["brought to an end"]++
	}
	a.depth(seen)
	return nil
}

// next returns the next call of a sequence.
func (a *arena) next() *call {
	switch n := a.r.IntN(100); {
	case n < 66:
		return a.lawful()
	case n < 86:
		return a.bent(a.lawful())
	case n < 97:
		return a.wild()
	}
	a.give()
	return a.lawful()
}

// many runs sequences until all are done, one shows a fault, or the time is over. It reports every
// ten thousandth.
func many(elf []byte, n, workers int, f faults, until time.Time, tell func(begun int)) (*coverage, *finding, error) {
	var (
		next  atomic.Int64
		stop  atomic.Bool
		mu    sync.Mutex
		all   = newCoverage()
		found *finding
		fault error
		group sync.WaitGroup
	)
	work := func() error {
		s, err := newStage(elf)
		if err != nil {
			return err
		}
		from, err := s.beginnings()
		if err != nil {
			return err
		}
		seen := newCoverage()
		for !stop.Load() && (until.IsZero() || time.Now().Before(until)) {
			i := int(next.Add(1)) - 1
			if i >= n {
				break
			}
			if i > 0 && i%10_000 == 0 {
				tell(i)
			}
			if err := sequence(from, i, seen, f, nil); err != nil {
				stop.Store(true)
				mu.Lock()
				if found == nil || i < found.number {
					found = &finding{i, err}
				}
				mu.Unlock()
			}
		}
		mu.Lock()
		defer mu.Unlock()
		all.add(seen)
		return nil
	}
	for range workers {
		group.Go(func() {
			if err := work(); err != nil {
				mu.Lock()
				fault = err
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return all, found, fault
}

// TestSequences: for any calls in any order, the program does exactly what the protocol says.
func TestSequences(t *testing.T) {
	elf := theELF(t)
	if *only >= 0 {
		replay(t, elf, *only)
		return
	}
	began := time.Now()
	seen, found, err := many(elf, *count, *cores, faults{}, time.Time{}, func(begun int) {
		t.Logf("%d of %d sequences begun after %s", begun, *count, time.Since(began).Round(time.Second))
	})
	if err != nil {
		t.Fatal(err)
	}
	calls, _ := seen.total()
	t.Logf("%s\n%s, %.0f calls a second", seen, time.Since(began).Round(time.Millisecond), float64(calls)/time.Since(began).Seconds())
	if found != nil {
		t.Errorf("sequence %d: %v\nreplay: go test ./ledger/svm/difftest/sequence -run 'TestSequences$' -seed %d -only %d -v", found.number, found.err, *seed, found.number)
		return
	}
	covered(t, seen)
}

func replay(t *testing.T, elf []byte, number int) {
	s, err := newStage(elf)
	if err != nil {
		t.Fatal(err)
	}
	from, err := s.beginnings()
	if err != nil {
		t.Fatal(err)
	}
	if err := sequence(from, number, newCoverage(), faults{}, t.Logf); err != nil {
		t.Error(err)
	}
}

// rare instructions succeed only after a long row of others, which chance makes in manySequences,
// and mostly not in fewer.
var rare = []string{"appeal_challenge", "uphold_challenge"}

const manySequences = 20_000

// covered checks that every instruction succeeded and was refused, and that sequences went far.
func covered(t *testing.T, seen *coverage) {
	t.Helper()
	for name := range models {
		v := seen.of(name)
		if v.succeeded == 0 && name != "init_config" && (*count >= manySequences || !slices.Contains(rare, name)) {
			t.Errorf("%s was never carried out: run more -sequences", name)
		}
		if v.tried == v.succeeded {
			t.Errorf("%s was never refused: run more -sequences", name)
		}
	}
	for _, what := range []string{"verdict for the worker", "verdict for the creator", "undecided", "second round", "brought to an end", "equivocation", "judge that left"} {
		if seen.reached[what] == 0 {
			t.Errorf("no sequence reached: %s", what)
		}
	}
}
