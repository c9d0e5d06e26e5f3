//go:build unix

package floor

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

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
