package exchange

import (
	"time"

	"ojud/config/bounds"
)

// Config is what an operator can set about data conversations.
type Config struct {
	Desk   DeskConfig   `koanf:"desk"`
	Holder HolderConfig `koanf:"holder"`
	Log    LogConfig    `koanf:"log"`
}

// DefaultConfig suits a round of ten minutes. It pays for nothing.
func DefaultConfig() Config {
	return Config{Desk: DefaultDeskConfig(), Holder: DefaultHolderConfig(), Log: DefaultLogConfig()}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	if err := c.Desk.Validate(); err != nil {
		return err
	}
	if err := c.Holder.Validate(); err != nil {
		return err
	}
	return c.Log.Validate()
}

// HolderConfig bounds what peers may want of this node.
type HolderConfig struct {
	// Conversations at once, in all, 1 to 4096, and with each peer, 1 to 256.
	Conversations int `koanf:"conversations"`
	PerPeer       int `koanf:"per_peer"`
	// Openings is how many conversations a peer may begin in a minute, 1 to 10000.
	Openings int `koanf:"openings"`
	// Cases is for how many cases it is known what they had of a source, 1 to 65536; the oldest is forgotten.
	Cases int `koanf:"cases"`
	// Credit is how many answers with a price a judge may owe for at once, 1 to 64: questions asked at the same time owe for a moment,
	// and a connection may break before the payment is there.
	Credit int `koanf:"credit"`
	// MaxDebts is how many unpaid answers are remembered, 1 to 1 million; beyond them nothing with a price is given.
	MaxDebts int `koanf:"max_debts"`
	// Forget is after how long a debt is forgiven, 1h to 8760h.
	Forget time.Duration `koanf:"forget"`
	// Linger is how long the last words of a conversation may take, 100ms to 1m.
	Linger time.Duration `koanf:"linger"`
}

// DefaultHolderConfig lets 28 judges ask a few things at once.
func DefaultHolderConfig() HolderConfig {
	return HolderConfig{Conversations: 128, PerPeer: 8, Openings: 120, Cases: 1024, Credit: 4, MaxDebts: 4096, Forget: 720 * time.Hour,
		Linger: 5 * time.Second}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c HolderConfig) Validate() error {
	return bounds.Check("exchange: holder.",
		bounds.Of("conversations", c.Conversations, 1, 4096),
		bounds.Of("per_peer", c.PerPeer, 1, 256),
		bounds.Of("openings", c.Openings, 1, 10_000),
		bounds.Of("cases", c.Cases, 1, 1<<16),
		bounds.Of("credit", c.Credit, 1, 64),
		bounds.Of("max_debts", c.MaxDebts, 1, 1_000_000),
		bounds.Of("forget", c.Forget, time.Hour, 8760*time.Hour),
		bounds.Of("linger", c.Linger, 100*time.Millisecond, time.Minute),
	)
}
