package payment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// TillDeps are a Till's dependencies on the node.
type TillDeps struct {
	Domain voting.Domain
	Self   onchain.Address // the payee's authority
	Chain  AccountReader
	Store  Store
	Clock  func() int64 // Unix seconds of the chain's clock; 0: not known yet
	// Pull sends a voucher to the program, as a transaction that costs at most so many lamports. It
	// returns when the transaction has landed, or why it has not. It is no error if all of it was
	// pulled before.
	Pull func(ctx context.Context, s Signed, maxFee uint64) error
	// Settled is called for each further answer that a voucher paid; nil: not at all.
	Settled func(receipt voting.Hash) error

	Log     *slog.Logger          // nil: silence
	Metrics prometheus.Registerer // nil: no metrics
}

// Till takes payments and knows the debtors.
type Till struct {
	cfg     Config
	deps    TillDeps
	metrics *tillMetrics
	turn    turn          // held from reading records to writing them
	wake    chan struct{} // there is a voucher to pull

	mu      sync.Mutex
	looks   map[onchain.Address]look // of Run
	ready   bool                     // this node has an agent; agents are never removed
	refused time.Time                // when the agent was last seen missing
	rent    uint64                   // of a Channel; 0: not known yet
}

var (
	_ exchange.Till  = (*Till)(nil)
	_ exchange.Debts = (*Till)(nil)
)

// NewTill opens a till. It pulls nothing before Run.
func NewTill(cfg Config, deps TillDeps) (*Till, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Chain == nil || deps.Store == nil || deps.Clock == nil || deps.Pull == nil || deps.Self.IsZero() {
		return nil, errors.New("payment: a till needs Self, Chain, Store, Clock and Pull")
	}
	deps.Log = cmp.Or(deps.Log, slog.New(slog.DiscardHandler))
	m, err := newTillMetrics(deps.Metrics)
	if err != nil {
		return nil, err
	}
	return &Till{cfg: cfg, deps: deps, metrics: m, turn: newTurn(), wake: make(chan struct{}, 1), looks: map[onchain.Address]look{}}, nil
}

// readyEvery bounds how often the chain is asked for a missing agent.
const readyEvery = 10 * time.Second

// Ready implements exchange.Till. Without an agent there is no vault for payments.
func (t *Till) Ready(ctx context.Context) error {
	t.mu.Lock()
	ready, refused := t.ready, t.refused
	t.mu.Unlock()
	switch {
	case ready:
		return nil
	case !refused.IsZero() && time.Since(refused) < readyEvery:
		return fmt.Errorf("%w of %s", ErrNoAgent, t.deps.Self)
	}
	ctx, cancel := context.WithTimeout(ctx, t.cfg.ChainTimeout)
	defer cancel()
	s, err := see(ctx, t.deps.Chain, []onchain.Address{t.deps.Self}, nil)
	if err != nil {
		return err
	}
	_, err = s.vault(t.deps.Self)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ready = err == nil; !t.ready {
		t.refused = time.Now()
	}
	return err
}

// Accept implements exchange.Till. It keeps the voucher and removes the debt in one write. A bill
// without a debt was paid before.
func (t *Till) Accept(ctx context.Context, b exchange.Bill, voucher json.RawMessage) error {
	ctx, cancel := context.WithTimeout(ctx, t.cfg.ChainTimeout)
	defer cancel()
	v, err := parseSigned(t.deps.Domain, voucher)
	if err != nil {
		return err
	}
	if v.Payee != t.deps.Self || casefile.Address(v.Payer) != b.Seat.Judge {
		return fmt.Errorf("%w: %s to %s", exchange.ErrVoucherParties, v.Payer, v.Payee)
	}
	c, err := t.look(ctx, v.Payer)
	if err != nil {
		return err
	}
	if err := t.turn.take(ctx); err != nil {
		return err
	}
	settled, err := t.accept(b, v, c)
	t.turn.give()
	if err != nil {
		return err
	}
	return t.settle(settled)
}

// accept takes a voucher for a bill, and for other bills of that judge that it covers.
func (t *Till) accept(b exchange.Bill, v Signed, c seen) (settled []voting.Hash, err error) {
	if _, owed, err := load[debt](t.deps.Store, debtKey(b.Receipt)); err != nil || !owed {
		return nil, err
	}
	a, known, err := load[account](t.deps.Store, partyKey(accountKind, v.Payer))
	if err != nil {
		return nil, err
	}
	if !known {
		a = newAccount(c.paid)
	}
	pulled, lost := a.learn(c.paid, c.now)
	if err := a.take(v, b.Price, c.vault, c.now, seconds(t.cfg.MinVoucherTime)); err != nil {
		return nil, err
	}
	put := batch{}
	put.remove(debtKey(b.Receipt))
	if settled, err = t.cover(&a, b, c.vault, put); err != nil {
		return nil, err
	}
	if err := t.keep(v.Payer, a, put, pulled, lost); err != nil {
		return nil, err
	}
	t.metrics.earned.Add(float64(b.Price))
	t.plan(v.Payer, a, c.chance)
	return settled, nil
}

// cover settles other debts of the judge, the oldest first, from the surplus of its voucher. There
// is a surplus because the payer continues from vouchers that did not arrive here.
func (t *Till) cover(a *account, paid exchange.Bill, vault uint64, put batch) (settled []voting.Hash, err error) {
	debts, err := t.All()
	if err != nil {
		return nil, err
	}
	for _, d := range debts {
		if d.Seat.Judge != paid.Seat.Judge || d.Receipt == paid.Receipt {
			continue
		}
		if a.claim(d.Price, vault) != nil {
			break
		}
		t.metrics.earned.Add(float64(d.Price))
		put.remove(debtKey(d.Receipt))
		settled = append(settled, d.Receipt)
	}
	return settled, nil
}

// keep writes an account and the records that belong to it.
func (t *Till) keep(payer onchain.Address, a account, put batch, pulled, lost uint64) error {
	if err := put.add(partyKey(accountKind, payer), a); err != nil {
		return err
	}
	if err := t.deps.Store.Put(put); err != nil {
		return err
	}
	t.metrics.pulled.Add(float64(pulled))
	t.metrics.lost.Add(float64(lost))
	if lost > 0 {
		t.deps.Log.Warn("a voucher has expired before it was pulled", "judge", payer, "lamports", lost)
	}
	return nil
}

func (t *Till) settle(receipts []voting.Hash) error {
	if t.deps.Settled == nil {
		return nil
	}
	for _, r := range receipts {
		if err := t.deps.Settled(r); err != nil {
			return err
		}
	}
	return nil
}

// seen is a payer on the chain.
type seen struct {
	chance
	paid uint64
}

// look reads a payer's vault and the channel from it.
func (t *Till) look(ctx context.Context, payer onchain.Address) (seen, error) {
	now, q := t.deps.Clock(), pair{payer, t.deps.Self}
	if now == 0 {
		return seen{}, errClock
	}
	s, err := see(ctx, t.deps.Chain, []onchain.Address{payer}, []pair{q})
	if err != nil {
		return seen{}, err
	}
	c := s.channels[q]
	out := seen{chance: chance{vault: s.vaults[payer], now: now}, paid: c.paid}
	if !c.made {
		rent, err := t.rentOf(ctx)
		if err != nil {
			return seen{}, fmt.Errorf("payment: reading the rent: %w", err)
		}
		out.rent = rent - min(rent, c.has)
	}
	return out, nil
}

// rentOf returns the rent of a Channel, which does not change while a cluster runs.
func (t *Till) rentOf(ctx context.Context) (rent uint64, err error) {
	t.mu.Lock()
	rent = t.rent
	t.mu.Unlock()
	if rent > 0 {
		return rent, nil
	}
	if rent, err = t.deps.Chain.RentMinimum(ctx, channelSize); err != nil {
		return 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rent = rent
	return rent, nil
}
