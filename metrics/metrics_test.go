package metrics_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/metrics"
)

// TestRegister checks that a group is registered as a whole or not at all, and once.
func TestRegister(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	group := func(second string) *metrics.Group {
		g := metrics.New("x_")
		g.Gauge("a", "A.").Set(1)
		g.Counters(second, "B.", "why").WithLabelValues("late").Inc()
		g.Seconds("c", "C.", []float64{1}).WithLabelValues().Observe(2)
		g.Counter("d", "D.").Inc()
		return g
	}
	count := func() int {
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		return len(families)
	}
	reg.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "x_taken", Help: "T."}))
	if err := group("taken").Register(reg); err == nil || count() != 1 {
		t.Errorf("%v, %d families", err, count())
	}
	g := group("b")
	if err := g.Register(reg); err != nil || count() != 5 {
		t.Errorf("%v, %d families", err, count())
	}
	if err := group("b").Register(reg); err == nil || count() != 5 {
		t.Errorf("%v, %d families", err, count())
	}
	g.Unregister(reg)
	if g.Unregister(nil); count() != 1 || g.Register(nil) != nil {
		t.Errorf("%d families are left", count())
	}
}
