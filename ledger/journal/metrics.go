package journal

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/journal/durable"
)

// metrics are the figures for an operator. Without a registerer they are counted in vain.
type metrics struct {
	reg      prometheus.Registerer
	all      []prometheus.Collector
	commits  *prometheus.HistogramVec // kind
	failures *prometheus.CounterVec   // reason
	restored prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, j *Journal) (*metrics, error) {
	m := &metrics{
		reg: reg,
		commits: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "ojud_journal_commit_seconds", Help: "How long a write took until it was on disk.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 3, 11),
		}, []string{"kind"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ojud_journal_failures_total", Help: "Writes that were refused or failed.",
		}, []string{"reason"}),
		restored: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ojud_journal_restored_total", Help: "Own votes that the database had lost and the second copy had not.",
		}),
	}
	gauge := func(name, help string, f func(Stats) uint64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(f(j.Stats())) })
	}
	m.all = []prometheus.Collector{
		m.commits, m.failures, m.restored,
		gauge("ojud_journal_lsm_bytes", "Size of the tables.", func(s Stats) uint64 { return s.LSM }),
		gauge("ojud_journal_vlog_bytes", "Size of the value log.", func(s Stats) uint64 { return s.ValueLog }),
		gauge("ojud_journal_free_bytes", "Free bytes on the disk of the journal.", func(s Stats) uint64 { return s.Free }),
	}
	return m, m.register()
}

func (m *metrics) register() error {
	if m.reg == nil {
		return nil
	}
	for i, c := range m.all {
		if err := m.reg.Register(c); err != nil {
			m.all = m.all[:i]
			m.unregister()
			return fmt.Errorf("journal: metrics: %w", err)
		}
	}
	return nil
}

// unregister makes room for the metrics of the next journal.
func (m *metrics) unregister() {
	for _, c := range m.all {
		if m.reg != nil {
			m.reg.Unregister(c)
		}
	}
}

func (m *metrics) wrote(kind string, d time.Duration, err error) {
	if err == nil {
		m.commits.WithLabelValues(kind).Observe(d.Seconds())
		return
	}
	reason := "error"
	for name, class := range map[string]error{"disk_full": ErrDiskFull, "broken": ErrBroken, "too_large": ErrTooLarge, "closed": errClosed, "invalid": ErrInvalid} {
		if errors.Is(err, class) {
			reason = name
		}
	}
	m.failures.WithLabelValues(reason).Inc()
}

func (m *metrics) refused() { m.failures.WithLabelValues("would_equivocate").Inc() }

// Stats are sizes in bytes. Badger measures its own about once a minute.
type Stats struct {
	LSM      uint64 // tables
	ValueLog uint64
	Free     uint64 // on the disk of the journal; 0 where that is not known
}

// Stats returns the journal's sizes.
func (j *Journal) Stats() Stats {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return Stats{}
	}
	lsm, vlog := j.db.Size()
	free, err := durable.Free(j.cfg.Dir)
	if err != nil {
		free = 0
	}
	return Stats{LSM: uint64(max(lsm, 0)), ValueLog: uint64(max(vlog, 0)), Free: free}
}
