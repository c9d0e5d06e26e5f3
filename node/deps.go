package node

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge"
	"ojud/datasource"
	"ojud/datasource/kind"
	"ojud/voting"
)

// Deps are what a Node is given besides its settings. Every field may be empty.
type Deps struct {
	// Logger receives what an operator should know. Nil: nothing is logged.
	Logger *slog.Logger
	// Metrics collects what doc.go lists and what /metrics shows. Nil: a registry of the node's own.
	Metrics *prometheus.Registry
	// Judge replaces the judge that Config.Judge names.
	Judge judge.Judge
	// Transport carries requests to the RPC node. Nil: the network.
	Transport http.RoundTripper
	// Models carries requests to the servers of models. Nil: the network.
	Models http.RoundTripper
	// Libp2p are further options for the libp2p host: a simulated transport, for tests on fake time.
	Libp2p []libp2p.Option
	// Upstream opens what stands behind an own source. Nil: what its file says.
	Upstream func(datasource.Source) (kind.Upstream, error)
	// Now is the clock by which the host dates its announcements (p2p.Deps.Now); deadlines are the chain's. Nil: time.Now.
	Now func() time.Time
	// Courier wraps the way of notices to others, for nodes that are to misbehave: the fault switches of a devnet, and tests.
	Courier func(Courier) Courier
	// Heard is told of each notice of another's that checked out and was not known yet, however it came: for the referees of tests. It
	// is called from many goroutines and has to return at once.
	Heard func(voting.Notice)
}

// Courier brings this node's notices to others.
type Courier interface {
	// Push sends a notice directly to some node keys.
	Push(to []voting.Key, notice voting.Notice) error
	// Publish gossips a notice to everybody.
	Publish(notice voting.Notice) error
}
