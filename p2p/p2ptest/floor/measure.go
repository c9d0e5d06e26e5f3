//go:build unix

package floor

import (
	"slices"
	"syscall"
	"testing"
	"time"
)

// Median is the middle one of some values, of an even number of them the upper of the two; there must be at least one.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// Ratios are the pairwise ratios of what was measured in turn, in ascending order.
func Ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	slices.Sort(out)
	return out
}

// Ratio is the median of the pairwise ratios of what was measured in turn: a slow moment of the machine slows both of a pair.
func Ratio(a, b []float64) float64 { return Median(Ratios(a, b)) }

// Span is processor time and time between two moments.
type Span struct{ CPU, Wall time.Duration }

// Stopwatch begins a Span; what it returns ends it.
func Stopwatch(t testing.TB) func() Span {
	t.Helper()
	start, used := time.Now(), CPU(t)
	return func() Span {
		t.Helper()
		return Span{CPU(t) - used, time.Since(start)}
	}
}

// Idle measures for a while what share of a processor this process uses while nothing is asked of it.
func Idle(t testing.TB, d time.Duration) float64 {
	t.Helper()
	stop := Stopwatch(t)
	time.Sleep(d)
	s := stop()
	return s.CPU.Seconds() / s.Wall.Seconds()
}

// Above is the processor time in milliseconds that a span took beyond what the process uses while it is idle.
func (s Span) Above(idle float64) float64 { return (s.CPU.Seconds() - idle*s.Wall.Seconds()) * 1000 }

// Millis is how long a span took.
func (s Span) Millis() float64 { return s.Wall.Seconds() * 1000 }

// CPU is the processor time that this process has used.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
