package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/p2p/p2ptest"
)

var (
	oneSeed   = flag.Uint64("sim.seed", 0, "the seed that TestSeed plays")
	simTime   = flag.Duration("sim.time", 0, "how long TestSim plays seeds; 0: three seeds")
	firstSeed = flag.Uint64("sim.first", 0, "the first seed that TestSim plays")
	workers   = flag.Int("sim.workers", 2, "how many seeds TestSim plays at once")
	report    = flag.String("sim.report", "", "where TestSeed writes what it covered, as JSON")
)

// play runs a plan on fake time and returns the broken properties and the coverage.
func play(t *testing.T, p plan, out io.Writer) (broken []string, cov *coverage) {
	t.Helper()
	cov = newCoverage()
	p2ptest.Run(t, func(t *testing.T) { broken = run(t, p, cov, out) })
	return broken, cov
}

// TestSeed plays one seed; verbose prints a trace.
func TestSeed(t *testing.T) {
	p := newPlan(*oneSeed)
	var out io.Writer
	if testing.Verbose() {
		out = os.Stdout
		t.Logf("%s", p)
	}
	broken, cov := play(t, p, out)
	for _, b := range broken {
		t.Error(b)
	}
	if testing.Verbose() {
		if err := cov.print(os.Stdout); err != nil {
			t.Error(err)
		}
	}
	if *report == "" {
		return
	}
	raw, err := json.Marshal(cov)
	if err == nil {
		err = os.WriteFile(*report, raw, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

// shortSeeds are those of plain `go test`: they take some seconds together.
var shortSeeds = []uint64{0, 3, 44}

// TestSim plays seeds. The coverage checks that every planned fault happened.
func TestSim(t *testing.T) {
	if *simTime > 0 {
		long(t)
		return
	}
	for _, seed := range shortSeeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := newPlan(seed)
			broken, cov := play(t, p, nil)
			for _, b := range broken {
				t.Error(b)
			}
			for what, n := range cov.Planned {
				if cov.Begun[what] != n || cov.Effects[what] == 0 {
					t.Errorf("%s was planned %d times, begun %d times and had %d effects", what, n, cov.Begun[what], cov.Effects[what])
				}
			}
			if cov.Ends["cases"] != len(p.cases) || cov.Ends["case files verified"] == 0 || len(p.events) == 0 {
				t.Errorf("%+v of\n%s", cov.Ends, p)
			}
		})
	}
}

// tooLong is the limit for one seed. The largest take 90 s of processor time, and the machine may
// be busy.
const tooLong = 20 * time.Minute

// long plays seeds, each in a process of its own, until the time is over.
func long(t *testing.T) {
	var mu sync.Mutex
	sum, began, next, done, failed := newCoverage(), time.Now(), *firstSeed, 0, 0
	take := func() (seed uint64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, time.Since(began) < *simTime
	}
	dir := t.TempDir()
	var group sync.WaitGroup
	for range *workers {
		group.Go(func() {
			for seed, ok := take(); ok; seed, ok = take() {
				cov, said, err := apart(t, seed, filepath.Join(dir, fmt.Sprint(seed)))
				mu.Lock()
				done++
				sum.add(cov)
				if err != nil {
					failed++
					t.Fail()
					fmt.Printf("seed %d after %s: %v\n%s\nagain, with a trace: go test ./node/sim -run 'TestSeed$' -v -count=1 -sim.seed %d\n",
						seed, time.Since(began).Round(time.Second), err, said, seed)
				}
				fmt.Printf("%6s  seed %-6d %d seeds, %d failed, %d cases, %d rounds\n", time.Since(began).Round(time.Second), seed, done, failed, sum.Ends["cases"], sum.Ends["rounds"])
				mu.Unlock()
			}
		})
	}
	group.Wait()
	fmt.Printf("\n%d seeds in %s, %d failed\n\n", done, time.Since(began).Round(time.Second), failed)
	if err := sum.print(os.Stdout); err != nil {
		t.Error(err)
	}
	if idle := sum.idle(); len(idle) > 0 {
		fmt.Printf("not seen: %s\n", strings.Join(idle, ", "))
		if *simTime >= 10*time.Minute {
			t.Errorf("not seen: %s", strings.Join(idle, ", "))
		}
	}
}

// apart plays a seed in another process, so that one that hangs or panics is a failure of that
// seed.
func apart(t *testing.T, seed uint64, file string) (cov *coverage, said string, err error) {
	cov = newCoverage()
	self, err := os.Executable()
	if err != nil {
		return cov, "", err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestSeed$", "-test.timeout", tooLong.String(), "-sim.seed", fmt.Sprint(seed), "-sim.report", file)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("it failed: %w", err)
	}
	raw, bad := os.ReadFile(file)
	if bad == nil {
		bad = json.Unmarshal(raw, cov)
	}
	if bad != nil && err == nil {
		err = errors.Join(err, bad)
	}
	return cov, excerpt(out.String()), err
}

// excerpt returns enough of an output to see what failed.
func excerpt(s string) string {
	const most = 3_000
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
