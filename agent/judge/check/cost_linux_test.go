package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/demand"
	"ojud/test/longtest"
	"ojud/test/processor"
)

// most is the processor time of a demand.
const most = 200 * time.Millisecond

// TestCost: each demand on its most expensive value takes at most 200 ms of processor time, and
// what protocol section 2 prices it at. So all checks of a task take 2 s at most.
func TestCost(t *testing.T) {
	longtest.Only(t)
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

// within measures a function.
func within(t *testing.T, name string, price int, work func()) {
	t.Helper()
	allowed := min(most, time.Duration(price)*time.Millisecond)
	took := processor.Time(t, allowed, work)
	t.Logf("%-14s %s of %d ms", name, took.Round(time.Millisecond), price)
	if took > allowed {
		t.Errorf("%s takes %s of processor time; at most %s are allowed", name, took, allowed)
	}
}
