package payment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// PurseDeps are a Purse's dependencies on the node.
type PurseDeps struct {
	Domain voting.Domain
	Self   onchain.Address                        // the payer's authority
	Sign   func(message []byte) onchain.Signature // with its key
	Chain  AccountReader
	Store  Store
	Clock  func() int64 // Unix seconds of the chain's clock; 0: not known yet
	// Payee returns the authority of a holder's node, or why it is unknown.
	Payee func(holder casefile.DID) (onchain.Address, error)

	Log     *slog.Logger          // nil: silence
	Metrics prometheus.Registerer // nil: no metrics
}

// Purse pays for answers.
type Purse struct {
	cfg     Config
	deps    PurseDeps
	metrics *purseMetrics
	turn    turn // held from reading records to writing them
}

var _ exchange.Purse = (*Purse)(nil)

// The errors of Authorize, besides those of Chain, Store and PurseDeps.Payee.
var (
	// errPoor: the vault does not hold the lamports of the promise.
	errPoor = errors.New("payment: the vault does not hold it")
	// errClock: the chain's clock is not known yet.
	errClock = errors.New("payment: the chain's clock is not known yet")
	// errBill: a bill that this node does not owe.
	errBill = errors.New("payment: not a bill of this node")
)

// NewPurse opens a purse. It starts nothing.
func NewPurse(cfg Config, deps PurseDeps) (*Purse, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Chain == nil || deps.Store == nil || deps.Clock == nil || deps.Payee == nil || deps.Sign == nil || deps.Self.IsZero() {
		return nil, errors.New("payment: a purse needs Self, Sign, Chain, Store, Clock and Payee")
	}
	deps.Log = cmp.Or(deps.Log, slog.New(slog.DiscardHandler))
	m, err := newPurseMetrics(deps.Metrics)
	if err != nil {
		return nil, err
	}
	return &Purse{cfg: cfg, deps: deps, metrics: m, turn: newTurn()}, nil
}

// Spent implements exchange.Purse: the prices of all bills of the case.
func (p *Purse) Spent(task casefile.Address) (sum uint64, err error) {
	err = all(p.deps.Store, billKind+string(task[:]), func(_ []byte, b bill) error {
		sum += uint64(b.Price)
		return nil
	})
	return sum, err
}

// Room implements exchange.Purse.
func (p *Purse) Room(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.ChainTimeout)
	defer cancel()
	b, err := p.read(ctx)
	if err != nil {
		return 0, err
	}
	return b.room(), nil
}

// Authorize writes the bill first. If it cannot promise the price now, Vouchers does later.
func (p *Purse) Authorize(ctx context.Context, b exchange.Bill) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.ChainTimeout)
	defer cancel()
	if b.Seat.Judge != casefile.Address(p.deps.Self) || b.Price == 0 || b.Seat.Peer == b.Holder {
		return nil, fmt.Errorf("%w: %d lamports for an answer to %s", errBill, b.Price, b.Seat.Judge)
	}
	if err := p.turn.take(ctx); err != nil {
		return nil, err
	}
	defer p.turn.give()
	owed, err := p.owe(b)
	if err != nil {
		return nil, err
	}
	payee, err := p.payee(b.Holder, owed)
	if err != nil {
		return nil, err
	}
	books, err := p.read(ctx, payee)
	if err != nil {
		return nil, err
	}
	signed, err := p.promise(books, payee, []*owing{owed})
	if err != nil {
		return nil, err
	}
	return signed.Encode()
}
