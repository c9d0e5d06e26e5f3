package node

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/voting"
)

// metrics are what an operator may ask of the shell; the packages below have their own.
type metrics struct {
	refused prometheus.Counter
	dropped prometheus.Counter
	notices *prometheus.CounterVec
	submits *prometheus.CounterVec
	results *prometheus.CounterVec
	judged  prometheus.Histogram
	pleas   prometheus.Counter
}

func newMetrics(reg *prometheus.Registry) *metrics {
	m := &metrics{
		refused: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_node_events_refused_total", Help: "Events that the core refused."}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_node_inputs_dropped_total", Help: "Notices dropped because the loop was busy; catch-up brings them again."}),
		notices: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ojud_node_notices_total", Help: "Notices from peers, by what was made of them."}, []string{"class"}),
		submits: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ojud_node_submits_total", Help: "Transactions for cases, by operation and end."}, []string{"op", "class"}),
		results: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ojud_node_seats_total", Help: "Own seats in settled rounds, by result."}, []string{"result"}),
		judged:  prometheus.NewHistogram(prometheus.HistogramOpts{Name: "ojud_node_opinion_seconds", Help: "Time the judge took.", Buckets: prometheus.ExponentialBuckets(0.01, 4, 8)}),
	}
	m.pleas = prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_node_relay_requests_total", Help: "Rounds in which others were asked to bring the own commitment to the chain. What was carried for others is in ojud_node_submits_total, operations carry and relay."})
	reg.MustRegister(m.refused, m.dropped, m.notices, m.submits, m.results, m.judged, m.pleas)
	return m
}

// notice counts what was made of a notice.
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
	switch c {
	case voting.Invalid:
		return "invalid"
	case voting.Unknown:
		return "unknown"
	case voting.NotRelevant:
		return "not_relevant"
	case voting.Duplicate:
		return "duplicate"
	case voting.Early:
		return "early"
	case voting.Contradicted:
		return "contradicted"
	}
	return "other"
}
