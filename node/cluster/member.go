package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge/chair"
	"ojud/agent/judge/persona"
	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/cluster/bribe"
)

// Member is a judge of the cluster.
type Member struct {
	Number int // from 1
	Part   Part
	Home   node.Home
	// Persona is its way to look at cases, in StoryJudges. If it has no name, the judge uses code
	// alone.
	Persona persona.Persona

	stranger int // of the nodes without a stake, from 1; 0: a judge

	node    *node.Node    // nil if not running
	chair   *chair.Chair  // of a contrary judge, or of one that may be bribed
	offers  *bribe.Offers // of StoryAppeal
	metrics *prometheus.Registry
	stop    context.CancelFunc
	done    chan struct{}
	err     error // of Run, when done is closed
}

// Name returns its name for people: "judge 07".
func (m *Member) Name() string {
	if m.stranger > 0 {
		return fmt.Sprintf("stranger %02d", m.stranger)
	}
	return fmt.Sprintf("judge %02d", m.Number)
}

// Authority returns the key that holds its stake.
func (m *Member) Authority() onchain.Address { return m.Home.Keys.Authority.Address() }

// Node returns its node, or nil if it does not run.
func (m *Member) Node() *node.Node { return m.node }

// homeDir returns the path of a judge's home.
func homeDir(dir string, number int) string {
	return filepath.Join(dir, "nodes", fmt.Sprintf("%02d", number))
}

// did returns the name of its node in case files.
func (m *Member) did() casefile.DID { return casefile.DID(m.Home.Keys.Peer()) }

// launch starts a judge's node, which runs until close. It calls failed if the node ends by itself.
func (m *Member) launch(ctx context.Context, cfg node.Config, deps node.Deps, log *slog.Logger, failed func(error)) (err error) {
	if m.Part == Equivocating || m.stranger > 0 {
		log = slog.New(slog.DiscardHandler) // the story tells that it is slashed, or that it has nothing
	}
	m.metrics = prometheus.NewRegistry()
	deps.Logger, deps.Metrics = log.With("node", m.Number), m.metrics
	wrong, wrap, err := m.misbehave(cfg)
	if err != nil {
		return err
	}
	if deps.WrapBroadcaster = wrap; wrong != nil {
		deps.Judge = wrong
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	n, err := node.New(life, m.Home, cfg, deps)
	if err != nil {
		cancel()
		return fmt.Errorf("cluster: %s: %w", m.Name(), err)
	}
	m.node, m.stop, m.done = n, cancel, make(chan struct{})
	go func() {
		defer close(m.done)
		m.err = n.Run(life)
		if m.Part == Equivocating && errors.Is(m.err, node.ErrTwin) {
			m.err = nil // it took its own second statement for a twin's
		}
		if m.err != nil {
			m.err = fmt.Errorf("cluster: %s stopped: %w", m.Name(), m.err)
			failed(m.err)
		}
	}()
	return nil
}

// close stops the node, if it runs. It does not repeat the error of Run.
func (m *Member) close() error {
	if m.node == nil {
		return m.chair.Close()
	}
	m.stop()
	<-m.done
	if err := errors.Join(m.node.Close(), m.chair.Close()); err != nil {
		return fmt.Errorf("cluster: %s: close: %w", m.Name(), err)
	}
	return nil
}
