package memory

import (
	"github.com/prometheus/client_golang/prometheus"

	"ojud/metrics"
)

type counts struct {
	entries  prometheus.Gauge
	recalled prometheus.Counter
}

func newCounts(reg prometheus.Registerer) (*counts, error) {
	g := metrics.New("ojud_memory_")
	m := &counts{
		entries:  g.Gauge("entries", "Rounds of ended cases that the judge remembers."),
		recalled: g.Counter("recalled_total", "Earlier cases that the judge was shown."),
	}
	return m, g.Register(reg)
}
