package evidence

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/payment"
	"ojud/node/work"
	"ojud/voting"
)

// wallet is the authority of this node, as far as payments need it.
type wallet interface {
	payment.AccountReader
	Address() onchain.Address
	Sign(message []byte) onchain.Signature
	// Pull shows a voucher to the program. The transaction may cost at most maxFee lamports.
	Pull(ctx context.Context, s payment.Signed, maxFee uint64) error
}

// openPayments opens the purse, which pays for answers, and the till, which is paid for them.
func (e *Evidence) openPayments() (err error) {
	e.purse, err = payment.NewPurse(e.cfg.Payment, payment.PurseDeps{
		Domain: e.d.Domain, Self: e.d.Wallet.Address(), Sign: e.d.Wallet.Sign, Chain: e.d.Wallet, Store: e.d.Money, Clock: e.d.Clock,
		Payee: e.payee, Log: e.d.Log, Metrics: e.d.Metrics,
	})
	if err != nil {
		return err
	}
	e.till, err = payment.NewTill(e.cfg.Payment, payment.TillDeps{
		Domain: e.d.Domain, Self: e.d.Wallet.Address(), Chain: e.d.Wallet, Store: e.d.Money, Clock: e.d.Clock, Pull: e.d.Wallet.Pull,
		Settled: func(receipt voting.Hash) error { return e.holder.Settled(receipt) }, Log: e.d.Log, Metrics: e.d.Metrics,
	})
	return err
}

// payee returns the authority that is paid for the answers of a node. It is the one that the Roster
// binds to the node, or else the one that the node has announced. A node that announces another's
// authority gives its earnings away, and harms no one else.
func (e *Evidence) payee(holder casefile.DID) (onchain.Address, error) {
	if entry, ok := e.d.Roster.EntryOf(voting.Key(holder)); ok {
		return entry.Authority, nil
	}
	id, err := network.PeerOf(voting.Key(holder))
	if err != nil {
		return onchain.Address{}, err
	}
	j, ok := e.d.Host.Directory().Judge(id)
	if !ok {
		return onchain.Address{}, fmt.Errorf("evidence: %s is not on the roster and has not announced an authority", holder)
	}
	return onchain.ParseAddress(j.Authority)
}

// Drawn notes a payment that left the vault.
func (e *Evidence) Drawn(p *program.DataPaid) { e.purse.Drawn(p) }

const sweepEvery = 12 * time.Hour

// sweepPayments forgets old promises until ctx ends. First it warns if the vault cannot pay what
// the settings allow.
func (e *Evidence) sweepPayments(ctx context.Context) error {
	e.warnPayer(ctx)
	for {
		if err := e.purse.Sweep(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		if !work.Pause(ctx, sweepEvery) {
			return nil
		}
	}
}

// warnPayer warns if the vault cannot pay what the settings allow.
func (e *Evidence) warnPayer(ctx context.Context) {
	price := e.cfg.Data.Requester.MaxPrice
	if price == 0 {
		return
	}
	room, err := e.purse.Room(ctx)
	if err == nil && room < price {
		err = fmt.Errorf("evidence: the vault can promise %d lamports, data.requester.max_price is %d; fill it: ojud agent deposit", room, price)
	}
	if err != nil && ctx.Err() == nil {
		e.d.Log.Warn("data that has a price will not be asked for", "err", err)
	}
}

// The times between two looks whether this node can be paid: an agent that was registered a moment
// ago is on the chain, but not final.
const (
	readyEvery = 10 * time.Second
	readyTries = 4
)

// warnSeller warns of sources that this node does not give because it cannot be paid.
func (e *Evidence) warnSeller(ctx context.Context) error {
	priced := func(c datasource.Card) bool { return c.Terms.Price > 0 }
	if !slices.ContainsFunc(e.d.Book.Cards(), priced) || !e.warning.CompareAndSwap(false, true) {
		return nil // one that runs warns of all sources
	}
	defer e.warning.Store(false)
	err := e.till.Ready(ctx)
	for n := 1; n < readyTries && err != nil; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(readyEvery):
			err = e.till.Ready(ctx)
		}
	}
	if err == nil || ctx.Err() != nil {
		return nil
	}
	for _, card := range e.d.Book.Cards() {
		if priced(card) {
			e.d.Log.Warn("a source with a price will not be given", "source", card.Name, "err", err)
		}
	}
	return nil
}

// Payments lists what this node was paid for data, what it is owed, and what it paid. Amounts are
// in lamports.
type Payments struct {
	Vault  casefile.Amount   `json:"vault"` // balance of this node's own vault
	Earned []payment.Income  `json:"earned"`
	Owed   []payment.Owed    `json:"owed"`
	Spent  []payment.Expense `json:"spent"`
	// Problem is why vault and spent are not known: there is no agent, or the chain cannot be read.
	Problem string `json:"problem,omitempty"`
}

// Payments reads the payments for data, partly from the chain.
func (e *Evidence) Payments(ctx context.Context) (p Payments, err error) {
	if p.Earned, p.Owed, err = e.till.Income(); err != nil {
		return p, err
	}
	vault, spent, err := e.purse.Expenses(ctx)
	if p.Vault, p.Spent = casefile.Amount(vault), spent; err != nil {
		p.Problem, p.Spent = err.Error(), []payment.Expense{}
	}
	return p, nil
}

// CanSell returns nil if this node can be paid for answers. payment.ErrNoAgent: its authority has
// no vault.
func (e *Evidence) CanSell(ctx context.Context) error { return e.till.Ready(ctx) }
