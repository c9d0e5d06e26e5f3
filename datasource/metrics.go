package datasource

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count the requests to the sources. Without a registry they are not exported.
type metrics struct {
	sources prometheus.Gauge
	answers *prometheus.CounterVec   // source, result
	seconds *prometheus.HistogramVec // source
}

const metricPrefix = "ojud_datasource_"

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		sources: prometheus.NewGauge(prometheus.GaugeOpts{Name: metricPrefix + "sources", Help: "Sources in force."}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: metricPrefix + "answers_total", Help: "Requests by source and result: fetched, cached, or the class of the error.",
		}, []string{"source", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: metricPrefix + "upstream_seconds", Help: "How long a call of the upstream took, with the wait for a turn.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"source"}),
	}
	if reg == nil {
		return m, nil
	}
	for i, c := range m.all() {
		if err := reg.Register(c); err != nil {
			for _, done := range m.all()[:i] {
				reg.Unregister(done)
			}
			return nil, fmt.Errorf("datasource: registering metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.sources, m.answers, m.seconds}
}

func (m *metrics) unregister(reg prometheus.Registerer) {
	if reg == nil {
		return
	}
	for _, c := range m.all() {
		reg.Unregister(c)
	}
}

// answered counts a request of an existing source, so that strangers cannot make up labels.
func (m *metrics) answered(source string, a Answer, err error) {
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

func (m *metrics) called(source string, took time.Duration) {
	m.seconds.WithLabelValues(source).Observe(took.Seconds())
}
