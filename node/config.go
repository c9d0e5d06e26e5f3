package node

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/model"
	"ojud/config/bounds"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/datasource/kind"
	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/ledger/journal/blob"
	"ojud/node/content"
	"ojud/node/crank"
	"ojud/node/layer"
	"ojud/node/payment"
	"ojud/node/status"
	"ojud/node/webhook"
	"ojud/p2p"
	"ojud/voting"
	"ojud/voting/verifier"
)

// Config is everything an operator can set. Start from DefaultConfig. An empty directory is below
// the home. Other empty fields are filled in from network.json: network name, bootstrap, RPC.
type Config struct {
	P2P     p2p.Config     `koanf:"p2p"`
	Ledger  ledger.Config  `koanf:"ledger"`
	Journal journal.Config `koanf:"journal"`
	Blobs   blob.Config    `koanf:"blobs"`
	Judge   judge.Config   `koanf:"judge"`
	// Models are the models that a judge can ask.
	Models model.Config `koanf:"models"`
	// Sources sets the book of this node's own data sources. Data sets how it asks peers for data
	// and answers them.
	Sources datasource.Config `koanf:"sources"`
	Data    exchange.Config   `koanf:"data"`
	// Payment sets how data is paid for and how this node is paid.
	Payment payment.Config `koanf:"payment"`
	// Crank sets what this node spends on work that only time decides.
	Crank  crank.Config     `koanf:"crank"`
	Habits voting.Params    `koanf:"voting"`
	API    status.APIConfig `koanf:"api"`
	Sync   Sync             `koanf:"sync"`
	// Webhooks names the receivers that are told what happens to the judge.
	Webhooks webhook.Hooks `koanf:"webhooks"`
	// MinBalance is how many lamports the authority should have for fees. Below it the operator is
	// warned.
	MinBalance uint64 `koanf:"min_balance"`
}

// Sync sets how case files and content are exchanged with peers.
type Sync struct {
	// Every is the interval at which a peer is asked for missing events of a case.
	Every time.Duration `koanf:"interval"`
	// GossipAfter is how long after the direct push a notice is also gossiped. The seats have it by
	// then; gossip brings it to all others.
	GossipAfter time.Duration `koanf:"gossip_after"`
	// Timeout bounds one question to one peer. It must be longer than two ways of four seconds
	// and a lost packet. With less, a judge that far away gets no documents.
	Timeout time.Duration `koanf:"request_timeout"`
	// MaxLinks bounds the links to judges while no round is running. Links to the seats of live
	// rounds are always kept.
	MaxLinks int `koanf:"max_links"`
	// Twin is how long a node that has just started signs nothing, so that a copy of it that runs
	// on another machine can answer. In short rounds it is at most an eighth of the commit time. 0:
	// it does not wait.
	Twin time.Duration `koanf:"twin_wait"`
	// MaxPuts bounds the content that one peer may put here in an hour, in bytes.
	MaxPuts int `koanf:"max_put_bytes_per_hour"`
}

// DefaultConfig suits a judge on the main network.
func DefaultConfig() Config {
	chain := ledger.DefaultConfig()
	chain.RPC = "" // the court's
	return Config{
		P2P: p2p.DefaultConfig(), Ledger: chain, Journal: journal.DefaultConfig(), Blobs: blob.DefaultConfig(),
		Judge: judge.DefaultConfig(), Models: model.DefaultConfig(), Sources: datasource.DefaultConfig(), Data: exchange.DefaultConfig(),
		Payment: payment.DefaultConfig(), Crank: crank.DefaultConfig(), Habits: voting.DefaultParams(),
		API: status.APIConfig{Listen: "127.0.0.1:0", Timeout: 30 * time.Second},
		Sync: Sync{
			Every: 5 * time.Second, GossipAfter: time.Second, Timeout: 15 * time.Second, Twin: 15 * time.Second, MaxLinks: 64, MaxPuts: 16 << 20,
		},
		Webhooks: webhook.DefaultHooks(), MinBalance: 10_000_000,
	}
}

// Validate names the first field that is out of its range. Fields that a home fills in are checked
// when they are filled in.
func (c Config) Validate() error {
	if c.Ledger.RPC == "" {
		c.Ledger.RPC = ledger.DefaultConfig().RPC // the home fills in another one
	}
	for _, part := range []struct {
		name string
		err  error
	}{
		{"ledger", c.Ledger.Validate()}, {"judge", c.chair().Validate()}, {"voting", c.Habits.Validate()},
		{"sources", c.Sources.Validate()}, {"data", c.Data.Validate()}, {"payment", c.Payment.Validate()}, {"crank", c.Crank.Validate()}, {"api", c.API.Validate()},
		{"sync", c.Sync.validate()}, {"webhooks", c.Webhooks.Validate()},
	} {
		if part.err != nil {
			return fmt.Errorf("node: %s: %w", part.name, part.err)
		}
	}
	return nil
}

func (c Config) chair() chair.Config { return chair.Config{Judge: c.Judge, Models: c.Models} }

func (s Sync) validate() error {
	return bounds.Check("",
		bounds.Of("interval", s.Every, 10*time.Millisecond, time.Hour),
		bounds.Of("gossip_after", s.GossipAfter, 0, time.Minute),
		bounds.Of("request_timeout", s.Timeout, 100*time.Millisecond, time.Minute),
		bounds.Of("twin_wait", s.Twin, 0, 5*time.Minute),
		bounds.Of("max_links", s.MaxLinks, 1, 512),
		bounds.AtLeast("max_put_bytes_per_hour", s.MaxPuts, content.MaxBlob),
	)
}

// These are errors that a caller may need to tell apart.
var (
	// ErrTwin means that another copy of this node signs with its keys. This one stopped itself.
	// Stop all copies but one.
	ErrTwin = errors.New("node: another copy of this node is running on the same keys")
	// errHome means that the home is not usable.
	errHome = errors.New("node: home")
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
	// Webhooks carries notifications to the operator's receivers. Nil: the network.
	Webhooks http.RoundTripper
	// Setting says on the pages who runs the court's judges, for a court of one owner. Empty:
	// nobody says so.
	Setting string
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
	// Signatures verifies what judges sign, and remembers it. Nodes of one process may share it.
	// Nil: one of the node's own.
	Signatures *verifier.Verifier
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
