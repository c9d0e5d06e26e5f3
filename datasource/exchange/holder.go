package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/datasource/exchange/quota"
	"ojud/voting"
)

// Book answers requests from the sources of this node: *datasource.Book.
type Book interface {
	Card(name string) (datasource.Card, bool)
	AnswerIn(ctx context.Context, task casefile.Address, name string, request []byte) (datasource.Answer, error)
}

// Signer signs a receipt with this node's key: casefile.Receipt.Sign.
type Signer func(casefile.Receipt) (casefile.Receipt, error)

// HolderDeps are a holder's dependencies on the node.
type HolderDeps struct {
	Self      casefile.DID
	Domain    voting.Domain
	Book      Book
	Steady    *datasource.Steady // the same as the Requester's; nil: an answer may change during a case
	Authority Authority
	Sign      Signer
	Clock     func() int64 // Unix seconds of the chain's clock
	// Keep gets every answer for a case file before it is sent, or not if Keep fails; nil: none.
	Keep  func(ctx context.Context, k Kept) error
	Till  Till  // nil: sources with a price give nothing
	Debts Debts // nil: debts are forgotten at the end of the process
	Asked *Log  // nil: nothing is logged

	Log     *slog.Logger          // nil: silence
	Metrics prometheus.Registerer // nil: no metrics
}

// Kept is an answer for the case file, before it is sent. Request and Response are nil if the terms
// promise how long requests are kept, because the keeper is bound by the promise.
type Kept struct {
	Receipt           casefile.Receipt
	Terms             []byte // which the receipt names
	Request, Response []byte // canonical JSON
}

// Holder answers peers from the book of its node.
type Holder struct {
	cfg     HolderConfig
	deps    HolderDeps
	metrics *holderMetrics
	slots   *quota.Slots
	limits  *quota.Rations
	owed    *balances
}

// NewHolder reads the debts. It starts nothing before Serve.
func NewHolder(cfg HolderConfig, deps HolderDeps) (*Holder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Book == nil || deps.Authority == nil || deps.Sign == nil || deps.Clock == nil {
		return nil, fmt.Errorf("exchange: a holder needs Book, Authority, Sign and Clock")
	}
	deps.Log = cmp.Or(deps.Log, slog.New(slog.DiscardHandler))
	owed, err := newBalances(deps.Debts, cfg)
	if err != nil {
		return nil, err
	}
	m, err := newHolderMetrics(deps.Metrics)
	if err != nil {
		return nil, err
	}
	return &Holder{cfg: cfg, deps: deps, metrics: m, owed: owed, slots: quota.NewSlots(cfg.MaxConversations, cfg.MaxPerPeer),
		limits: quota.NewRations(cfg.MaxCases)}, nil
}

// Serve runs one conversation with a peer that requests data, and closes the stream. It returns
// when the conversation has ended, or soon after ctx. The error is that of the conversation
// (package anex), or nil if it ended properly. The caller penalizes the peer only if Ended.Fault is
// Theirs.
func (h *Holder) Serve(ctx context.Context, peer casefile.DID, line Stream) (anex.Ended, error) {
	cfg := anex.DefaultConfig()
	cfg.Self, cfg.Peer = h.deps.Self.String(), peer.String()
	machine, err := anex.NewHolder(cfg, now())
	if err != nil {
		return anex.Ended{Outcome: anex.Broken, Err: err, Fault: anex.Ours}, errors.Join(err, line.Close())
	}
	_, judge := h.deps.Authority.Judge(peer)
	welcome, in := h.slots.Enter(peer, judge)
	if !in { // it was told often enough
		h.metrics.conversation("turned away")
		return anex.Ended{Outcome: anex.Broken, Err: anex.ErrFlood, Fault: anex.Theirs}, errors.Join(anex.ErrFlood, line.Close())
	}
	defer h.slots.Leave(peer, judge)
	welcome = welcome && h.limits.Open(peer, judge, h.cfg.OpeningsPerMinute, h.cfg.StrangersPerMinute)
	c := &conversation{holder: h, peer: peer, decide: cfg.Decide, welcome: welcome}
	start := time.Now()
	e := newDrive(line, machine, c, MaxToHolder, h.cfg.CloseTimeout, h.deps.Log).run(ctx, nil)
	if errors.Is(e.Err, anex.ErrSlow) {
		c.forgive(c.owed) // the current answer was not sent
	}
	h.metrics.conversation(e.Outcome.String())
	h.deps.Log.Debug("data conversation ended", "peer", peer, "outcome", e.Outcome, "fault", e.Fault, "err", e.Err, "took", time.Since(start))
	return e, e.Err
}

// Settled removes the debt for an answer, because the chain shows the payment.
func (h *Holder) Settled(receipt voting.Hash) error { return h.owed.settle(receipt) }
