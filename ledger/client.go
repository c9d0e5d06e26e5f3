package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/providers"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
)

// Deps are the parts that a Client gets from outside.
type Deps struct {
	// Transport carries HTTP requests and the websocket's handshake. Nil: the network, with the
	// limits of Config. A handler in the same process can stand in for it.
	Transport http.RoundTripper
	// Logger receives what an operator should know. Nil: nothing is logged.
	Logger *slog.Logger
	// Metrics registers what doc.go lists. Nil: nothing is registered.
	Metrics prometheus.Registerer
	// Offered returns the RPC nodes that other judges offer (see providers.Connections). Nil: none.
	Offered func() []providers.Guest
}

// Client reads one deployment of the program from one chain. All its methods may be called from
// several goroutines.
//
// Reads never go backward: an answer from an older slot than one before is not taken. The node is
// asked again until it has caught up, and after Calls.Patience the read fails with ErrStale.
type Client struct {
	cfg     Config
	program program.Program
	caller  *providers.Pool
	log     *slog.Logger
	metrics *metrics
	reg     prometheus.Registerer
	http    *http.Client // for websockets
	clock   *looks.Clock
	cache   *txCache
	own     *http.Transport // nil if it is not ours to close

	priority *transact.PriorityBudget

	floor atomic.Uint64 // newest slot of an answer

	mu      sync.Mutex
	genesis onchain.Hash // of the chain that this client is bound to; zero before
	checked uint64       // caller.trouble when the genesis hash was last compared
	other   error        // ErrOtherChain, for good
}

// New makes a client of the program at an address. It asks the node nothing: call CheckChain next.
func New(cfg Config, address onchain.Address, deps Deps) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if address.IsZero() {
		return nil, errors.New("ledger: the program's address is zero, set it to the one in network.json")
	}
	m, err := newMetrics(deps.Metrics)
	if err != nil {
		return nil, err
	}
	c := &Client{
		cfg: cfg, program: program.New(address), metrics: m, reg: deps.Metrics,
		log: cmp.Or(deps.Logger, slog.New(slog.DiscardHandler)), clock: looks.NewClock(m.clock), cache: newTxCache(cfg.Watch.HistoryCache),
	}
	c.priority = &transact.PriorityBudget{Limit: cfg.Send.PriorityBudget, Refused: func(spent uint64) {
		c.log.Warn("no priority fee is offered, because send.priority_budget is spent", "spent", spent, "budget", cfg.Send.PriorityBudget)
	}}
	transport := deps.Transport
	if transport == nil {
		c.own = providers.Transport(cfg.Calls, cfg.told()...)
		transport = c.own
	}
	if c.caller, err = newPool(c, transport, deps); err != nil {
		return nil, err
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: rpc.Stay}
	return c, nil
}

// newPool makes the callers of the nodes.
func newPool(c *Client, transport http.RoundTripper, deps Deps) (*providers.Pool, error) {
	open := func(url string) (*rpc.Caller, error) {
		return rpc.NewCaller(url, c.cfg.Calls, transport, c.metrics.calls)
	}
	d := providers.Connections{Open: open, Logger: c.log, Metrics: c.metrics.providers}
	if c.cfg.Visit {
		d.Offered, d.Visit = deps.Offered, providers.Visit(c.cfg.VisitPrivate, c.cfg.Calls, deps.Transport, c.metrics.calls)
	}
	return providers.New(append([]string{c.cfg.RPC}, c.cfg.MoreRPC...), c.cfg.Calls, d)
}

// Providers returns the state of each RPC node.
func (c *Client) Providers() []providers.Provider { return c.caller.List() }

// Close lets go of idle connections and of the metrics. Calls under way end by their own contexts.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	c.metrics.unregister(c.reg)
}

// Program names the program that this client reads.
func (c *Client) Program() program.Program { return c.program }

// Clock returns the chain's time as this client knows it. A Watcher keeps it going; without one,
// Now does.
func (c *Client) Clock() *looks.Clock { return c.clock }

// Slot is the newest slot that an answer came from.
func (c *Client) Slot() uint64 { return c.floor.Load() }

// call asks the node. If the node was out of reach since the last time, its genesis hash is
// compared before the answer counts.
func (c *Client) call(ctx context.Context, method string, params []any, out any, check func() error, final ...error) error {
	if err := c.bound(); err != nil {
		return err
	}
	if err := c.caller.Call(ctx, method, params, out, check, final...); err != nil {
		if errors.Is(err, ErrStale) {
			c.caller.Doubt() // a chain that was started anew is behind the old one, too
			err = errors.Join(err, c.verify(ctx))
		}
		return err
	}
	return c.verify(ctx)
}

// bound returns ErrOtherChain if that was found before.
func (c *Client) bound() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.other
}

// verify compares the genesis hash if there was trouble since the last time: another chain may
// answer now, for example a devnet that was started again.
func (c *Client) verify(ctx context.Context) error {
	c.mu.Lock()
	want, checked, other := c.genesis, c.checked, c.other
	c.mu.Unlock()
	trouble := c.caller.Trouble()
	if other != nil || want.IsZero() || trouble == checked {
		return other
	}
	var got onchain.Hash
	if err := c.caller.Call(ctx, "getGenesisHash", nil, &got, nil); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if got == c.genesis {
		c.checked = max(c.checked, trouble)
		return nil
	}
	c.other = fmt.Errorf("%w: the node at %s has genesis hash %s, not %s; it was started anew or rpc points elsewhere", ErrOtherChain,
		c.caller.Host(), got, c.genesis)
	return c.other
}

// Genesis returns the genesis hash of the chain that this client is bound to, and binds it to the
// node's if it was not.
func (c *Client) Genesis(ctx context.Context) (onchain.Hash, error) {
	c.mu.Lock()
	known, other := c.genesis, c.other
	c.mu.Unlock()
	if other != nil || !known.IsZero() {
		return known, other
	}
	var got onchain.Hash
	if err := c.caller.Call(ctx, "getGenesisHash", nil, &got, nil); err != nil {
		return onchain.Hash{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.genesis.IsZero() {
		c.genesis = got
	}
	return c.genesis, nil
}

// Finalized returns a client that reads at commitment "finalized". Use it for facts that must not
// be undone, such as those of a case file. It is bound to the same chain and shares this client's
// connections, limits and metrics; close only the first. It lags by the time that a block takes to
// become final, about 13 s on the main cluster, and so has a Slot of its own: mixing the answers of
// both goes back in time.
func (c *Client) Finalized() *Client {
	cfg := c.cfg
	cfg.Commitment = "finalized"
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Client{
		cfg: cfg, program: c.program, caller: c.caller, log: c.log, metrics: c.metrics, http: c.http,
		clock: c.clock, cache: newTxCache(cfg.Watch.HistoryCache), priority: c.priority, genesis: c.genesis, checked: c.checked, other: c.other,
	}
}
