package node

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/ledger/journal/blob"
	"ojud/node/payment"
	"ojud/p2p"
	"ojud/voting"
)

// Node is one judiciary node.
type Node struct {
	home   Home
	cfg    Config
	domain voting.Domain
	log    *slog.Logger
	deps   Deps

	journal *journal.Journal
	blobs   *blob.Store
	client  *ledger.Client // confirmed: what to act on
	final   *ledger.Client // finalized: what to testify to
	sender  *ledger.Sender
	watcher *ledger.Watcher
	host    *p2p.Host
	topic   *p2p.Topic
	book    *datasource.Book // own sources
	desk    *exchange.Desk   // where the judge asks
	holder  *exchange.Holder // who answers peers
	asked   *exchange.Log
	purse   *payment.Purse // pays for answers
	till    *payment.Till  // is paid for answers
	wants   *p2p.Topic
	calls   calls
	asking  *allowance // of the data topic
	runner  *judge.Runner
	chair   *chair.Chair
	courier Courier
	metrics *metrics

	machine *voting.Machine // of the loop's goroutine
	view    atomic.Pointer[voting.View]
	inputs  chan input
	docket  *docket
	chance  maphash.Seed // of this run: which of many judges to link to
	past    *agreement
	roster  atomic.Pointer[rosterBook]
	puts    *allowance
	sole    sole
	diaries diaries
	needs   needs
	tasks   sync.WaitGroup // goroutines that Run started
	fault   chan error     // what ends Run
	apiAddr atomic.Value   // string
	queries queries
}

// input makes an event at the chain's time.
type input func(at int64) voting.Event

// maxInputs bounds the events that wait for the loop. Notices that do not fit are dropped: catch-up brings them again.
const maxInputs = 4096

// New opens the home, joins the network and is ready to Run. The chain is not asked yet.
func New(ctx context.Context, home Home, cfg Config, deps Deps) (n *Node, err error) {
	cfg = home.fill(cfg)
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	n = &Node{home: home, cfg: cfg, deps: deps, log: deps.Logger, inputs: make(chan input, maxInputs), fault: make(chan error, 1)}
	n.sole.began, n.needs.wake = time.Now(), make(chan struct{}, 1)
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	if n.deps.Metrics == nil {
		n.deps.Metrics = prometheus.NewRegistry()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	if n.domain, err = home.Descriptor.Domain(); err != nil {
		return n, err
	}
	n.metrics, n.puts = newMetrics(n.deps.Metrics), newAllowance(cfg.Sync.MaxPuts)
	n.asking = newAllowance(maxWants)
	if err := n.openStores(); err != nil {
		return n, err
	}
	if err := n.openChain(); err != nil {
		return n, err
	}
	if err := n.openJudge(); err != nil {
		return n, err
	}
	if err := n.openSources(); err != nil {
		return n, err
	}
	return n, n.openNetwork(ctx)
}

// fill completes settings with what the home knows.
func (h Home) fill(cfg Config) Config {
	set := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	set(&cfg.P2P.Network, h.Descriptor.Name)
	set(&cfg.P2P.Registry.Path, h.Path(registryFile))
	set(&cfg.Journal.Dir, h.Path(journalDir))
	set(&cfg.Blobs.Dir, h.Path(blobsDir))
	if cfg.Ledger.RPC == "" || cfg.Ledger.RPC == ledger.DefaultConfig().RPC {
		cfg.Ledger.RPC = h.Descriptor.RPC
		set(&cfg.Ledger.WS, h.Descriptor.WS)
	}
	if len(cfg.P2P.Bootstrap) == 0 {
		cfg.P2P.Bootstrap = h.Descriptor.Bootstrap
	}
	return cfg
}

func (n *Node) openStores() (err error) {
	id := journal.Identity{Network: n.domain.Network, Program: n.domain.Program}
	if n.journal, err = journal.Open(n.cfg.Journal, id, n.log, n.deps.Metrics); err != nil {
		if errors.Is(err, journal.ErrLocked) {
			return fmt.Errorf("%w: %w", ErrTwin, err)
		}
		return err
	}
	if n.blobs, err = blob.Open(n.cfg.Blobs, n.log, n.deps.Metrics); err != nil {
		return err
	}
	n.docket, n.chance = newDocket(n), maphash.MakeSeed()
	n.past, err = openAgreement(n.journal.Rounds())
	return err
}

func (n *Node) openChain() (err error) {
	address := solana.PublicKey(n.domain.Program)
	deps := ledger.Deps{Transport: n.deps.Transport, Logger: n.log, Metrics: n.deps.Metrics}
	if n.client, err = ledger.New(n.cfg.Ledger, address, deps); err != nil {
		return err
	}
	n.final = n.client.Finalized()
	return nil
}

func (n *Node) openJudge() (err error) {
	if n.deps.Judge != nil {
		n.chair = &chair.Chair{Judge: n.deps.Judge, Family: n.cfg.Judge.Kind}
	} else if n.chair, err = chair.Fill(n.cfg.chair(), chair.Deps{
		Dir: n.home.Dir, Log: n.log, Metrics: n.deps.Metrics, Transport: n.deps.Models, Authority: casefile.Address(n.home.Keys.Judge()),
	}); err != nil {
		return err
	}
	n.runner, err = judge.NewRunner(n.chair.Judge, n.cfg.Judge, n.log)
	return err
}

// genesis is the hash that names the cluster.
func (n *Node) genesis() solana.Hash { return solana.Hash(n.domain.Network) }

// Home is what the node was opened with.
func (n *Node) Home() Home { return n.home }

// Addrs are the addresses at which others can reach this node, for their bootstrap lists.
func (n *Node) Addrs() ([]string, error) {
	addrs, err := n.host.Addrs()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(addrs))
	for i, a := range addrs {
		out[i] = a.String()
	}
	return out, nil
}

// Peers is how many nodes are connected, and how many judges the registry knows.
func (n *Node) Peers() (connected, registered int) {
	return len(n.host.Peers()), n.host.Registry().Len()
}

// Close stops what New started. Run must have returned.
func (n *Node) Close() error {
	var errs []error
	if n.host != nil {
		errs = append(errs, n.host.Close())
	}
	if n.runner != nil {
		errs = append(errs, n.runner.Close())
	}
	errs = append(errs, n.chair.Close())
	if n.book != nil {
		errs = append(errs, n.book.Close())
	}
	if n.asked != nil {
		errs = append(errs, n.asked.Close())
	}
	if n.sender != nil {
		n.sender.Close()
	}
	if n.client != nil {
		n.client.Close()
	}
	if n.blobs != nil {
		errs = append(errs, n.blobs.Close())
	}
	if n.journal != nil {
		errs = append(errs, n.journal.Close())
	}
	return errors.Join(errs...)
}

// fail ends Run with an error; the first one counts.
func (n *Node) fail(err error) {
	select {
	case n.fault <- err:
	default:
	}
}
