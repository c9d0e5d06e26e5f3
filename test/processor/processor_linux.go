// Package processor measures how much a processor has to do for a piece of work, also on a busy
// machine.
package processor

import (
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// quiet is what the reference takes on a processor of 2024 with nothing else to do.
const quiet = 9 * time.Millisecond

// runs is how often work is measured if it takes too long.
const runs = 7

// Time returns the processor time of work, which must not start goroutines that do a part of it.
// If it takes longer than allowed, it runs again a few times, and the least counts.
//
// Beside other work a processor is slower, because caches and execution units are shared. So a
// fixed piece of work, the reference, is measured before and after each further run. If it takes
// twice as long as on a quiet processor, half of the run's time counts.
func Time(t testing.TB, allowed time.Duration, work func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := thread(t, work)
	for i := 0; i < runs && least > allowed; i++ {
		before := thread(t, reference)
		took := thread(t, work)
		slowness := float64(before+thread(t, reference)) / float64(2*quiet)
		least = min(least, time.Duration(float64(took)/max(1, slowness)))
	}
	return least
}

// thread returns the processor time that this thread, which must be locked, takes for work.
func thread(t testing.TB, work func()) time.Duration {
	t.Helper()
	before := now(t)
	work()
	return now(t) - before
}

func now(t testing.TB) time.Duration {
	t.Helper()
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Nano())
}

// reference does what much of the measured work does: it compiles, searches a text and allocates.
func reference() {
	text := strings.Repeat("a word, a number 77 and a name: Žofie Ødegård; ", 3000)
	parts := regexp.MustCompile(`(?i)\b(\pL+)(?:[,;:]|\s+(\d+))`).FindAllStringSubmatch(text, -1)
	if len(parts) == 0 {
		panic("the reference found nothing")
	}
}
