package client

import (
	"cmp"
	"time"

	"ojud/config/bounds"
	"ojud/ledger"
	"ojud/node/library"
)

// Config holds the settings of a Client. Start from DefaultConfig.
type Config struct {
	// Ledger sets how to ask the chain. If RPC is empty, it is the descriptor's.
	Ledger  ledger.Config  `koanf:"ledger"`
	Content library.Config `koanf:"content"`
	// Poll is the time between two looks of Watch at a case.
	Poll time.Duration `koanf:"poll"`
}

// DefaultConfig returns the settings for a command with a person waiting for it.
func DefaultConfig() Config {
	chain := ledger.DefaultConfig()
	chain.RPC, chain.WS = "", "off"
	chain.Send.Status = 400 * time.Millisecond
	return Config{Ledger: chain, Content: library.DefaultConfig(), Poll: time.Second}
}

// Validate returns an error that names the first field outside its range.
func (c Config) Validate() error {
	return cmp.Or(bounds.Check("client: ", bounds.Of("poll", c.Poll, 100*time.Millisecond, time.Minute)), c.Content.Validate(), c.Ledger.Validate())
}
