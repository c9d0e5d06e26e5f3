package model

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// TestMetrics checks the metrics that an operator sees.
func TestMetrics(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		reg := prometheus.NewRegistry()
		m, n := a.host("m", fails(429, 1)), a.host("n", takes(time.Minute))
		m.CompletionPrice = 2
		l := opened(t, config(m, n), func(d *Deps) { d.Transport, d.Metrics = a, reg })
		for _, want := range []string{"n", "m", "m"} { // m is busy, and rests; then it answers
			reply, _, err := within(t, l, 5*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "model", reply.Model, want)
			time.Sleep(minRest)
		}
		l.rungs[0].pace.struck(time.Now(), 0)
		if reply, _, err := within(t, l, 30*time.Second); err != nil || reply.Model != "m" { // n is too slow
			t.Error(reply, err)
		}
		got := gathered(t, reg)
		for name, want := range map[string]float64{
			"calls_total m answered": 3, "calls_total m busy": 1, "calls_total n answered": 1, "skipped_total n": 1,
			"tokens_total completion m": 15, "tokens_total prompt m": 30, "tokens_total prompt n": 10,
			"cost_micros_total m": 30, "cost_micros_total n": 0,
		} {
			same(t, name, got["ojud_model_"+name], want)
		}
		if _, err := New(config(m), Deps{Metrics: reg}); err == nil {
			t.Error("metrics are registered twice")
		}
	})
}

// gathered returns the counters by name and label values.
func gathered(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, label := range m.GetLabel() {
				name += fmt.Sprintf(" %s", label.GetValue())
			}
			out[name] = m.GetCounter().GetValue()
		}
	}
	return out
}
