// Package metrics makes the metrics of a package and registers them together.
package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Group has metrics whose names begin with its prefix.
type Group struct {
	prefix string
	all    []prometheus.Collector
}

// New returns an empty group. The prefix ends in an underscore.
func New(prefix string) *Group { return &Group{prefix: prefix} }

// Counter adds a counter.
func (g *Group) Counter(name, help string) prometheus.Counter {
	return add(g, prometheus.NewCounter(prometheus.CounterOpts{Name: g.prefix + name, Help: help}))
}

// Counters adds counters with labels.
func (g *Group) Counters(name, help string, labels ...string) *prometheus.CounterVec {
	return add(g, prometheus.NewCounterVec(prometheus.CounterOpts{Name: g.prefix + name, Help: help}, labels))
}

// Gauge adds a gauge.
func (g *Group) Gauge(name, help string) prometheus.Gauge {
	return add(g, prometheus.NewGauge(prometheus.GaugeOpts{Name: g.prefix + name, Help: help}))
}

// Seconds adds histograms of times with labels.
func (g *Group) Seconds(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return add(g, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: g.prefix + name, Help: help, Buckets: buckets}, labels))
}

func add[C prometheus.Collector](g *Group, c C) C {
	g.all = append(g.all, c)
	return c
}

// Register registers all metrics or none. Without a registry they are not exported.
func (g *Group) Register(reg prometheus.Registerer) error {
	if reg == nil {
		return nil
	}
	for i, c := range g.all {
		if err := reg.Register(c); err != nil {
			for _, done := range g.all[:i] {
				reg.Unregister(done)
			}
			return fmt.Errorf("registering the metrics %s*: %w", g.prefix, err)
		}
	}
	return nil
}

// Unregister undoes Register.
func (g *Group) Unregister(reg prometheus.Registerer) {
	if reg == nil {
		return
	}
	for _, c := range g.all {
		reg.Unregister(c)
	}
}
