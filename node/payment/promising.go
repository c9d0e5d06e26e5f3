package payment

import (
	"context"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// books are the basis of a decision: the promises that count, and the chain.
type books struct {
	sight
	self        onchain.Address
	vault       uint64
	promises    map[onchain.Address]promise // alive, or of the named payees
	now, margin int64
}

// read reads promises, the own vault and channels, in one read of the chain.
func (p *Purse) read(ctx context.Context, payees ...onchain.Address) (*books, error) {
	b := &books{self: p.deps.Self, promises: map[onchain.Address]promise{}, now: p.deps.Clock(), margin: seconds(p.cfg.ExpiryMargin)}
	if b.now == 0 {
		return nil, errClock
	}
	err := all(p.deps.Store, promiseKind, func(rest []byte, top promise) error {
		if len(rest) != 32 {
			return fmt.Errorf("%w: a key of %d bytes", errRecord, len(rest))
		}
		if payee := onchain.Address(rest); top.alive(b.now, b.margin) || slices.Contains(payees, payee) {
			b.promises[payee] = top
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b, b.look(ctx, p.deps.Chain, payees)
}

func (b *books) look(ctx context.Context, c AccountReader, payees []onchain.Address) (err error) {
	var pairs []pair
	for _, payee := range payees {
		pairs = append(pairs, pair{b.self, payee})
	}
	for payee := range b.promises {
		if !slices.Contains(payees, payee) {
			pairs = append(pairs, pair{b.self, payee})
		}
	}
	if b.sight, err = see(ctx, c, append([]onchain.Address{b.self}, payees...), pairs); err != nil {
		return err
	}
	for _, payee := range payees {
		if _, err := b.sight.vault(payee); err != nil {
			return err
		}
	}
	b.vault, err = b.sight.vault(b.self)
	return err
}

// paid returns how much the channel with a payee has paid.
func (b *books) paid(payee onchain.Address) uint64 { return b.channels[pair{b.self, payee}].paid }

// room returns the lamports in the vault that no promise covers.
func (b *books) room() uint64 {
	room := b.vault
	for payee, top := range b.promises {
		room -= min(room, top.open(b.paid(payee), b.now, b.margin))
	}
	return room
}

// promise signs a voucher that pays the earlier promises and the due parts of some bills of one
// payee, and keeps both. If nothing is due, it returns the existing voucher.
func (p *Purse) promise(b *books, payee onchain.Address, bills []*owing) (Signed, error) {
	put, more := batch{}, uint64(0)
	if err := p.lapse(b, payee, bills, put); err != nil {
		return Signed{}, err
	}
	for _, o := range bills {
		more += uint64(o.Due)
	}
	top := b.promises[payee]
	if more == 0 && (!top.alive(b.now, b.margin) || top.Expires-b.now >= seconds(p.cfg.VoucherTime)/2) {
		return p.sign(payee, top) // drawn, or valid for long
	}
	if room := b.room(); more > room {
		return Signed{}, fmt.Errorf("%w: %d lamports that no other voucher takes, %d are owed; fill it: ojud agent deposit", errPoor, room, more)
	}
	next, ok := top.raise(more, b.paid(payee), b.now, b.margin, b.now+seconds(p.cfg.VoucherTime))
	if !ok {
		return Signed{}, fmt.Errorf("payment: %d lamports more are too many", more)
	}
	return p.keep(payee, next, bills, put, more)
}

func (p *Purse) keep(payee onchain.Address, next promise, bills []*owing, put batch, more uint64) (Signed, error) {
	upTo := next.Cumulative - more
	for _, o := range bills {
		if o.Due == 0 {
			continue
		}
		upTo += uint64(o.Due)
		o.promise(payee, upTo)
		if err := put.add(o.key, o.bill); err != nil {
			return Signed{}, err
		}
	}
	if err := put.add(partyKey(promiseKind, payee), next); err != nil {
		return Signed{}, err
	}
	if err := p.deps.Store.Put(put); err != nil {
		return Signed{}, err
	}
	p.metrics.promised.Add(float64(more))
	return p.sign(payee, next)
}

func (p *Purse) sign(payee onchain.Address, top promise) (Signed, error) {
	v := program.Voucher{Domain: p.deps.Domain, Payer: p.deps.Self, Payee: payee, Cumulative: top.Cumulative, Expires: top.Expires}
	s := Signed{v, voting.Signature(p.deps.Sign(v.Statement()))}
	return s, s.Verify(s.Signature)
}

// lapse makes the undrawn parts of the payee's bills due again after their vouchers have expired.
func (p *Purse) lapse(b *books, payee onchain.Address, chosen []*owing, put batch) error {
	paid := b.paid(payee)
	if top := b.promises[payee]; top.alive(b.now, b.margin) || top.Cumulative <= paid {
		return nil
	}
	bills, err := p.bills(func(o bill) bool { return o.Payee == casefile.Address(payee) && !o.drawn(paid) })
	if err != nil {
		return err
	}
	for _, o := range bills {
		if i := slices.IndexFunc(chosen, func(c *owing) bool { return c.key == o.key }); i >= 0 {
			o = chosen[i]
		}
		o.lapse(paid)
		if err := put.add(o.key, o.bill); err != nil {
			return err
		}
	}
	return nil
}
