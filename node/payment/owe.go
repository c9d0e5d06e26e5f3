package payment

import (
	"cmp"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger/onchain"
	"ojud/voting"
)

type owing struct {
	key string
	bill
	receipt voting.Hash
}

func (p *Purse) owe(b exchange.Bill) (*owing, error) {
	key := billKey(b.Seat.Case, b.Receipt)
	old, ok, err := load[bill](p.deps.Store, key)
	if err != nil {
		return nil, err
	}
	if ok {
		if old.Holder != b.Holder || uint64(old.Price) != b.Price {
			return nil, fmt.Errorf("%w: one for the receipt %s is there, of another holder or price", errBill, casefile.Digest(b.Receipt))
		}
		return &owing{key, old, b.Receipt}, nil
	}
	now := p.deps.Clock()
	if now == 0 {
		return nil, errClock
	}
	fresh := bill{Holder: b.Holder, Price: casefile.Amount(b.Price), Due: casefile.Amount(b.Price), At: now}
	put := batch{}
	if err := put.add(key, fresh); err != nil {
		return nil, err
	}
	return &owing{key, fresh, b.Receipt}, p.deps.Store.Put(put)
}

// bills returns the selected bills, the oldest first.
func (p *Purse) bills(choose func(bill) bool) (out []*owing, err error) {
	err = all(p.deps.Store, billKind, func(rest []byte, b bill) error {
		if len(rest) != 64 {
			return fmt.Errorf("%w: a key of %d bytes", errRecord, len(rest))
		}
		if choose(b) {
			out = append(out, &owing{billKind + string(rest), b, voting.Hash(rest[32:])})
		}
		return nil
	})
	slices.SortStableFunc(out, func(x, y *owing) int { return cmp.Compare(x.At, y.At) })
	return out, err
}

// payee returns the authority to which a bill was promised, or else the authority of its holder.
func (p *Purse) payee(holder casefile.DID, o *owing) (onchain.Address, error) {
	if o.Payee != (casefile.Address{}) {
		return onchain.Address(o.Payee), nil
	}
	payee, err := p.deps.Payee(holder)
	if err != nil {
		return payee, fmt.Errorf("payment: the holder's authority: %w", err)
	}
	return payee, nil
}
