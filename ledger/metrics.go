package ledger

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/looks"
	"ojud/ledger/providers"
	"ojud/ledger/rpc"
)

// metrics are the figures for an operator; doc.go lists the questions that they answer. Without a
// registry they count in vain.
type metrics struct {
	calls     *rpc.Metrics
	providers *providers.Metrics

	clock looks.Gauges

	socket   prometheus.Gauge
	dials    *prometheus.CounterVec // result
	dropped  prometheus.Counter
	garbled  prometheus.Counter
	found    *prometheus.CounterVec // by
	late     prometheus.Counter
	blind    prometheus.Counter
	looks    *prometheus.CounterVec // of
	followed prometheus.Gauge

	sent     prometheus.Counter
	resigned prometheus.Counter
	ended    *prometheus.CounterVec // class
	pending  prometheus.Gauge
	balance  *prometheus.GaugeVec // address
}

const metricPrefix = "ojud_ledger_"

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: metricPrefix + name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: metricPrefix + name, Help: help}, labels)
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: metricPrefix + name, Help: help})
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		calls: rpc.NewMetrics(metricPrefix), providers: providers.NewMetrics(metricPrefix),
		clock: looks.Gauges{
			Slot: gauge("slot", "Newest slot whose clock was seen."),
			Unix: gauge("chain_seconds", "The chain's clock in that slot, in Unix seconds."),
			Skew: gauge("skew_seconds", "This machine's clock minus the chain's."),
		},
		socket:   gauge("socket_up", "1 while the websocket is subscribed."),
		dials:    counters("socket_dials_total", "Attempts to open the websocket, by result.", "result"),
		dropped:  counter("socket_dropped_total", "Transactions from the websocket that did not fit in the buffer."),
		garbled:  counter("socket_garbled_total", "Messages from the websocket that made no sense."),
		found:    counters("transactions_total", "Transactions of the program given out, by how they were found.", "by"),
		late:     counter("late_transactions_total", "Transactions given out after one of a newer slot."),
		blind:    counter("blind_transactions_total", "Transactions given out without all of their events."),
		looks:    counters("looks_total", "Looks given out: at a case, at a case that is gone, at the time alone.", "of"),
		followed: gauge("cases_followed", "Cases that are looked at."),
		sent:     counter("sent_total", "Transactions sent, with repetitions."),
		resigned: counter("resigned_total", "Transactions signed anew because the old one could no longer land."),
		ended:    counters("submits_total", "Submits that ended, by how.", "class"),
		pending:  gauge("outbox_pending", "Transactions in the outbox that may still land."),
		balance: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: metricPrefix + "payer_lamports", Help: "Balance of a fee payer when it was looked at last.",
		}, []string{"address"}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range m.all() {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("ledger: registering metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) all() []prometheus.Collector {
	return append(append(m.calls.All(), m.providers.All()...),
		m.clock.Slot, m.clock.Unix, m.clock.Skew,
		m.socket, m.dials, m.dropped, m.garbled, m.found, m.late, m.blind, m.looks, m.followed,
		m.sent, m.resigned, m.ended, m.pending, m.balance,
	)
}

// unregister lets another client of the process use the registry.
func (m *metrics) unregister(reg prometheus.Registerer) {
	if reg == nil {
		return
	}
	for _, c := range m.all() {
		reg.Unregister(c)
	}
}
