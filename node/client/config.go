package client

import (
	"cmp"
	"time"

	"ojud/config/bounds"
	"ojud/ledger"
	"ojud/voting"
)

// Config holds the settings of a Client. Start from DefaultConfig.
type Config struct {
	// Ledger sets how to ask the chain. If RPC is empty, it is the descriptor's.
	Ledger  ledger.Config `koanf:"ledger"`
	Content Content       `koanf:"content"`
	// Poll is the time between two looks of Watch at a case.
	Poll time.Duration `koanf:"poll"`
}

// Content sets how documents are published.
type Content struct {
	// Copies is the wanted number of nodes that take each document. One is enough for a court to
	// work; with several, a document survives the loss of a node.
	Copies int `koanf:"copies"`
	// Patience bounds the search for a first node. Nodes refuse a document until they have seen its
	// task on the chain.
	Patience time.Duration `koanf:"patience"`
	// Linger bounds the search for further nodes after the first one.
	Linger time.Duration `koanf:"linger"`
	// Listen holds multiaddrs for the host of this command. If it is empty, the host takes a free
	// port, on loopback if all bootstrap nodes are on this machine.
	Listen []string `koanf:"listen"`
}

// DefaultConfig returns the settings for a command with a person waiting for it.
func DefaultConfig() Config {
	chain := ledger.DefaultConfig()
	chain.RPC, chain.WS = "", "off"
	chain.Send.Status = 400 * time.Millisecond
	return Config{Ledger: chain, Content: defaultContent(), Poll: time.Second}
}

// defaultContent returns the settings for 5 copies, with 30 s for the first.
func defaultContent() Content {
	return Content{Copies: 5, Patience: 30 * time.Second, Linger: 3 * time.Second}
}

// Validate returns an error that names the first field outside its range.
func (c Config) Validate() error {
	return cmp.Or(bounds.Check("client: ", bounds.Of("poll", c.Poll, 100*time.Millisecond, time.Minute)), c.Content.Validate(), c.Ledger.Validate())
}

// Validate returns an error that names the first field outside its range.
func (c Content) Validate() error {
	return bounds.Check("client: content.", bounds.Of("copies", c.Copies, 1, voting.MaxSeats),
		bounds.Of("patience", c.Patience, time.Second, 10*time.Minute), bounds.Of("linger", c.Linger, 0, time.Minute))
}
