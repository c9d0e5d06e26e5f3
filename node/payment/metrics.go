package payment

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

const metricPrefix = "ojud_payment_"

// purseMetrics count this node's payments.
type purseMetrics struct {
	promised, paid prometheus.Counter
}

func newPurseMetrics(reg prometheus.Registerer) (*purseMetrics, error) {
	m := &purseMetrics{
		promised: counter("promised_lamports_total", "Lamports promised for answers."),
		paid:     counter("paid_lamports_total", "Lamports that holders drew from this node's vault."),
	}
	return m, register(reg, m.promised, m.paid)
}

// tillMetrics count this node's earnings.
type tillMetrics struct {
	earned, pulled, lost prometheus.Counter
	owed                 prometheus.Gauge
	pulls                *prometheus.CounterVec // result
}

func newTillMetrics(reg prometheus.Registerer) (*tillMetrics, error) {
	m := &tillMetrics{
		earned: counter("earned_lamports_total", "Lamports of answers for which a voucher was accepted."),
		pulled: counter("pulled_lamports_total", "Lamports drawn from vaults of judges."),
		lost:   counter("lost_lamports_total", "Lamports of vouchers that expired before they were pulled."),
		owed:   prometheus.NewGauge(prometheus.GaugeOpts{Name: metricPrefix + "owed_lamports", Help: "Open balances: lamports of answers that were given and are not paid."}),
		pulls:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: metricPrefix + "pulls_total", Help: "Pulls that were tried, by result."}, []string{"result"}),
	}
	return m, register(reg, m.earned, m.pulled, m.lost, m.owed, m.pulls)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: metricPrefix + name, Help: help})
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
			return fmt.Errorf("payment: registering metrics: %w", err)
		}
	}
	return nil
}
