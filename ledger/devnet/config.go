package devnet

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/config/bounds"
	"ojud/ledger/devnet/bank"
)

// Config has the operator's settings. Start from DefaultConfig.
type Config struct {
	// RPC is the host:port of JSON-RPC over HTTP. It also accepts websockets.
	RPC string `koanf:"rpc"`
	// WS is the host:port of the websocket. If it is empty, it is the port after RPC's, where
	// web3.js looks for it.
	WS string `koanf:"ws"`
	// Chain has the settings of the chain itself.
	Chain bank.Config `koanf:"chain"`

	// NoFaucet disables requestAirdrop. AirdropLimit bounds the lamports of one request, and
	// FaucetLimit those of all requests since genesis (lamports that come back to the faucet count
	// again).
	NoFaucet     bool   `koanf:"no_faucet"`
	AirdropLimit uint64 `koanf:"airdrop_limit"`
	FaucetLimit  uint64 `koanf:"faucet_limit"`
	// NoWarp disables devnet_warp.
	NoWarp bool `koanf:"no_warp"`

	// MaxBody bounds a request in bytes, MaxBatch its calls, and MaxAnswer the answers to it in
	// bytes, because a short request can name one large account very often.
	MaxBody   int64 `koanf:"max_body"`
	MaxBatch  int   `koanf:"max_batch"`
	MaxAnswer int   `koanf:"max_answer"`
	// MaxConns bounds the connections of a port: for one more, one leaves that has not sent a whole
	// request. MaxRequests bounds the requests in progress; the others wait.
	MaxConns    int `koanf:"max_conns"`
	MaxRequests int `koanf:"max_requests"`
	// Timeout bounds reading a request and writing its response.
	Timeout time.Duration `koanf:"timeout"`

	// MaxSockets bounds websockets, and MaxSubscriptions the subscriptions of one.
	MaxSockets       int `koanf:"max_sockets"`
	MaxSubscriptions int `koanf:"max_subscriptions"`
	// QueueBytes bounds the messages that wait for one websocket. A slower consumer is
	// disconnected.
	QueueBytes int `koanf:"queue_bytes"`
	// PingInterval is the time between probes of a websocket. If it does not answer within that
	// time, it is closed.
	PingInterval time.Duration `koanf:"ping_interval"`
}

// DefaultConfig is a chain in memory on the ports of solana-test-validator, 8899 and 8900, on the
// local machine. It gives airdrops of at most 10,000 SOL, and 100 million SOL in all.
func DefaultConfig() Config {
	return Config{
		RPC: "127.0.0.1:8899", Chain: bank.DefaultConfig(),
		AirdropLimit: 10_000 * solana.LAMPORTS_PER_SOL, FaucetLimit: 100_000_000 * solana.LAMPORTS_PER_SOL,
		MaxBody: 50 << 10, MaxBatch: 100, MaxAnswer: 64 << 20, MaxConns: 1024, MaxRequests: 256, Timeout: 30 * time.Second,
		MaxSockets: 512, MaxSubscriptions: 1_000, QueueBytes: 16 << 20, PingInterval: 20 * time.Second,
	}
}

// Validate returns an error that names the wrong field, its limit and the fix.
func (c Config) Validate() error {
	if err := c.Chain.Validate(); err != nil {
		return err
	}
	if err := c.validateAddresses(); err != nil {
		return err
	}
	ranges := []bounds.Range{
		bounds.Of("max_body", c.MaxBody, 4<<10, 16<<20),
		bounds.Of("max_batch", c.MaxBatch, 1, 10_000),
		bounds.Of("max_answer", c.MaxAnswer, 1<<20, 1<<30),
		bounds.AtLeast("max_conns", c.MaxConns, 1),
		bounds.AtLeast("max_requests", c.MaxRequests, 1),
		bounds.AtLeast("timeout", c.Timeout, time.Second),
		bounds.AtLeast("max_sockets", c.MaxSockets, 1),
		bounds.AtLeast("max_subscriptions", c.MaxSubscriptions, 1),
		bounds.AtLeast("queue_bytes", c.QueueBytes, 1<<20),
		bounds.AtLeast("ping_interval", c.PingInterval, time.Second),
	}
	if !c.NoFaucet {
		ranges = append(ranges, bounds.AtLeast("airdrop_limit", c.AirdropLimit, 1),
			bounds.AtLeast("faucet_limit", c.FaucetLimit, c.AirdropLimit))
	}
	return bounds.Check("devnet: config: ", ranges...)
}

func (c Config) validateAddresses() error {
	port, err := portOf(c.RPC)
	if err != nil {
		return fmt.Errorf("devnet: config: rpc: %w: set it to 127.0.0.1:8899", err)
	}
	if c.WS == "" {
		if port == 65535 {
			return errors.New("devnet: config: rpc: there is no port after 65535 for the websocket: set ws")
		}
		return nil
	}
	if _, err := portOf(c.WS); err != nil {
		return fmt.Errorf("devnet: config: ws: %w: leave it empty for the port after rpc's", err)
	}
	return nil
}

func portOf(address string) (int, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is no port", port)
	}
	return int(n), nil
}

// Deps are the dependencies of a server.
type Deps struct {
	// Logger must be set.
	Logger *slog.Logger
	// Metrics may be nil.
	Metrics prometheus.Registerer
	// Genesis is the initial state of a new chain. Without a Seed, a random one is made. With a
	// Seed and a Now that the caller controls, the chain is deterministic.
	Genesis bank.Genesis
	// Now is the chain's clock. If it is nil, it is time.Now.
	Now func() time.Time
	// Manual leaves the slots to the caller: Run seals none, so the caller must call Seal.
	Manual bool
	// Network answers GET /network.json (docs/protocol.md, section 11). If it is nil, the answer is
	// 404.
	Network http.Handler
}
