//go:build unix

package floor

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
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

// Machine is the load of the machine and of this process up to a moment.
type Machine struct {
	busy, total float64 // of all processors, seconds; total 0: the system does not say
	own         time.Duration
}

// ReadMachine reads the first line of /proc/stat: ticks of 10 ms in user, nice, system, idle,
// iowait, irq, softirq, steal.
func ReadMachine(t testing.TB) Machine {
	t.Helper()
	m := Machine{own: used(t)}
	raw, err := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(raw), "\n")
	fields := strings.Fields(line)
	if err != nil || len(fields) < 9 || fields[0] != "cpu" {
		return m
	}
	for i, f := range fields[1:9] {
		ticks, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return Machine{own: m.own}
		}
		m.total += ticks / 100
		if i != 3 && i != 4 {
			m.busy += ticks / 100
		}
	}
	return m
}

// Foreign returns the share of the machine used since then by others than this process and its
// ended children.
func (m Machine) Foreign(t testing.TB) string {
	t.Helper()
	now := ReadMachine(t)
	if m.total == 0 || now.total <= m.total {
		return "not known on this system"
	}
	share := max(0, now.busy-m.busy-(now.own-m.own).Seconds()) / (now.total - m.total)
	note := ""
	if share > 0.10 {
		note = " (NOISY: do not quote the times)"
	}
	return fmt.Sprintf("%.1f %%%s", share*100, note)
}

// used returns the processor time of this process and of its children that have ended.
func used(t testing.TB) time.Duration {
	t.Helper()
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		t.Fatal(err)
	}
	return CPU(t) + time.Duration(children.Utime.Nano()+children.Stime.Nano())
}
