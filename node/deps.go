package node

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/datasource/kind"
	"ojud/node/layer"
	"ojud/voting"
)

// Deps are the dependencies of a Node. Every field may be empty.
type Deps struct {
	// Logger receives messages for the operator. Nil: nothing is logged.
	Logger *slog.Logger
	// Metrics collects the metrics that /metrics shows. Nil: a registry of the node's own.
	Metrics *prometheus.Registry
	// Judge replaces the judge that Config.Judge names.
	Judge judge.Judge
	// Chain replaces the RPC node that Config.Ledger names. The node closes it. Nil: the RPC node.
	Chain layer.Chain
	// Transport carries requests to the RPC node. Nil: the network.
	Transport http.RoundTripper
	// Models carries requests to the servers of models. Nil: the network.
	Models http.RoundTripper
	// Libp2p are further options for the libp2p host: a simulated transport, for tests on fake
	// time.
	Libp2p []libp2p.Option
	// Upstream opens the upstream of an own source. Nil: as its file says.
	Upstream func(datasource.Source) (kind.Upstream, error)
	// Now is the clock by which the host dates its announcements (p2p.Deps.Now); deadlines are the
	// chain's. Nil: time.Now.
	Now func() time.Time
	// WrapPurse wraps the purse that pays for the judge's answers, for tests. Nil: the authority's
	// vault pays.
	WrapPurse func(exchange.Purse) exchange.Purse
	// WrapBroadcaster wraps the Broadcaster, so that a node can misbehave: in tests, and by the
	// fault switches of a devnet.
	WrapBroadcaster func(Broadcaster) Broadcaster
	// Heard gets each valid new notice of another judge, from any path. The referees of tests use
	// it. It is called from many goroutines and must return at once.
	Heard func(voting.Notice)
}

// Broadcaster brings this node's notices to others.
type Broadcaster interface {
	// Push sends a notice directly to some node keys.
	Push(to []voting.Key, notice voting.Notice) error
	// Publish gossips a notice to everybody.
	Publish(notice voting.Notice) error
}
