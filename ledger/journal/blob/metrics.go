package blob

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the figures for an operator. Without a registerer they are counted in vain.
type metrics struct {
	reg     prometheus.Registerer
	all     []prometheus.Collector
	evicted prometheus.Counter
	damaged prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, s *Store) (*metrics, error) {
	m := &metrics{
		reg:     reg,
		evicted: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_blob_evicted_total", Help: "Content evicted for want of room."}),
		damaged: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_blob_damaged_total", Help: "Content found damaged on disk. Check the disk when it is not 0."}),
	}
	gauge := func(name, help string, f func(Stats) uint64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(f(s.Stats())) })
	}
	m.all = []prometheus.Collector{
		m.evicted, m.damaged,
		gauge("ojud_blob_bytes", "Content that is kept.", func(s Stats) uint64 { return s.Bytes }),
		gauge("ojud_blob_files", "Pieces of content that are kept.", func(s Stats) uint64 { return s.Blobs }),
		gauge("ojud_blob_pinned_files", "Pieces of content that live cases need.", func(s Stats) uint64 { return s.Pinned }),
	}
	if reg == nil {
		return m, nil
	}
	for i, c := range m.all {
		if err := reg.Register(c); err != nil {
			m.all = m.all[:i]
			m.unregister()
			return nil, fmt.Errorf("blob: metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) unregister() {
	for _, c := range m.all {
		if m.reg != nil {
			m.reg.Unregister(c)
		}
	}
}

// Stats say how much is kept.
type Stats struct {
	Blobs  uint64
	Bytes  uint64
	Pinned uint64 // pieces of content that are pinned, here or not
}

// Stats returns how much is kept.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{uint64(len(s.index.entries)), s.index.bytes, uint64(len(s.index.pins))}
}
