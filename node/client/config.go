package client

import (
	"fmt"
	"time"

	"ojud/ledger"
	"ojud/voting"
)

// Config is what a caller can set. Start from DefaultConfig.
type Config struct {
	// Ledger sets how the chain is asked. RPC is the descriptor's unless it is set here.
	Ledger  ledger.Config `koanf:"ledger"`
	Content Content       `koanf:"content"`
	// Poll is how often Watch looks at a case.
	Poll time.Duration `koanf:"poll"`
}

// Content sets how documents are brought to nodes.
type Content struct {
	// Copies is how many nodes should take each document. One is enough for a court to work,
	// several outlive a node.
	Copies int `koanf:"copies"`
	// Patience is how long a first node is looked for; nodes refuse a document until they have seen
	// the task on the chain.
	Patience time.Duration `koanf:"patience"`
	// Linger is how long further nodes are looked for after the first one took it.
	Linger time.Duration `koanf:"linger"`
	// Listen holds multiaddrs for the host of this command. Empty: a free port, on this machine
	// alone if all bootstrap nodes are here.
	Listen []string `koanf:"listen"`
}

// DefaultConfig suits a command that a person waits for.
func DefaultConfig() Config {
	chain := ledger.DefaultConfig()
	chain.RPC, chain.WS = "", "off"
	chain.Send.Status = 400 * time.Millisecond
	return Config{Ledger: chain, Content: DefaultContent(), Poll: time.Second}
}

// DefaultContent aims at 5 copies, and waits 30 s for the first.
func DefaultContent() Content {
	return Content{Copies: 5, Patience: 30 * time.Second, Linger: 3 * time.Second}
}

// Validate names the first field that is out of its range.
func (c Config) Validate() error {
	if c.Poll < 100*time.Millisecond || c.Poll > time.Minute {
		return fmt.Errorf("client: poll is %s, must be 100ms to 1m", c.Poll)
	}
	if err := c.Content.Validate(); err != nil {
		return err
	}
	return c.Ledger.Validate()
}

// Validate names the first field that is out of its range.
func (c Content) Validate() error {
	switch {
	case c.Copies < 1 || c.Copies > voting.MaxSeats:
		return fmt.Errorf("client: content.copies is %d, must be 1 to %d", c.Copies, voting.MaxSeats)
	case c.Patience < time.Second || c.Patience > 10*time.Minute:
		return fmt.Errorf("client: content.patience is %s, must be 1s to 10m", c.Patience)
	case c.Linger < 0 || c.Linger > time.Minute:
		return fmt.Errorf("client: content.linger is %s, must be 0 to 1m", c.Linger)
	}
	return nil
}
