package rpc

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics count the calls of a Caller.
type Metrics struct {
	calls    *prometheus.CounterVec // method, result
	seconds  *prometheus.HistogramVec
	retries  *prometheus.CounterVec // reason
	inFlight prometheus.Gauge
}

// NewMetrics makes metrics whose names begin with a prefix. It does not register them.
func NewMetrics(prefix string) *Metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, labels)
	}
	return &Metrics{
		calls: counters("calls_total", "Attempts of calls to the RPC node, by method and result.", "method", "result"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: prefix + "call_seconds", Help: "How long an attempt took, with the wait for a turn.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method"}),
		retries:  counters("retries_total", "Calls tried again, by reason.", "reason"),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + "calls_in_flight", Help: "Calls under way."}),
	}
}

// All returns the metrics, to be registered.
func (m *Metrics) All() []prometheus.Collector {
	return []prometheus.Collector{m.calls, m.seconds, m.retries, m.inFlight}
}

func (m *Metrics) call(method, result string, took time.Duration) {
	m.calls.WithLabelValues(method, result).Inc()
	m.seconds.WithLabelValues(method).Observe(took.Seconds())
}
