package model

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent"
	"ojud/metrics"
)

// counts have the owner's names of models and fixed words as labels.
type counts struct {
	calls   *prometheus.CounterVec // model, result
	tokens  *prometheus.CounterVec // model, kind
	cost    *prometheus.CounterVec // model
	skipped *prometheus.CounterVec // model
	seconds *prometheus.HistogramVec
}

func newCounts(reg prometheus.Registerer) (*counts, error) {
	g := metrics.New("ojud_model_")
	m := &counts{
		calls:   g.Counters("calls_total", "Requests to model servers by result: answered, or why not.", "model", "result"),
		tokens:  g.Counters("tokens_total", "Tokens by kind, prompt or completion; estimated where the server does not say.", "model", "kind"),
		cost:    g.Counters("cost_micros_total", "Millionths of a US dollar by the configured prices.", "model"),
		skipped: g.Counters("skipped_total", "Times a model was left out because it is too slow for the time left.", "model"),
		seconds: g.Seconds("seconds", "From a request to its answer or fault.", []float64{0.1, 0.3, 1, 3, 10, 30, 60, 120, 300}, "model", "result"),
	}
	return m, g.Register(reg)
}

func (m *counts) request(model, result string, u agent.Usage) {
	m.calls.WithLabelValues(model, result).Inc()
	m.tokens.WithLabelValues(model, "prompt").Add(float64(u.Prompt))
	m.tokens.WithLabelValues(model, "completion").Add(float64(u.Completion))
	m.cost.WithLabelValues(model).Add(float64(u.Cost))
	m.seconds.WithLabelValues(model, result).Observe(u.Time.Seconds())
}

func (m *counts) slow(model string) { m.skipped.WithLabelValues(model).Inc() }

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
