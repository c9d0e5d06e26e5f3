package exchange

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/metrics"
)

const metricPrefix = "ojud_exchange_"

// holderMetrics count the requests of peers. Labels are fixed words.
type holderMetrics struct {
	conversations *prometheus.CounterVec // outcome
	answers       *prometheus.CounterVec // result
	payments      *prometheus.CounterVec // result
	bytes         prometheus.Counter
	lamports      prometheus.Counter
	seconds       prometheus.Observer
}

func newHolderMetrics(reg prometheus.Registerer) (*holderMetrics, error) {
	g := metrics.New(metricPrefix)
	m := &holderMetrics{
		conversations: g.Counters("held_conversations_total", "Conversations with askers, by outcome.", "outcome"),
		answers:       g.Counters("held_answers_total", "Requests of askers by result: answered, or the reason why not.", "result"),
		payments:      g.Counters("held_payments_total", "Vouchers of askers by result.", "result"),
		bytes:         g.Counter("held_bytes_total", "Bytes of data given to askers."),
		lamports:      g.Counter("held_lamports_total", "Lamports charged for data, paid or not."),
		seconds:       latency(g, "held_seconds", "Seconds from an asker's request to its answer."),
	}
	return m, g.Register(reg)
}

func (m *holderMetrics) conversation(outcome string) { m.conversations.WithLabelValues(outcome).Inc() }
func (m *holderMetrics) answer(result string)        { m.answers.WithLabelValues(result).Inc() }
func (m *holderMetrics) payment(result string)       { m.payments.WithLabelValues(result).Inc() }

func (m *holderMetrics) gave(price uint64, bytes int, took time.Duration) {
	m.bytes.Add(float64(bytes))
	m.lamports.Add(float64(price))
	m.seconds.Observe(took.Seconds())
}

// requesterMetrics count this node's own requests.
type requesterMetrics struct {
	questions *prometheus.CounterVec // result
	holders   *prometheus.CounterVec // result
	faults    *prometheus.CounterVec // class
	conflicts prometheus.Counter
	bytes     prometheus.Counter
	lamports  prometheus.Counter
	seconds   prometheus.Observer
}

func newRequesterMetrics(reg prometheus.Registerer) (*requesterMetrics, error) {
	g := metrics.New(metricPrefix)
	m := &requesterMetrics{
		questions: g.Counters("asked_questions_total", "Questions of the judge by result.", "result"),
		holders:   g.Counters("asked_holders_total", "Holders that were asked, by result.", "result"),
		faults:    g.Counters("asked_faults_total", "Faults of holders, by class.", "class"),
		conflicts: g.Counter("asked_contradictions_total", "Questions to which holders gave different answers."),
		bytes:     g.Counter("asked_bytes_total", "Bytes of data received."),
		lamports:  g.Counter("asked_lamports_total", "Lamports authorized for data."),
		seconds:   latency(g, "asked_seconds", "Seconds from a question to its answers."),
	}
	return m, g.Register(reg)
}

// latency has buckets from 10 ms to two minutes.
func latency(g *metrics.Group, name, help string) prometheus.Observer {
	return g.Seconds(name, help, []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}).WithLabelValues()
}
