package payment

import (
	"cmp"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// debt is the record of an unpaid answer of this node. The receipt is the key.
type debt struct {
	Case   casefile.Address `json:"case"`
	Round  uint8            `json:"round"`
	Judge  casefile.Address `json:"judge"`
	Peer   casefile.DID     `json:"peer"`
	Holder casefile.DID     `json:"holder"`
	Price  casefile.Amount  `json:"price"`
	At     int64            `json:"at"`
}

// All implements exchange.Debts: the oldest first.
func (t *Till) All() (out []exchange.Debt, err error) {
	sum := casefile.Amount(0)
	err = all(t.deps.Store, debtKind, func(rest []byte, d debt) error {
		if len(rest) != len(voting.Hash{}) {
			return fmt.Errorf("%w: a key of %d bytes", errRecord, len(rest))
		}
		sum += d.Price
		out = append(out, exchange.Debt{At: d.At, Bill: exchange.Bill{
			Seat:   exchange.Seat{Case: d.Case, Round: d.Round, Judge: d.Judge, Peer: d.Peer},
			Holder: d.Holder, Receipt: voting.Hash(rest), Price: uint64(d.Price),
		}})
		return nil
	})
	slices.SortStableFunc(out, func(x, y exchange.Debt) int { return cmp.Compare(x.At, y.At) })
	t.metrics.owed.Set(float64(sum))
	return out, err
}

// Add implements exchange.Debts.
func (t *Till) Add(d exchange.Debt) error {
	put := batch{}
	if err := put.add(debtKey(d.Receipt), debt{
		Case: d.Seat.Case, Round: d.Seat.Round, Judge: d.Seat.Judge, Peer: d.Seat.Peer, Holder: d.Holder, Price: casefile.Amount(d.Price), At: d.At,
	}); err != nil {
		return err
	}
	if err := t.deps.Store.Put(put); err != nil {
		return err
	}
	t.metrics.owed.Add(float64(d.Price))
	return nil
}

// Remove implements exchange.Debts.
func (t *Till) Remove(receipt voting.Hash) error {
	d, ok, err := load[debt](t.deps.Store, debtKey(receipt))
	if err != nil || !ok {
		return err
	}
	put := batch{}
	put.remove(debtKey(receipt))
	if err := t.deps.Store.Put(put); err != nil {
		return err
	}
	t.metrics.owed.Sub(float64(d.Price))
	return nil
}
