package model

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent"
)

const metricPrefix = "ojud_model_"

// metrics count requests, tokens, cost and skipped models. Labels are the owner's names of models
// and fixed words.
type metrics struct {
	calls   *prometheus.CounterVec // model, result
	tokens  *prometheus.CounterVec // model, kind
	cost    *prometheus.CounterVec // model
	skipped *prometheus.CounterVec // model
	seconds *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: metricPrefix + name, Help: help}, labels)
	}
	m := &metrics{
		calls:   counters("calls_total", "Requests to model servers by result: answered, or why not.", "model", "result"),
		tokens:  counters("tokens_total", "Tokens by kind, prompt or completion; estimated where the server does not say.", "model", "kind"),
		cost:    counters("cost_micros_total", "Millionths of a US dollar by the configured prices.", "model"),
		skipped: counters("skipped_total", "Times a model was left out because it is too slow for the time left.", "model"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: metricPrefix + "seconds", Help: "From a request to its answer or fault.",
			Buckets: []float64{0.1, 0.3, 1, 3, 10, 30, 60, 120, 300}}, []string{"model", "result"}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.calls, m.tokens, m.cost, m.skipped, m.seconds} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("model: metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) request(model, result string, u agent.Usage) {
	m.calls.WithLabelValues(model, result).Inc()
	m.tokens.WithLabelValues(model, "prompt").Add(float64(u.Prompt))
	m.tokens.WithLabelValues(model, "completion").Add(float64(u.Completion))
	m.cost.WithLabelValues(model).Add(float64(u.Cost))
	m.seconds.WithLabelValues(model, result).Observe(u.Time.Seconds())
}

func (m *metrics) slow(model string) { m.skipped.WithLabelValues(model).Inc() }

func result(f *fault) string {
	if f == nil {
		return "answered"
	}
	for _, class := range []struct {
		err  error
		word string
	}{
		{ErrUnrecorded, "unrecorded"}, {agent.ErrRefused, "refused"}, {agent.ErrBusy, "busy"}, {agent.ErrDown, "down"},
		{agent.ErrGarbled, "garbled"}, {agent.ErrTooLarge, "large"},
	} {
		if errors.Is(f.class, class.err) {
			return class.word
		}
	}
	return "other"
}
