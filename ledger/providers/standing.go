package providers

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// States of a provider.
const (
	Good   = "ok"      // it answers
	silent = "silent"  // it does not answer, or too late, or refuses
	behind = "behind"  // it answers from slots that are too old
	lying  = "refuted" // most others contradict it
)

// Provider is the state of one provider for an operator.
type Provider struct {
	Host  string `json:"host"` // without path and query, which may hold a key
	State string `json:"state"`
	Note  string `json:"note,omitempty"` // why it is left out
	Guest bool   `json:"guest"`          // another judge offers it
}

// String says how a provider is.
func (p Provider) String() string {
	text := p.Host + ": " + p.State
	if p.Guest {
		text = p.Host + " (offered by another judge): " + p.State
	}
	if p.Note != "" {
		text += ", " + p.Note
	}
	return text
}

// Metrics count what the comparison finds.
type Metrics struct {
	refuted *prometheus.CounterVec // host
	left    *prometheus.GaugeVec   // host
	open    prometheus.Counter
}

// NewMetrics makes metrics whose names begin with a prefix. It does not register them.
func NewMetrics(prefix string) *Metrics {
	return &Metrics{
		refuted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: prefix + "provider_refuted_total", Help: "How often most other RPC nodes contradicted one of this node's, by host.",
		}, []string{"host"}),
		left: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: prefix + "provider_left_out", Help: "1 while an RPC node of this node's is left out, by host.",
		}, []string{"host"}),
		open: prometheus.NewCounter(prometheus.CounterOpts{
			Name: prefix + "contradictions_total", Help: "Reads that failed because the RPC nodes contradict each other and nobody settles it.",
		}),
	}
}

// All returns the metrics, to be registered.
func (m *Metrics) All() []prometheus.Collector {
	return []prometheus.Collector{m.refuted, m.left, m.open}
}

// leave leaves a provider out for a while, and says so.
func (p *Pool) leave(v *provider, state, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Before(v.until) && v.state == state {
		return // another call found the same
	}
	loud := v.state != state || now.Sub(v.said) >= remind
	v.state, v.note = state, why
	v.fails = min(v.fails+1, 16)
	pause := min(leastAbsence<<(v.fails-1), mostAbsence)
	if state == lying {
		pause = mostAbsence
	}
	v.until = now.Add(pause)
	if v.guest {
		return
	}
	p.deps.Metrics.left.WithLabelValues(v.name).Set(1)
	if state == lying {
		p.deps.Metrics.refuted.WithLabelValues(v.name).Inc()
	}
	if loud {
		v.said = now
		p.deps.Logger.Error("an RPC node is left out", "host", v.name, "state", state, "why", why,
			"next", "compare it with others, or take it out of ledger.rpc and ledger.more_rpc")
	}
}

// praise notes that a provider answered as it should.
func (p *Pool) praise(v *provider) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(v.until) || v.state == Good {
		return // it was left out meanwhile, or is well
	}
	v.state, v.note, v.fails, v.until = Good, "", 0, time.Time{}
	if !v.guest {
		p.deps.Metrics.left.WithLabelValues(v.name).Set(0)
		p.deps.Logger.Info("an RPC node is asked again", "host", v.name)
	}
}

// contradiction notes that nobody settles a contradiction.
func (p *Pool) contradiction(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deps.Metrics.open.Inc()
	now := time.Now()
	if now.Sub(p.open.at) >= remembered || now.Sub(p.open.said) >= remind {
		p.open.said = now
		p.deps.Logger.Error("RPC nodes contradict each other, so nothing is signed on what they say", "what", text,
			"next", "find out which one is wrong, and take it out of ledger.rpc and ledger.more_rpc")
	}
	err := fmt.Errorf("%w: %s", errContradiction, text)
	p.open.at = now
	p.open.text = err.Error() + "; nothing is signed on it: find out which one is wrong, and take it out of ledger.rpc and ledger.more_rpc"
	return err
}
