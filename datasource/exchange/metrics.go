package exchange

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const metricPrefix = "ojud_exchange_"

// holderMetrics count the requests of peers. Labels are fixed words.
type holderMetrics struct {
	conversations *prometheus.CounterVec // outcome
	answers       *prometheus.CounterVec // result
	payments      *prometheus.CounterVec // result
	bytes         prometheus.Counter
	lamports      prometheus.Counter
	seconds       prometheus.Histogram
}

func newHolderMetrics(reg prometheus.Registerer) (*holderMetrics, error) {
	m := &holderMetrics{
		conversations: counters("held_conversations_total", "Conversations with askers, by outcome.", "outcome"),
		answers:       counters("held_answers_total", "Requests of askers by result: answered, or the reason why not.", "result"),
		payments:      counters("held_payments_total", "Vouchers of askers by result.", "result"),
		bytes:         counter("held_bytes_total", "Bytes of data given to askers."),
		lamports:      counter("held_lamports_total", "Lamports charged for data, paid or not."),
		seconds:       latency("held_seconds", "Seconds from an asker's request to its answer."),
	}
	return m, register(reg, m.conversations, m.answers, m.payments, m.bytes, m.lamports, m.seconds)
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
	seconds   prometheus.Histogram
}

func newRequesterMetrics(reg prometheus.Registerer) (*requesterMetrics, error) {
	m := &requesterMetrics{
		questions: counters("asked_questions_total", "Questions of the judge by result.", "result"),
		holders:   counters("asked_holders_total", "Holders that were asked, by result.", "result"),
		faults:    counters("asked_faults_total", "Faults of holders, by class.", "class"),
		conflicts: counter("asked_contradictions_total", "Questions to which holders gave different answers."),
		bytes:     counter("asked_bytes_total", "Bytes of data received."),
		lamports:  counter("asked_lamports_total", "Lamports authorized for data."),
		seconds:   latency("asked_seconds", "Seconds from a question to its answers."),
	}
	return m, register(reg, m.questions, m.holders, m.faults, m.conflicts, m.bytes, m.lamports, m.seconds)
}

func counters(name, help, label string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: metricPrefix + name, Help: help}, []string{label})
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: metricPrefix + name, Help: help})
}

func latency(name, help string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: metricPrefix + name, Help: help,
		Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}})
}

// register registers all or none. Without a registry the metrics are not exported.
func register(reg prometheus.Registerer, all ...prometheus.Collector) error {
	if reg == nil {
		return nil
	}
	for i, c := range all {
		if err := reg.Register(c); err != nil {
			for _, done := range all[:i] {
				reg.Unregister(done)
			}
			return fmt.Errorf("exchange: registering metrics: %w", err)
		}
	}
	return nil
}
