package exchange

import (
	"cmp"
	"time"

	"ojud/config/bounds"
)

// Config holds the operator's settings for data conversations.
type Config struct {
	Requester RequesterConfig `koanf:"requester"`
	Holder    HolderConfig    `koanf:"holder"`
	Log       LogConfig       `koanf:"log"`
}

// DefaultConfig suits a round of ten minutes. It pays for nothing.
func DefaultConfig() Config {
	return Config{Requester: DefaultRequesterConfig(), Holder: DefaultHolderConfig(), Log: DefaultLogConfig()}
}

// Validate names the setting that is wrong, its limits, and the fix.
func (c Config) Validate() error {
	return cmp.Or(c.Requester.Validate(), c.Holder.Validate(), c.Log.Validate())
}

// HolderConfig bounds the requests of peers to this node.
type HolderConfig struct {
	// MaxConversations bounds the conversations at once with all peers, 1 to 4096. Peers that are
	// no judges have at most a quarter of them.
	MaxConversations int `koanf:"max_conversations"`
	// MaxPerPeer bounds the conversations at once with one peer, 1 to 256.
	MaxPerPeer int `koanf:"max_conversations_per_peer"`
	// OpeningsPerMinute bounds the conversations that a peer may begin in a minute, 1 to 10000.
	OpeningsPerMinute int `koanf:"openings_per_minute"`
	// StrangersPerMinute bounds the conversations that all peers that are no judges may begin in a
	// minute, together, 1 to 10000. The node reads the chain for each.
	StrangersPerMinute int `koanf:"strangers_per_minute"`
	// MaxCases bounds the rounds of cases whose share of a source is remembered, and the tasks,
	// 1 to 65536. The oldest is forgotten.
	MaxCases int `koanf:"max_cases"`
	// MaxUnpaid bounds the priced answers that a judge may owe for at once, 1 to 64. It is above 1
	// because questions asked at once owe for a moment, and because a connection may break before
	// the payment arrives.
	MaxUnpaid int `koanf:"max_unpaid_per_judge"`
	// MaxDebts bounds the unpaid answers that are remembered, 1 to 1000000. Beyond it, no priced
	// answer is given.
	MaxDebts int `koanf:"max_debts"`
	// ForgiveAfter is the age at which a debt is forgiven, 1h to 8760h.
	ForgiveAfter time.Duration `koanf:"forgive_debts_after"`
	// CloseTimeout bounds the last messages of a conversation, 100ms to 1m.
	CloseTimeout time.Duration `koanf:"close_timeout"`
}

// DefaultHolderConfig lets 28 judges ask a few questions at once.
func DefaultHolderConfig() HolderConfig {
	return HolderConfig{MaxConversations: 128, MaxPerPeer: 8, OpeningsPerMinute: 120, StrangersPerMinute: 240, MaxCases: 1024, MaxUnpaid: 4, MaxDebts: 4096,
		ForgiveAfter: 720 * time.Hour, CloseTimeout: 5 * time.Second}
}

// Validate names the setting that is wrong, its limits, and the fix.
func (c HolderConfig) Validate() error {
	return bounds.Check("exchange: holder.",
		bounds.Of("max_conversations", c.MaxConversations, 1, 4096),
		bounds.Of("max_conversations_per_peer", c.MaxPerPeer, 1, 256),
		bounds.Of("openings_per_minute", c.OpeningsPerMinute, 1, 10_000),
		bounds.Of("strangers_per_minute", c.StrangersPerMinute, 1, 10_000),
		bounds.Of("max_cases", c.MaxCases, 1, 1<<16),
		bounds.Of("max_unpaid_per_judge", c.MaxUnpaid, 1, 64),
		bounds.Of("max_debts", c.MaxDebts, 1, 1_000_000),
		bounds.Of("forgive_debts_after", c.ForgiveAfter, time.Hour, 8760*time.Hour),
		bounds.Of("close_timeout", c.CloseTimeout, 100*time.Millisecond, time.Minute),
	)
}
