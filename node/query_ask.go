package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/node/payment"
	"ojud/voting"
)

// query asks peers as the judge would, at a desk of its own: nothing of it reaches the judge, other judges or a case file.
func (n *Node) query(ctx context.Context, q Query, only *casefile.DID) (QueryResult, error) {
	began := time.Now()
	e, err := n.standing(q)
	if err != nil {
		return QueryResult{}, err
	}
	store := &scratch{all: map[voting.Hash][]byte{}}
	desk, err := exchange.NewDesk(n.queryConfig(q), n.queryDeps(q, only, store))
	if err != nil {
		return QueryResult{}, err
	}
	s, err := desk.Open(ctx, e)
	if err != nil {
		return QueryResult{}, err
	}
	defer s.Close()
	answers, err := s.Ask(ctx, q.Source, q.Request)
	if err != nil && len(s.Record()) == 0 { // the question was not asked at all
		return QueryResult{}, fmt.Errorf("%w: %w", errQuery, err)
	}
	return n.queryResult(e, q, s.Record()[0], answers, err, store, began)
}

// standing is as whom this node asks: as the seat that it has in the case, or as a judge.
func (n *Node) standing(q Query) (exchange.Evaluation, error) {
	now := at(n.client)
	e := exchange.Evaluation{Query: true, Judge: casefile.Address(n.home.Keys.Judge()), Sources: []string{q.Source},
		From: now, Until: now + int64(q.Seconds), Deadline: time.Now().Add(q.wait())}
	switch book := n.roster.Load(); {
	case book == nil:
		return e, fmt.Errorf("%w: this node has not seen the roster yet", errState)
	case q.Case == "":
		if _, ok := book.entry(n.home.Keys.Judge()); !ok {
			return e, fmt.Errorf("%w: this node is no judge on the roster, and holders answer judges", errState)
		}
		return e, nil
	}
	task, err := casefile.ParseAddress(q.Case)
	if err != nil {
		return e, fmt.Errorf("%w: case: %w", errQuery, err)
	}
	c := n.docket.find(voting.Key(task))
	if c == nil {
		return e, fmt.Errorf("%w: this node does not follow that case", errState)
	}
	look, _ := c.snapshot()
	if !look.Live() || look.SeatOf(n.home.Keys.Judge()) < 0 {
		return e, fmt.Errorf("%w: this node has no seat in a live round of that case", errState)
	}
	e.Case, e.Round = task, look.Round
	return e, nil
}

// queryConfig is the judge's, with the price that the person allows.
func (n *Node) queryConfig(q Query) exchange.DeskConfig {
	cfg := n.cfg.Data.Desk
	cfg.MaxPrice, cfg.MaxSpend = q.MaxPrice, maxAnswers*q.MaxPrice
	return cfg
}

func (n *Node) queryDeps(q Query, only *casefile.DID, store exchange.Blobs) exchange.DeskDeps {
	deps := exchange.DeskDeps{
		Self: casefile.DID(n.home.Keys.Peer()), Domain: n.domain, Finder: finder{n}, Dial: n.dialData, Blobs: store, Blame: n.blameHolder, Log: n.log,
		Sign:  func(r casefile.Receipt) (casefile.Receipt, error) { return r.Sign(n.home.Keys.node) },
		Clock: func() int64 { return at(n.client) },
	}
	if q.Case == "" || only != nil {
		deps.Finder = lookout{n, only}
	}
	if q.MaxPrice > 0 {
		deps.Purse = oneOff{n.purse}
	}
	return deps
}

// oneOff is the purse for one query: what the person allows is for that one, whatever was spent before.
type oneOff struct{ *payment.Purse }

// Spent implements exchange.Purse.
func (oneOff) Spent(casefile.Address) (uint64, error) { return 0, nil }

// scratch keeps the content of one query as long as it takes.
type scratch struct {
	mu  sync.Mutex
	all map[voting.Hash][]byte
}

// Put implements exchange.Blobs.
func (m *scratch) Put(content []byte) (voting.Hash, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hash := casefile.HashOf(content)
	m.all[hash] = slices.Clone(content)
	return hash, nil
}

func (m *scratch) get(hash casefile.Digest) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[voting.Hash(hash)]
}

func (n *Node) queryResult(e exchange.Evaluation, q Query, b casefile.DataBody, answers []exchange.Answer, failed error, m *scratch, began time.Time) (QueryResult, error) {
	r := QueryResult{Source: b.Source, Request: q.Request, RequestHash: b.Request, Judge: e.Judge, Asker: casefile.DID(n.home.Keys.Peer()), Round: e.Round,
		Answers: []QueryAnswer{}, Failures: []QueryFailure{}, Problem: queryProblem(failed)}
	_, r.Own = n.book.Card(b.Source)
	if e.Round != 0 {
		r.Case = &e.Case
	}
	for _, a := range answers {
		terms, err := casefile.ParseAgreed(m.get(a.Receipt.Terms))
		if err != nil {
			return r, err
		}
		r.Answers = append(r.Answers, QueryAnswer{Holder: a.Holder, Judge: n.judgeOf(a.Holder), Answer: a.Content, Price: a.Receipt.Price, Access: a.Receipt.Access,
			Promises: terms.Promise, Receipt: a.Receipt, Hash: casefile.Digest(a.Hash), Age: max(0, at(n.client)-a.FetchedAt), Stale: a.Stale, Disputed: a.Disputed})
	}
	for _, f := range b.Failures {
		remedy := exchange.RemedyOf(f)
		r.Failures = append(r.Failures, QueryFailure{f, remedy, next(remedy)})
	}
	r.Millis = time.Since(began).Milliseconds()
	return r, nil
}

// judgeOf is the judge whose node a peer is, if it is one's.
func (n *Node) judgeOf(peer casefile.DID) *casefile.Address {
	if judge, ok := (authority{n}).Judge(peer); ok {
		return &judge
	}
	return nil
}

// queryProblem says in plain words why there is no answer.
func queryProblem(err error) string {
	for class, text := range map[error]string{
		exchange.ErrUnavailable: "nobody who has the source answered",
		exchange.ErrRefused:     "who has the source refuses",
		exchange.ErrBadRequest:  "the source does not take the request",
		exchange.ErrSpent:       "there was no room left for an answer",
	} {
		if errors.Is(err, class) {
			return text
		}
	}
	return ""
}
