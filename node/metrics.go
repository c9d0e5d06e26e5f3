package node

import (
	"cmp"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/node/status"
	"ojud/voting"
)

// metrics are the counters of the node itself. The packages below it have their own.
type metrics struct {
	refused prometheus.Counter
	dropped prometheus.Counter
	notices *prometheus.CounterVec
	submits *prometheus.CounterVec
	judged  prometheus.Histogram
	relays  prometheus.Counter
	abstain *prometheus.CounterVec
}

func newMetrics(reg *prometheus.Registry) *metrics {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Name: "ojud_node_" + name, Help: help}
	}
	m := &metrics{
		refused: prometheus.NewCounter(counter("events_refused_total", "Events that the core refused.")),
		dropped: prometheus.NewCounter(counter("inputs_dropped_total", "Notices dropped because the loop was busy; catch-up brings them again.")),
		notices: prometheus.NewCounterVec(counter("notices_total", "Notices from peers, by class."), []string{"class"}),
		submits: prometheus.NewCounterVec(counter("submits_total", "Transactions for cases, by operation and end."), []string{"op", "class"}),
		judged: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "ojud_node_opinion_seconds", Help: "Time the judge took.", Buckets: prometheus.ExponentialBuckets(0.01, 4, 8),
		}),
		relays: prometheus.NewCounter(counter("relay_requests_total", "Rounds in which others were asked to bring the own commitment "+
			"to the chain. What was relayed for others is in ojud_node_submits_total, operations relay_commit and relay_reveal.")),
	}
	m.abstain = prometheus.NewCounterVec(counter("abstentions_total", "Own abstentions, by reason: no_place, no_time, no_opinion, undecided."), []string{"reason"})
	for _, reason := range status.Reasons() {
		m.abstain.WithLabelValues(string(reason)) // from 0, so that an alert sees the first one
	}
	reg.MustRegister(m.refused, m.dropped, m.notices, m.submits, m.judged, m.relays, m.abstain)
	return m
}

func (m *metrics) notice(err error) {
	var fault *voting.NoticeError
	switch {
	case err == nil:
		m.notices.WithLabelValues("taken").Inc()
	case errors.As(err, &fault):
		m.notices.WithLabelValues(noticeClass(fault.Class)).Inc()
	default:
		m.notices.WithLabelValues("malformed").Inc()
	}
}

func noticeClass(c voting.Class) string {
	return cmp.Or(map[voting.Class]string{
		voting.Invalid: "invalid", voting.Unknown: "unknown", voting.NotRelevant: "not_relevant", voting.Duplicate: "duplicate",
		voting.Early: "early", voting.Contradicted: "contradicted",
	}[c], "other")
}
