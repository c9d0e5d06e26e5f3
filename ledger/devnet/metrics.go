package devnet

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/devnet/bank"
)

// metrics counts events.
type metrics struct {
	registry     prometheus.Registerer
	calls        *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	transactions *prometheus.CounterVec
	slot         prometheus.Gauge
	sockets      prometheus.Gauge
	subscribed   prometheus.Gauge
	dropped      prometheus.Counter
}

// newMetrics registers the metrics. With a nil registry they are not exported.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	const space, sub = "ojud", "devnet"
	opts := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: space, Subsystem: sub, Name: name, Help: help}
	}
	m := &metrics{
		registry: r,
		calls: prometheus.NewCounterVec(prometheus.CounterOpts(opts("calls_total",
			"JSON-RPC calls by method and error code (0: answered).")), []string{"method", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: space, Subsystem: sub, Name: "call_seconds", Help: "Time to answer a JSON-RPC call.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 8),
		}, []string{"method"}),
		transactions: prometheus.NewCounterVec(prometheus.CounterOpts(opts("transactions_total",
			"Transactions by outcome: ok, failed (landed, paid), refused (did not land).")), []string{"outcome"}),
		slot:       prometheus.NewGauge(prometheus.GaugeOpts(opts("slot", "The open slot."))),
		sockets:    prometheus.NewGauge(prometheus.GaugeOpts(opts("sockets", "Open websockets."))),
		subscribed: prometheus.NewGauge(prometheus.GaugeOpts(opts("subscriptions", "Active subscriptions."))),
		dropped: prometheus.NewCounter(prometheus.CounterOpts(opts("sockets_dropped_total",
			"Websockets closed because they read too slowly."))),
	}
	if r == nil {
		return m, nil
	}
	for i, c := range m.all() {
		if err := r.Register(c); err != nil {
			for _, registered := range m.all()[:i] { // the others belong to another owner
				r.Unregister(registered)
			}
			return nil, fmt.Errorf("devnet: register metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.calls, m.seconds, m.transactions, m.slot, m.sockets, m.subscribed, m.dropped}
}

func (m *metrics) unregister() {
	if m.registry == nil {
		return
	}
	for _, c := range m.all() {
		m.registry.Unregister(c)
	}
}

func (m *metrics) called(method string, err error, took time.Duration) {
	code := 0
	if err != nil {
		code = codeInternal
		if e := (*rpcError)(nil); errors.As(err, &e) {
			code = e.Code
		}
	}
	m.calls.WithLabelValues(method, strconv.Itoa(code)).Inc()
	m.seconds.WithLabelValues(method).Observe(took.Seconds())
}

func (m *metrics) executed(t *bank.Transaction) {
	outcome := "ok"
	if t.Err != nil {
		outcome = "failed"
	}
	m.transactions.WithLabelValues(outcome).Inc()
}

func (m *metrics) refused() { m.transactions.WithLabelValues("refused").Inc() }

func (m *metrics) sealed(b *bank.Bank) {
	b.Read(bank.Processed, func(v *bank.View) { m.slot.Set(float64(v.Slot())) })
}

func (m *metrics) socket(delta float64) { m.sockets.Add(delta) }

func (m *metrics) subscription(delta float64) { m.subscribed.Add(delta) }

func (m *metrics) slow() { m.dropped.Inc() }
