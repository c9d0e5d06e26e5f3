package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/libp2p/go-libp2p"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/library"
	"ojud/voting"
)

// Errors that callers tell apart.
var (
	// errNoKey means that the action needs a key, and the client has none.
	errNoKey = errors.New("client: this needs a key")
	// ErrNoAgent means that the key has no agent account yet.
	ErrNoAgent = errors.New("client: not registered as an agent")
	// errNotNow means that the task's or case's state does not allow the action.
	errNotNow = errors.New("client: not possible")
	// errUnsettled means that the result of a transaction is not known. It may still land.
	errUnsettled = errors.New("client: it is not known whether the transaction landed")
)

// Deps are the dependencies of a Client. Every field may be empty.
type Deps struct {
	// Logger receives details for developers. If it is nil, nothing is logged.
	Logger *slog.Logger
	// Transport carries requests to the RPC node. Nil means the network.
	Transport http.RoundTripper
	// Libp2p are further options of the host that publishes documents, for tests.
	Libp2p []libp2p.Option
}

// Client acts in one court with one key. Its methods may be called from several goroutines.
type Client struct {
	*court
	key    *ledger.Keypair
	cfg    Config
	deps   Deps
	sender *ledger.Sender

	mu      sync.Mutex
	library *library.Library
}

// court reads the accounts of one court. It needs no key, but knows the address of the client's.
type court struct {
	network node.Descriptor
	domain  voting.Domain
	self    onchain.Address // zero if the client has no key
	chain   chain
	program program.Program
}

// chain has the reads of a party from a chain with accounts, in plain types. Each read of an
// account returns its slot, too. Airdrop and Await are for test courts.
type chain interface {
	Reads
	Now(ctx context.Context) (ledger.Moment, error)
	Balance(ctx context.Context, of onchain.Address) (lamports, slot uint64, err error)
	Config(ctx context.Context) (*program.Config, uint64, error)
	Roster(ctx context.Context) (*program.Roster, uint64, error)
	Admissions(ctx context.Context) ([]ledger.Keyed[program.Admission], uint64, error)
	Agent(ctx context.Context, authority onchain.Address) (*program.Agent, uint64, error)
	Agents(ctx context.Context) ([]ledger.Keyed[program.Agent], uint64, error)
	Task(ctx context.Context, task onchain.Address) (*program.Task, uint64, error)
	Tasks(ctx context.Context, f ledger.TaskFilter) ([]ledger.Keyed[program.Task], uint64, error)
	Case(ctx context.Context, task onchain.Address) (*program.Case, uint64, error)
	Cases(ctx context.Context, status voting.Status) ([]ledger.Keyed[program.Case], uint64, error)
	Airdrop(ctx context.Context, to onchain.Address, lamports uint64) (onchain.Signature, error)
	Await(ctx context.Context, s onchain.Signature) (slot uint64, err error)
	Close()
}

// Open connects to a court and checks that the chain is the one of network.json. The key may be nil
// if the client only reads.
func Open(ctx context.Context, network node.Descriptor, key *ledger.Keypair, cfg Config, deps Deps) (*Client, error) {
	domain, err := network.Domain()
	if err != nil {
		return nil, err
	}
	if cfg.Ledger.RPC == "" {
		cfg.Ledger.RPC, cfg.Ledger.Told = network.RPC, true
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Client{court: &court{network: network, domain: domain}, key: key, cfg: cfg, deps: deps}
	if key != nil {
		c.self = key.Address()
	}
	rpc, err := ledger.New(cfg.Ledger, onchain.Address(domain.Program), ledger.Deps{Transport: deps.Transport, Logger: deps.Logger})
	if err != nil {
		return nil, err
	}
	c.chain, c.program = rpc, rpc.Program()
	if err := rpc.CheckChain(ctx, onchain.Hash(domain.Network)); err != nil {
		rpc.Close()
		return nil, fmt.Errorf("client: court %q at %s: %w", network.Name, cfg.Ledger.RPC, err)
	}
	if c.sender, err = ledger.OpenSender(ctx, rpc, &ledger.MemoryOutbox{}); err != nil {
		rpc.Close()
		return nil, err
	}
	return c, nil
}

// Close closes the connections. A transaction that was sent may still land.
func (c *Client) Close() error {
	c.sender.Close()
	c.chain.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.library == nil {
		return nil
	}
	return c.library.Close()
}

// Network returns the court.
func (c *court) Network() node.Descriptor { return c.network }

// Me returns the address of the client's key. It is empty if there is no key.
func (c *court) Me() string { return address(c.self) }

// who returns the address, or the key's own if the address is zero. It returns errNoKey if both are
// missing.
func (c *court) who(address onchain.Address) (onchain.Address, error) {
	if address = cmp.Or(address, c.self); address.IsZero() {
		return address, errNoKey
	}
	return address, nil
}
