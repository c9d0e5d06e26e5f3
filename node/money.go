package node

import (
	"errors"

	"ojud/ledger/journal"
	"ojud/node/payment"
)

// money is the journal's store of payments. It stops the node if a write fails, because then it
// does not know which records are on disk.
type money struct {
	store journal.Money
	fail  func(error)
}

var _ payment.Store = money{}

// Get implements payment.Store.
func (m money) Get(key []byte) ([]byte, error) { return m.store.Get(key) }

// Each implements payment.Store.
func (m money) Each(prefix []byte, f func(key, value []byte) error) error {
	return m.store.Each(prefix, f)
}

// Put implements payment.Store.
func (m money) Put(all map[string][]byte) error {
	err := m.store.Put(all)
	if err != nil && !errors.Is(err, journal.ErrTooLarge) && !errors.Is(err, journal.ErrInvalid) {
		m.fail(err)
	}
	return err
}
