package payment

import (
	"github.com/prometheus/client_golang/prometheus"

	"ojud/metrics"
)

const metricPrefix = "ojud_payment_"

// purseMetrics count this node's payments.
type purseMetrics struct {
	promised, paid prometheus.Counter
}

func newPurseMetrics(reg prometheus.Registerer) (*purseMetrics, error) {
	g := metrics.New(metricPrefix)
	m := &purseMetrics{
		promised: g.Counter("promised_lamports_total", "Lamports promised for answers."),
		paid:     g.Counter("paid_lamports_total", "Lamports that holders drew from this node's vault."),
	}
	return m, g.Register(reg)
}

// tillMetrics count this node's earnings.
type tillMetrics struct {
	earned, pulled, lost prometheus.Counter
	owed                 prometheus.Gauge
	pulls                *prometheus.CounterVec // result
}

func newTillMetrics(reg prometheus.Registerer) (*tillMetrics, error) {
	g := metrics.New(metricPrefix)
	m := &tillMetrics{
		earned: g.Counter("earned_lamports_total", "Lamports of answers for which a voucher was accepted."),
		pulled: g.Counter("pulled_lamports_total", "Lamports drawn from vaults of judges."),
		lost:   g.Counter("lost_lamports_total", "Lamports of vouchers that expired before they were pulled."),
		owed:   g.Gauge("owed_lamports", "Open balances: lamports of answers that were given and are not paid."),
		pulls:  g.Counters("pulls_total", "Pulls that were tried, by result.", "result"),
	}
	return m, g.Register(reg)
}
