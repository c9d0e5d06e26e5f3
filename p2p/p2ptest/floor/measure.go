//go:build unix

package floor

import (
	"slices"
	"syscall"
	"testing"
	"time"
)

// Median returns the middle one of some values, or the upper of two. There must be at least one
// value.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// Ratios returns the pairwise ratios of measurements made in turn, in ascending order.
func Ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	slices.Sort(out)
	return out
}

// Ratio returns the median of the pairwise ratios of measurements made in turn. A slow moment of
// the machine slows both of a pair.
func Ratio(a, b []float64) float64 { return Median(Ratios(a, b)) }

// Span is processor time and time between two moments.
type Span struct{ CPU, Wall time.Duration }

// Stopwatch begins a Span. The returned function ends it.
func Stopwatch(t testing.TB) func() Span {
	t.Helper()
	start, used := time.Now(), CPU(t)
	return func() Span {
		t.Helper()
		return Span{CPU(t) - used, time.Since(start)}
	}
}

// Idle measures for a while which share of a processor this process uses without work.
func Idle(t testing.TB, d time.Duration) float64 {
	t.Helper()
	stop := Stopwatch(t)
	time.Sleep(d)
	s := stop()
	return s.CPU.Seconds() / s.Wall.Seconds()
}

// Above returns the processor time in milliseconds of a span, minus that of the idle process.
func (s Span) Above(idle float64) float64 { return (s.CPU.Seconds() - idle*s.Wall.Seconds()) * 1000 }

// Millis returns the length of a span in milliseconds.
func (s Span) Millis() float64 { return s.Wall.Seconds() * 1000 }

// CPU returns the processor time that this process has used.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
