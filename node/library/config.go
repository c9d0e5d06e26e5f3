package library

import (
	"errors"
	"log/slog"
	"time"

	"github.com/libp2p/go-libp2p"

	"ojud/config/bounds"
	"ojud/voting"
)

// Errors that callers tell apart.
var (
	// ErrNotPublished means that no node took a document.
	ErrNotPublished = errors.New("library: no node took the document")
	// ErrNoContent means that no node that answered has a document.
	ErrNoContent = errors.New("library: no node has the document")
)

// Deps are the dependencies of a Library. Every field may be empty.
type Deps struct {
	// Logger receives details for developers. If it is nil, nothing is logged.
	Logger *slog.Logger
	// Libp2p are further options of the host, for tests.
	Libp2p []libp2p.Option
}

// Config sets how documents are published.
type Config struct {
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

// DefaultConfig returns the settings for 5 copies, with 30 s for the first.
func DefaultConfig() Config {
	return Config{Copies: 5, Patience: 30 * time.Second, Linger: 3 * time.Second}
}

// Validate returns an error that names the first field outside its range.
func (c Config) Validate() error {
	return bounds.Check("content.", bounds.Of("copies", c.Copies, 1, voting.MaxSeats),
		bounds.Of("patience", c.Patience, time.Second, 10*time.Minute), bounds.Of("linger", c.Linger, 0, time.Minute))
}
