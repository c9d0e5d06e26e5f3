package datasource

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/metrics"
)

// counts are the metrics of the requests to the sources.
type counts struct {
	*metrics.Group
	sources prometheus.Gauge
	answers *prometheus.CounterVec   // source, result
	seconds *prometheus.HistogramVec // source
}

func newCounts(reg prometheus.Registerer) (*counts, error) {
	g := metrics.New("ojud_datasource_")
	m := &counts{
		Group:   g,
		sources: g.Gauge("sources", "Sources in force."),
		answers: g.Counters("answers_total", "Requests by source and result: fetched, cached, or the class of the error.", "source", "result"),
		seconds: g.Seconds("upstream_seconds", "How long a call of the upstream took, with the wait for a turn.",
			[]float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}, "source"),
	}
	return m, g.Register(reg)
}

// answered counts a request of an existing source, so that strangers cannot make up labels.
func (m *counts) answered(source string, a Answer, err error) {
	result := "fetched"
	switch {
	case errors.Is(err, context.Canceled):
		result = "given up"
	case err != nil:
		result = Reason(err)
	case a.Cached:
		result = "cached"
	}
	m.answers.WithLabelValues(source, result).Inc()
}

func (m *counts) called(source string, took time.Duration) {
	m.seconds.WithLabelValues(source).Observe(took.Seconds())
}
