//go:build unix

package node

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ojud/p2p/p2ptest/floor"
)

// memory starts to measure the memory of the process. grown returns the increase since then, in
// bytes.
func memory(t testing.TB) (grown func() float64) {
	t.Helper()
	before := resident(t)
	return func() float64 { return resident(t) - before }
}

// resident returns the resident memory of this process after a collection, in bytes. Without /proc
// it counts Go's heap and stacks.
func resident(t testing.TB) float64 {
	t.Helper()
	debug.FreeOSMemory() // also collects
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	raw, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(raw))
	if err != nil || len(fields) < 2 {
		return float64(s.HeapAlloc + s.StackInuse)
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	return float64(pages * os.Getpagesize())
}

// syncTime returns the median time of a 4 KiB write and fsync, in milliseconds, in the journals'
// place.
func syncTime(t testing.TB) float64 {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "sync"))
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	block := make([]byte, 4096)
	for range 200 {
		start := time.Now()
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		all = append(all, time.Since(start).Seconds()*1000)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return floor.Median(all)
}

// table prints measurements for people.
type table struct{ samples []sample }

func (t table) line(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// head begins a block of figures.
func (t table) head(what string) { t.line("\n%-66s%10s%10s%10s", what, "median", "min", "max") }

// row prints the median and the extremes of a figure.
func (t table) row(what string, digits int, of func(sample) float64) {
	t.values(what, digits, t.col(of))
}

// ratio prints the pairwise ratios of two figures.
func (t table) ratio(what string, of, to func(sample) float64) {
	t.values(what, 2, floor.Ratios(t.col(of), t.col(to)))
}

func (t table) values(what string, digits int, values []float64) {
	t.line("  %-64s%10.*f%10.*f%10.*f", what, digits, floor.Median(values), digits, slices.Min(values), digits, slices.Max(values))
}

// col returns one figure of all samples.
func (t table) col(of func(sample) float64) []float64 {
	out := make([]float64, len(t.samples))
	for i, s := range t.samples {
		out[i] = of(s)
	}
	return out
}

// costs returns the cost of each seat of each case for its judge.
func (t table) costs() (out []float64) {
	for _, s := range t.samples {
		for _, lamports := range s.cost {
			out = append(out, float64(lamports))
		}
	}
	return out
}

// Ratios are made of these figures.
func direct(s sample) float64      { return s.direct }
func gossip(s sample) float64      { return s.gossip }
func whole(s sample) float64       { return s.votes }
func phase(s sample) float64       { return s.votes - s.overFirst }
func phaseOfLast(s sample) float64 { return s.votes - s.over }

// report prints the measurements, and the main ratios for tools.
func (c *court) report(b *testing.B, samples []sample, foreign string) {
	t := table{samples}
	t.line("\n%d cases of %d whole nodes in one process, loopback TCP, %d processors; slots of %s, votes of %d bytes.",
		len(samples), seats, runtime.NumCPU(), c.slot(), samples[0].notice)
	t.line("Others used %s of the processors meanwhile. Write and fsync of 4 KiB: %.2f ms, one disk for all nodes.", foreign, syncTime(c.b))
	t.head("milliseconds")
	t.row("bare direct streams, one exchange", 1, direct)
	t.row("bare gossipsub, one exchange", 1, gossip)
	t.row("last opinion to every vote on every disk", 1, whole)
	t.row("  of it: its commitment on every disk", 1, func(s sample) float64 { return s.commits })
	t.row("  of it: the first node sees on the chain that commits are over", 1, func(s sample) float64 { return s.overFirst })
	t.row("  from there: the last node sees it", 1, func(s sample) float64 { return s.over - s.overFirst })
	t.row("  from the first node to every vote on every disk", 1, phase)
	t.row("  from the last node to every vote on every disk", 1, phaseOfLast)
	t.row("vote notices that came before their receiver saw the commits over", 0, func(s sample) float64 { return s.early })
	t.row(fmt.Sprintf("votes that no notice brought, of %d", seats*(seats-1)), 0, func(s sample) float64 { return float64(s.unheard) })
	t.head("pairwise ratios")
	t.ratio("whole : one direct exchange", whole, direct)
	t.ratio("whole : one gossip exchange", whole, gossip)
	t.ratio("whole : two gossip exchanges (commitments, votes)", whole, func(s sample) float64 { return 2 * s.gossip })
	t.ratio("votes, from the first node that sees the end of commits : direct", phase, direct)
	t.ratio("votes, from the first node that sees the end of commits : gossip", phase, gossip)
	t.head("processor milliseconds, all nodes and the chain")
	t.row("bare direct streams, one exchange", 0, func(s sample) float64 { return s.directCPU })
	t.row("last opinion to every vote on every disk", 0, func(s sample) float64 { return s.exchangeCPU })
	t.row("whole case, from the task to complete case files at all nodes", 0, func(s sample) float64 { return s.cpu })
	t.row("  (seconds that it took)", 1, func(s sample) float64 { return s.seconds })
	t.line("  (besides what all hosts use while nothing happens: %.1f %% of a processor)", c.idle*100)
	t.head("lamports per case")
	t.row("fees of all that the judges sent", 0, func(s sample) float64 { return float64(s.fees) })
	t.values("what a seat cost its judge, before what it earned", 0, t.costs())
	t.row("fees of all that the two parties sent", 0, func(s sample) float64 { return float64(s.parties) })
	t.line("\nMemory: %.1f MiB a whole idle node, %.1f MiB a bare connected host (resident, after a collection).\n",
		c.nodeMemory/(1<<20), c.bareMemory/(1<<20))
	b.ReportMetric(floor.Median(t.col(whole)), "last-opinion-to-votes-ms")
	b.ReportMetric(floor.Ratio(t.col(phase), t.col(direct)), "votes/direct")
	b.ReportMetric(floor.Ratio(t.col(phase), t.col(gossip)), "votes/gossip")
}
