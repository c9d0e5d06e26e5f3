package evidence

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// Outsider asks holders by a key that has no judge: that of an agent, or of a party of a task. The
// key is that of the host, so that holders know it without a further signature.
type Outsider struct {
	Domain voting.Domain
	Key    ed25519.PrivateKey
	Host   *p2p.Host
	// Judges are the nodes of the judges on the Roster.
	Judges map[casefile.DID]casefile.Address
	// Fetch gets content from a peer.
	Fetch func(ctx context.Context, from peer.ID, hash voting.Hash) ([]byte, error)
	Clock func() int64 // Unix seconds of the chain's clock
	Data  exchange.RequesterConfig
	Log   *slog.Logger
}

// Query asks holders, or only one. Query.Case is a task of which the key is a party, or empty. It
// spends nothing.
func (o Outsider) Query(ctx context.Context, q Query, only *casefile.DID) (QueryResult, error) {
	began, now := time.Now(), o.Clock()
	self := casefile.DID(o.Key.Public().(ed25519.PublicKey))
	as := exchange.Evaluation{
		Query: true, Outsider: true, Judge: casefile.Address(self), Sources: []string{q.Source},
		From: now, Until: now + int64(q.Seconds), Deadline: time.Now().Add(q.wait()),
	}
	if q.Case != "" {
		task, err := casefile.ParseAddress(q.Case)
		if err != nil {
			return QueryResult{}, fmt.Errorf("%w: case: %w", ErrQuery, err)
		}
		as.Case = task
	}
	if err := o.Host.Limit(dataStream, StreamLimits()); err != nil {
		return QueryResult{}, err
	}
	searches := work.NewGroup()
	defer searches.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := newFinder(o.Host.Directory(), o.Host, nil, peers(o.Judges), newCards(nothing{}, outsideContent(o.Fetch), o.Log), searches, o.Log)
	f.places, f.only = Directory|DHT, only
	store := &memory{all: map[voting.Hash][]byte{}}
	desk, err := exchange.NewRequester(o.Data, exchange.RequesterDeps{
		Self: self, Domain: o.Domain, Finder: f, Blobs: store, Clock: o.Clock, Log: o.Log,
		Dial: func(ctx context.Context, to casefile.DID) (exchange.Stream, error) { return dial(ctx, o.Host, to) },
		Sign: func(r casefile.Receipt) (casefile.Receipt, error) { return r.Sign(o.Key) },
	})
	if err != nil {
		return QueryResult{}, err
	}
	s, err := desk.Open(ctx, as)
	if err != nil {
		return QueryResult{}, err
	}
	defer s.Close()
	answers, err := s.Ask(ctx, q.Source, q.Request)
	if err != nil && len(s.Record()) == 0 {
		return QueryResult{}, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	r, bad := reader{self: self, clock: o.Clock, judgeOf: func(of casefile.DID) *casefile.Address {
		judge, ok := o.Judges[of]
		if !ok {
			return nil
		}
		return &judge
	}}.result(as, q, s.Record()[0], answers, store)
	r.Problem, r.Millis = queryProblem(err), time.Since(began).Milliseconds()
	return r, bad
}

// peers are the nodes of judges.
type peers map[casefile.DID]casefile.Address

// Has implements staked.
func (p peers) Has(id peer.ID) bool {
	key, err := network.KeyOf(id)
	_, ok := p[casefile.DID(key)]
	return err == nil && ok
}

// nothing has no content.
type nothing struct{}

// Blob implements localContent.
func (nothing) Blob(voting.Hash) ([]byte, error) { return nil, casefile.ErrNoBlob }

type outsideContent func(ctx context.Context, from peer.ID, hash voting.Hash) ([]byte, error)

// FetchFrom implements holderContent.
func (f outsideContent) FetchFrom(ctx context.Context, p peer.ID, hash voting.Hash) ([]byte, error) {
	return f(ctx, p, hash)
}
