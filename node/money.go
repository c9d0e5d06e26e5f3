package node

import (
	"errors"

	"ojud/ledger/journal"
	"ojud/node/payment"
)

// money is the journal's store of payments. It stops the node if a write fails, because then it
// does not know which records are on disk.
type money struct {
	journal.Money
	fail func(error)
}

var _ payment.Store = money{}

func (m money) Put(all map[string][]byte) error {
	err := m.Money.Put(all)
	if err != nil && !errors.Is(err, journal.ErrTooLarge) && !errors.Is(err, journal.ErrInvalid) {
		m.fail(err)
	}
	return err
}
