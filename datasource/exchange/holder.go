package exchange

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/voting"
)

// Book is what a node has to tell: *datasource.Book.
type Book interface {
	Card(name string) (datasource.Card, bool)
	Answer(ctx context.Context, name string, request []byte) (datasource.Answer, error)
}

// Signer signs a receipt as the holder that this node is: casefile.Receipt.Sign with its key.
type Signer func(casefile.Receipt) (casefile.Receipt, error)

// HolderDeps are what a holder needs of the node.
type HolderDeps struct {
	Self      casefile.DID
	Domain    voting.Domain
	Book      Book
	Authority Authority
	Sign      Signer
	Clock     func() int64 // Unix seconds of the chain's clock
	// Keep is told of every answer for a case file before it is sent, and may be nil. If it fails, nothing is sent.
	Keep  func(ctx context.Context, k Kept) error
	Till  Till  // nil: what has a price is not given
	Debts Debts // nil: what is owed is forgotten at the end of the process
	Asked *Log  // who asked what; nil: nobody knows

	Log     *slog.Logger          // nil: silence
	Metrics prometheus.Registerer // nil: no metrics
}

// Kept is an answer that is about to be given, for the case file. If the terms promise how long requests are kept, the promise binds
// whoever keeps it; then Request and Response are nil.
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
	slots   *slots
	opening *meter[casefile.DID]
	each    *meter[asker]
	total   *meter[string]
	quota   *tally
	owed    *accounts
}

// asker is whom the rate of a source bounds: the judge, whatever node speaks for it.
type asker struct {
	judge  casefile.Address
	source string
}

// maxAskers bounds the memory for rates.
const maxAskers = 8192

// NewHolder reads what is owed. Nothing runs until Serve is called.
func NewHolder(cfg HolderConfig, deps HolderDeps) (*Holder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Book == nil || deps.Authority == nil || deps.Sign == nil || deps.Clock == nil {
		return nil, fmt.Errorf("exchange: a holder needs Book, Authority, Sign and Clock")
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	owed, err := newAccounts(deps.Debts, cfg)
	if err != nil {
		return nil, err
	}
	m, err := newHolderMetrics(deps.Metrics)
	if err != nil {
		return nil, err
	}
	return &Holder{cfg: cfg, deps: deps, metrics: m, owed: owed, slots: newSlots(cfg.MaxConversations, cfg.MaxPerPeer),
		opening: newMeter[casefile.DID](maxAskers), each: newMeter[asker](maxAskers), total: newMeter[string](maxAskers), quota: newTally(cfg.MaxCases)}, nil
}

// Serve has one conversation with a peer that wants data, and closes the line. It returns when the conversation has ended, or soon after
// ctx; the error is that of the conversation (anex), nil if it came to its proper end. The peer is penalised for
// Ended.Fault Theirs.
func (h *Holder) Serve(ctx context.Context, peer casefile.DID, line Stream) (anex.Ended, error) {
	cfg := anex.DefaultConfig()
	cfg.Self, cfg.Peer = h.deps.Self.String(), peer.String()
	machine, err := anex.NewHolder(cfg, now())
	if err != nil {
		return anex.Ended{Outcome: anex.Broken, Err: err, Fault: anex.Ours}, errors.Join(err, line.Close())
	}
	welcome, in := h.slots.enter(peer)
	if !in { // it was told often enough
		h.metrics.conversation("turned away")
		return anex.Ended{Outcome: anex.Broken, Err: anex.ErrFlood, Fault: anex.Theirs}, errors.Join(anex.ErrFlood, line.Close())
	}
	defer h.slots.leave(peer)
	welcome = welcome && h.opening.take(peer, datasource.Rate{Requests: h.cfg.OpeningsPerMinute, Seconds: 60})
	c := &conversation{holder: h, peer: peer, decide: cfg.Decide, welcome: welcome}
	start := time.Now()
	e := newDrive(line, machine, c, MaxToHolder, h.cfg.CloseTimeout, h.deps.Log).run(ctx, nil)
	if errors.Is(e.Err, anex.ErrSlow) {
		c.forgive(c.owed) // what was in hand was not sent
	}
	h.metrics.conversation(e.Outcome.String())
	h.deps.Log.Debug("data conversation ended", "peer", peer, "outcome", e.Outcome, "fault", e.Fault, "err", e.Err, "took", time.Since(start))
	return e, e.Err
}

// Settled strikes out what is owed for an answer: the chain shows that it was paid.
func (h *Holder) Settled(receipt voting.Hash) error { return h.owed.settle(receipt) }
