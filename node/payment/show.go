package payment

import (
	"context"
	"errors"
	"slices"

	"ojud/casefile"
	"ojud/datasource/exchange"
)

// Vouchers implements exchange.Purse. A holder that says that it was not paid gets the channel's
// highest voucher for each of its bills, because it pays for all of them. Bills that no valid
// voucher covers are promised anew, as far as the vault allows.
func (p *Purse) Vouchers(ctx context.Context, holder casefile.DID) ([]exchange.Payment, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.ChainTimeout)
	defer cancel()
	if err := p.turn.take(ctx); err != nil {
		return nil, err
	}
	defer p.turn.give()
	bills, err := p.bills(func(b bill) bool { return b.Holder == holder })
	if err != nil || len(bills) == 0 {
		return nil, err
	}
	payee, err := p.payee(holder, bills[len(bills)-1])
	if err != nil {
		return nil, err
	}
	b, err := p.read(ctx, payee)
	if err != nil {
		return nil, err
	}
	owed := slices.DeleteFunc(bills, func(o *owing) bool {
		elsewhere := o.Payee != casefile.Address(payee) && o.Payee != casefile.Address{} // the holder has another authority now
		return elsewhere || o.Due == 0 && o.drawn(b.paid(payee))
	})
	for len(owed) > 0 {
		signed, err := p.promise(b, payee, owed)
		if err == nil {
			return payments(owed, signed)
		}
		if !errors.Is(err, errPoor) {
			return nil, err
		}
		owed = owed[:len(owed)-1] // the oldest first
	}
	return nil, nil
}

func payments(bills []*owing, s Signed) (out []exchange.Payment, err error) {
	raw, err := s.Encode()
	if err != nil {
		return nil, err
	}
	for _, o := range bills {
		out = append(out, exchange.Payment{Receipt: casefile.Digest(o.receipt), Voucher: raw})
	}
	return out, nil
}

// Sweep forgets old bills, and promises that have long expired.
func (p *Purse) Sweep(ctx context.Context) error {
	if err := p.turn.take(ctx); err != nil {
		return err
	}
	defer p.turn.give()
	before := p.deps.Clock() - seconds(p.cfg.KeepBills)
	old, err := p.old(before)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(old, maxSweep) {
		put := batch{}
		for _, key := range part {
			put.remove(key)
		}
		if err := p.deps.Store.Put(put); err != nil {
			return err
		}
	}
	return nil
}

// old returns the keys of bills and promises from before a time.
func (p *Purse) old(before int64) (keys []string, err error) {
	bills, err := p.bills(func(b bill) bool { return b.At < before })
	if err != nil {
		return nil, err
	}
	for _, o := range bills {
		keys = append(keys, o.key)
	}
	err = all(p.deps.Store, promiseKind, func(rest []byte, top promise) error {
		if top.Expires < before {
			keys = append(keys, promiseKind+string(rest))
		}
		return nil
	})
	return keys, err
}

// maxSweep bounds one transaction of the store.
const maxSweep = 500
