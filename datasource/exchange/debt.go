package exchange

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/datasource/anex"
	"ojud/voting"
)

// Debt is an answer that was given and is not paid.
type Debt struct {
	Bill
	At int64 // Unix seconds, when it was given
}

// Debts keeps debts over restarts. Each call is durable when it returns.
type Debts interface {
	All() ([]Debt, error)
	Add(d Debt) error
	Remove(receipt voting.Hash) error
}

// ErrUnpaid refuses a judge whose owner owes too much. A voucher for the debt lifts it.
var ErrUnpaid = errors.New("an earlier answer has not been paid")

// balances are the open balances of judges: the answers that each has not paid.
type balances struct {
	store  Debts // nil: in memory only
	credit int
	most   int
	forget time.Duration

	mu    sync.Mutex
	debts map[voting.Hash]Debt
	owed  map[casefile.Address]int   // open balances: answers, by judge
	why   map[casefile.Address]error // the latest voucher of a debtor was refused
}

func newBalances(store Debts, c HolderConfig) (*balances, error) {
	a := &balances{store: store, credit: c.MaxUnpaid, most: c.MaxDebts, forget: c.ForgiveAfter,
		debts: map[voting.Hash]Debt{}, owed: map[casefile.Address]int{}, why: map[casefile.Address]error{}}
	if store == nil {
		return a, nil
	}
	all, err := store.All()
	if err != nil {
		return nil, fmt.Errorf("exchange: reading what is owed: %w", err)
	}
	for _, d := range all {
		a.put(d)
	}
	return a, nil
}

func (a *balances) put(d Debt) {
	if _, known := a.debts[d.Receipt]; !known {
		a.debts[d.Receipt] = d
		a.owed[d.Seat.Judge]++
	}
}

// checkCredit returns ErrUnpaid if a judge has no credit left for another answer.
func (a *balances) checkCredit(judge casefile.Address) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owed[judge] >= a.credit {
		if err := a.expire(); err != nil {
			return err
		}
	}
	if a.owed[judge] >= a.credit {
		return a.unpaid(judge)
	}
	return nil
}

// unpaid returns ErrUnpaid with the reason why the judge's voucher was refused, if there is one.
func (a *balances) unpaid(judge casefile.Address) error {
	if why := a.why[judge]; why != nil {
		return fmt.Errorf("%w: %w", ErrUnpaid, why)
	}
	return ErrUnpaid
}

// refuse remembers that the voucher of a debtor was refused.
func (a *balances) refuse(judge casefile.Address, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owed[judge] > 0 {
		a.why[judge] = why
	}
}

// owe records a debt before its answer is sent, so that no two answers use the last credit.
func (a *balances) owe(d Debt) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.debts) >= a.most {
		if err := a.expire(); err != nil {
			return err
		}
	}
	if a.owed[d.Seat.Judge] >= a.credit || len(a.debts) >= a.most {
		return a.unpaid(d.Seat.Judge)
	}
	if a.store != nil {
		if err := a.store.Add(d); err != nil {
			return fmt.Errorf("exchange: noting what is owed: %w", err)
		}
	}
	a.put(d)
	return nil
}

func (a *balances) find(receipt voting.Hash) (Debt, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, ok := a.debts[receipt]
	return d, ok
}

// settle removes a debt, because it was paid or the answer was never sent.
func (a *balances) settle(receipt voting.Hash) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.remove(receipt)
}

func (a *balances) remove(receipt voting.Hash) error {
	d, ok := a.debts[receipt]
	if !ok {
		return nil
	}
	if a.store != nil {
		if err := a.store.Remove(receipt); err != nil {
			return fmt.Errorf("exchange: striking out what was owed: %w", err)
		}
	}
	delete(a.debts, receipt)
	if a.owed[d.Seat.Judge]--; a.owed[d.Seat.Judge] == 0 {
		delete(a.owed, d.Seat.Judge)
		delete(a.why, d.Seat.Judge)
	}
	return nil
}

// expire forgives old debts.
func (a *balances) expire() error {
	before := time.Now().Add(-a.forget).Unix()
	for receipt, d := range a.debts {
		if d.At < before {
			if err := a.remove(receipt); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *conversation) owe(r casefile.Receipt, hash voting.Hash) error {
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

// forgive removes the debt of an answer that was not sent.
func (c *conversation) forgive(receipt voting.Hash) {
	if err := c.holder.owed.settle(receipt); err != nil {
		c.holder.deps.Log.Error("what was not sent stays owed", "peer", c.peer, "err", err)
	}
}

// paid takes a payment. It ignores everything else that an asker sends unasked.
func (c *conversation) paid(ctx context.Context, e anex.Told) {
	h := c.holder
	p, err := ParsePayment(e.Content)
	if err != nil || h.deps.Till == nil {
		return
	}
	debt, ok := h.owed.find(voting.Hash(p.Receipt))
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.decide) // the asker's last messages follow at once
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
