package bank

import (
	"ojud/ledger/svm/accounts"
)

// store keeps a chain.
type store interface {
	// load returns the committed chain, or nil if there is none.
	load() (*saved, error)
	// commit writes entries in order and returns when all are durable. Each is written whole or not
	// at all.
	commit([]entry) error
	close() error
}

// saved is a chain from the store.
type saved struct {
	genesis  []byte
	head     head
	accounts []accounts.Keyed
	blocks   []*Block // ascending slot
	records  [][]byte // ascending sequence
}

// memory keeps nothing: the chain ends with the process.
type memory struct{}

var _ store = memory{}

func (memory) load() (*saved, error) { return nil, nil }
func (memory) commit([]entry) error  { return nil }
func (memory) close() error          { return nil }
