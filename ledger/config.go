package ledger

import (
	"time"

	"ojud/ledger/rpc"
)

// Config is everything an operator can set. Start from DefaultConfig, change what differs, then
// Validate.
type Config struct {
	// RPC is the URL of a Solana JSON-RPC node, http or https. If it is not set, that of
	// network.json is taken, if its name leads to no private address. A key in it is never logged.
	RPC string `koanf:"rpc"`
	// MoreRPC are the URLs of further RPC nodes of the same cluster, up to 7. With them, reads that
	// money or a signature depends on are compared, and transactions go to all. Take nodes of
	// different providers: two URLs of one provider say the same.
	MoreRPC []string `koanf:"more_rpc"`
	// Offer tells other judges those of the node's RPC URLs that are public and hold no key.
	// Visit asks the RPC nodes that other judges offer if the node's own do not answer, or
	// contradict each other. They are checked against each other. Without one of the node's own
	// they count only if judges with more than a third of all stake offer them.
	Offer bool `koanf:"offer"`
	Visit bool `koanf:"visit"`
	// VisitPrivate also asks, and offers, RPC nodes of this machine and of private networks, for
	// courts there. Else a stranger with a stake names addresses behind a judge's router.
	VisitPrivate bool `koanf:"visit_private"`
	// WS is the URL of its websocket. Empty: RPC with ws for http, and with the next port if it
	// names one, as solana's own tools derive it. "off": no websocket, only polls.
	WS string `koanf:"ws"`
	// Told: RPC and WS are those of network.json, and not the owner's word.
	Told bool
	// Commitment is "confirmed" or "finalized". "processed" is refused because such a block may
	// vanish.
	Commitment string `koanf:"commitment"`
	// SkewWarning is the difference between this machine's clock and the chain's above which the
	// operator is warned. It is never an error, because all deadlines are the chain's.
	SkewWarning time.Duration `koanf:"skew_warning"`

	Calls rpc.Calls `koanf:"calls"`
	Watch Watch     `koanf:"watch"`
	Send  Send      `koanf:"send"`
}

// Watch sets how the program is followed.
type Watch struct {
	// Poll is how often live cases are read. Without a websocket, the chain's clock is read and the
	// program's transactions are listed so often, too, while something happens in the court.
	Poll time.Duration `koanf:"poll_interval"`
	// Sweep is how often the program's transactions are listed while the websocket works, to find
	// transactions that it missed; without one, while nothing has happened for a minute. Then a
	// node sees a new case so late, unless a peer tells it.
	Sweep time.Duration `koanf:"sweep_interval"`
	// Rescan is how often all cases of the program are listed.
	Rescan time.Duration `koanf:"rescan_interval"`
	// Ping is how often the websocket is pinged, and how long the answer may take.
	Ping time.Duration `koanf:"ping_interval"`
	// Stall is how long a websocket may be silent before it is opened again. The chain's clock
	// moves every slot.
	Stall time.Duration `koanf:"stall_timeout"`
	// ReconnectMax bounds the wait before a websocket is opened again. It starts at
	// ledger.calls.backoff_min and doubles.
	ReconnectMax time.Duration `koanf:"max_reconnect_wait"`
	// MaxMessage bounds a websocket message, in bytes.
	MaxMessage int `koanf:"max_message_bytes"`
	// Buffer bounds the transactions from the websocket that wait for the receiver. A sweep finds
	// those that do not fit.
	Buffer int `koanf:"max_pending_transactions"`
	// Page is how many signatures are asked for at once, at most 1000.
	Page int `koanf:"signatures_per_page"`
	// Window bounds the signatures held in memory when an outage is caught up; a longer one is
	// caught up in several passes.
	Window int `koanf:"max_catch_up_signatures"`
	// Overlap is how many slots are listed again at each sweep: nodes index late, and confirmed
	// blocks may vanish.
	Overlap uint64 `koanf:"overlap_slots"`
	// Remember is how many signatures are remembered, so that no transaction is given out twice. It
	// must exceed what Overlap slots can hold.
	Remember int `koanf:"remembered_signatures"`
	// MaxCases bounds the followed cases without a seat of the watcher's judges. Live cases
	// displace finished ones. Cases with a seat always fit.
	MaxCases int `koanf:"max_cases"`
	// MaxHistory bounds the earlier transactions that are read for one case.
	MaxHistory int `koanf:"max_case_transactions"`
	// HistoryCache bounds the memory for transactions read before, in bytes.
	HistoryCache int `koanf:"history_cache_bytes"`
}

// Send sets how transactions are sent.
type Send struct {
	// Rebroadcast is how often a transaction that has not landed is sent again.
	Rebroadcast time.Duration `koanf:"rebroadcast_interval"`
	// Status is how often its status is asked for.
	Status time.Duration `koanf:"status_interval"`
	// PriorityFee is in micro-lamports a compute unit: a number, or "auto" for the
	// PriorityPercentile-th percentile of what others paid lately for the same accounts, at most
	// PriorityCap.
	PriorityFee        string `koanf:"priority_fee"`
	PriorityPercentile int    `koanf:"priority_percentile"`
	PriorityCap        uint64 `koanf:"max_priority_fee"`
	// PriorityBudget is how many lamports priority fees may cost in 24 hours. Without a rest of it,
	// transactions offer no priority fee. The default is 0.01 SOL.
	PriorityBudget uint64 `koanf:"priority_budget"`
	// ComputeMargin is added to the compute units that a simulation used, in percent: the accounts
	// may differ when it lands.
	ComputeMargin int `koanf:"compute_margin_percent"`
	// MaxInFlight bounds the transactions under way at once.
	MaxInFlight int `koanf:"max_in_flight"`
	// MaxSignings bounds how often a transaction that expired is signed and sent again.
	MaxSignings int `koanf:"max_signings"`
}

// told returns the URLs that are not the owner's word.
func (c Config) told() []string {
	if !c.Told {
		return nil
	}
	return []string{c.RPC, c.WS}
}

// DefaultConfig returns settings for a node on this machine; only RPC is left to set for another.
func DefaultConfig() Config {
	return Config{
		RPC: "http://127.0.0.1:8899", Offer: true, Visit: true, Commitment: "confirmed", SkewWarning: 30 * time.Second,
		Calls: rpc.Calls{
			Timeout: 10 * time.Second, Patience: 20 * time.Second, BackoffMin: 200 * time.Millisecond, BackoffMax: 5 * time.Second,
			MaxInFlight: 16, Rate: 8, Burst: 20, MaxAnswer: 16 << 20,
		},
		Watch: Watch{
			Poll: 2 * time.Second, Sweep: 15 * time.Second, Rescan: time.Minute,
			Ping: 15 * time.Second, Stall: 20 * time.Second, ReconnectMax: 30 * time.Second, MaxMessage: 1 << 20, Buffer: 4096,
			Page: 1000, Window: 50_000, Overlap: 150, Remember: 16_384,
			MaxCases: 1024, MaxHistory: 10_000, HistoryCache: 32 << 20,
		},
		Send: Send{
			Rebroadcast: 2 * time.Second, Status: time.Second,
			PriorityFee: autoPriority, PriorityPercentile: 75, PriorityCap: 1_000_000, PriorityBudget: 10_000_000, ComputeMargin: 25,
			MaxInFlight: 64, MaxSignings: 8,
		},
	}
}
