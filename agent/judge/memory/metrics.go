package memory

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	entries  prometheus.Gauge
	recalled prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		entries:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "ojud_memory_entries", Help: "Rounds of ended cases that the judge remembers."}),
		recalled: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_memory_recalled_total", Help: "Earlier cases that the judge was shown."}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.entries, m.recalled} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("memory: metrics: %w", err)
		}
	}
	return m, nil
}
