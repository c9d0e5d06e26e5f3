package check_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/demand"
)

// most is the processor time of a demand.
const most = 200 * time.Millisecond

// TestCost: each demand on its most expensive value takes at most 200 ms of processor time, and
// what protocol section 2 prices it at. So all checks of a task take 2 s at most.
func TestCost(t *testing.T) {
	for name, r := range hostile() {
		task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"input_data":` + input + `,"expected":[{"path":"/v",` + r.demand + `}]}`))
		if err != nil {
			t.Fatalf("%s: %v", r.demand, err)
		}
		papers, err := check.Read(task.Raw, []byte(`{"v":`+r.v+`}`))
		if err != nil {
			t.Fatal(err)
		}
		within(t, name, task.Value.Expected[0].Cost(), func() { check.Every(task.Value, papers) })
	}
	for name, demanded := range large(t) {
		price := demand.Demands{Translation: &demand.Translation{}}.Cost()
		if slices.Contains([]string{"noise", "photo", "drawing", "deep", "clear", "wide", "parts", "larger"}, name) {
			price = demand.Demands{Media: &demand.Media{}}.Cost()
		}
		if strings.HasPrefix(name, "in ") {
			price = demand.Demands{Grounded: &demand.Grounded{What: []demand.Named{demand.Names}}}.Cost()
		}
		within(t, name, price, func() {
			if err := demanded(); err != nil && strings.Contains(err.Error(), "the task has nothing") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// within measures a function. The least of three runs counts, because others use the machine.
func within(t *testing.T, name string, price int, work func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Hour
	for range 3 {
		before := processor(t)
		work()
		if least = min(least, processor(t)-before); least < most/20 {
			break
		}
	}
	t.Logf("%-14s %s of %d ms", name, least.Round(time.Millisecond), price)
	if allowed := min(most, time.Duration(price)*time.Millisecond); least > allowed {
		t.Errorf("%s takes %s of processor time; at most %s are allowed", name, least, allowed)
	}
}

// processor returns the processor time of this thread. The test must lock the thread.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Nano())
}
