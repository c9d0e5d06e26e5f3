package exchange

import (
	"context"
	"errors"
	"time"

	"ojud/casefile"
	"ojud/datasource/anex"
	"ojud/voting"
)

func (c *hearing) owe(r casefile.Receipt, hash voting.Hash) error {
	if r.Price == 0 {
		return nil
	}
	bill := Bill{Seat: c.seat, Holder: c.holder.deps.Self, Receipt: hash, Price: uint64(r.Price)}
	if err := c.holder.owed.owe(Debt{bill, time.Now().Unix()}); err != nil {
		return errors.Join(errOwn, err)
	}
	c.owed = hash
	return nil
}

// forgive strikes out an answer that was not sent.
func (c *hearing) forgive(receipt voting.Hash) {
	if err := c.holder.owed.settle(receipt); err != nil {
		c.holder.deps.Log.Error("what was not sent stays owed", "peer", c.peer, "err", err)
	}
}

// paid takes a payment. Anything else that an asker sends of its own means nothing.
func (c *hearing) paid(ctx context.Context, e anex.Told) {
	h := c.holder
	p, err := ParsePayment(e.Content)
	if err != nil || h.deps.Till == nil {
		return
	}
	debt, ok := h.owed.find(voting.Hash(p.Receipt))
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.decide) // the asker's last words follow at once
	defer cancel()
	if err := h.deps.Till.Accept(ctx, debt.Bill, p.Voucher); err != nil {
		h.metrics.payment("refused")
		h.owed.refuse(debt.Seat.Judge, err)
		h.deps.Log.Warn("a payment is worth nothing", "peer", c.peer, "judge", debt.Seat.Judge, "err", err)
		return
	}
	h.metrics.payment("accepted")
	c.forgive(debt.Receipt)
}
