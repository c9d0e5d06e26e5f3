package bank

import "ojud/ledger/svm"

// store keeps a chain.
type store interface {
	// load returns what was committed, nil if nothing was.
	load() (*saved, error)
	// commit writes entries in order; each is durable whole or not at all, and all are when it
	// returns.
	commit([]entry) error
	close() error
}

// saved is a chain as it was left.
type saved struct {
	genesis  []byte
	head     head
	accounts []svm.KeyedAccount
	blocks   []*Block // ascending slot
	records  [][]byte // ascending sequence
}

// memory keeps nothing: the chain ends with the process.
type memory struct{}

var _ store = memory{}

func (memory) load() (*saved, error) { return nil, nil }
func (memory) commit([]entry) error  { return nil }
func (memory) close() error          { return nil }
