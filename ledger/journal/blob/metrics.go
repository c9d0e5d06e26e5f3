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
	refused prometheus.Counter
	damaged prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, s *Store) (*metrics, error) {
	m := &metrics{
		reg:     reg,
		evicted: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_blob_evicted_total", Help: "Content evicted for want of room."}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_blob_refused_total", Help: "Content of others for which there was no room."}),
		damaged: prometheus.NewCounter(prometheus.CounterOpts{Name: "ojud_blob_damaged_total", Help: "Content found damaged on disk. Check the disk when it is not 0."}),
	}
	gauge := func(name, help string, f func(Stats) uint64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(f(s.Stats())) })
	}
	m.all = []prometheus.Collector{
		m.evicted, m.refused, m.damaged,
		gauge("ojud_blob_bytes", "Content that is kept.", func(s Stats) uint64 { return s.Bytes }),
		gauge("ojud_blob_files", "Pieces of content that are kept.", func(s Stats) uint64 { return s.Blobs }),
		gauge("ojud_blob_pinned_files", "Pieces of content that have an owner, such as a case.", func(s Stats) uint64 { return s.Pinned }),
	}
	for rank, name := range rankNames {
		m.all = append(m.all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "ojud_blob_used_bytes", Help: "Content that is kept, by its use.", ConstLabels: prometheus.Labels{"use": name},
		}, func() float64 { return float64(s.used(Rank(rank))) }))
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
	Blobs   uint64
	Bytes   uint64
	Pinned  uint64 // pieces of content that are pinned, here or not
	Quota   uint64 // bytes
	Cases   uint64 // bytes of live cases, and of this node itself
	Refused uint64 // pieces of content for which there was no room since the start
}

// Stats returns how much is kept.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &s.index
	return Stats{
		Blobs: uint64(len(x.entries)), Bytes: x.bytes, Pinned: uint64(len(x.pins)), Quota: s.cfg.Quota,
		Cases: x.ranked[Court] + x.ranked[Seat] + x.ranked[Own], Refused: s.poor,
	}
}

// used returns how many bytes of a rank are kept.
func (s *Store) used(r Rank) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.ranked[r]
}
