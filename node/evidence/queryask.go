package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/node/payment"
	"ojud/voting"
)

// Query asks peers as the judge would, but at a desk of its own. Nothing of it reaches the judge,
// other judges or a case file.
func (e *Evidence) Query(ctx context.Context, q Query, only *casefile.DID) (QueryResult, error) {
	began := time.Now()
	as, err := e.standing(q)
	if err != nil {
		return QueryResult{}, err
	}
	store := &scratch{all: map[voting.Hash][]byte{}}
	desk, err := exchange.NewRequester(e.queryConfig(q), e.queryDeps(q, only, store))
	if err != nil {
		return QueryResult{}, err
	}
	s, err := desk.Open(ctx, as)
	if err != nil {
		return QueryResult{}, err
	}
	defer s.Close()
	answers, err := s.Ask(ctx, q.Source, q.Request)
	if err != nil && len(s.Record()) == 0 { // the question was not asked at all
		return QueryResult{}, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	r, bad := e.queryResult(as, q, s.Record()[0], answers, store)
	r.Problem, r.Millis = queryProblem(err), time.Since(began).Milliseconds()
	return r, bad
}

// standing returns the role in which this node asks: as its seat in the case, or as a judge.
func (e *Evidence) standing(q Query) (exchange.Evaluation, error) {
	now := e.d.Clock()
	as := exchange.Evaluation{
		Query: true, Judge: casefile.Address(e.d.Judge), Sources: []string{q.Source},
		From: now, Until: now + int64(q.Seconds), Deadline: time.Now().Add(q.wait()),
	}
	switch {
	case e.d.Roster.Now() == nil:
		return as, fmt.Errorf("%w: this node has not seen the roster yet", ErrState)
	case q.Case == "":
		if _, ok := e.d.Roster.Entry(e.d.Judge); !ok {
			return as, fmt.Errorf("%w: this node is no judge on the roster, and holders answer judges", ErrState)
		}
		return as, nil
	}
	task, err := casefile.ParseAddress(q.Case)
	if err != nil {
		return as, fmt.Errorf("%w: case: %w", ErrQuery, err)
	}
	look, ok := e.d.Cases.Look(voting.Key(task))
	if !ok {
		return as, fmt.Errorf("%w: this node does not follow that case", ErrState)
	}
	if !look.Live() || look.SeatOf(e.d.Judge) < 0 {
		return as, fmt.Errorf("%w: this node has no seat in a live round of that case", ErrState)
	}
	as.Case, as.Round = task, look.Round
	return as, nil
}

// queryConfig returns the judge's settings with the price that the person allows.
func (e *Evidence) queryConfig(q Query) exchange.RequesterConfig {
	cfg := e.cfg.Data.Requester
	cfg.MaxPrice, cfg.MaxSpend = q.MaxPrice, maxAnswers*q.MaxPrice
	return cfg
}

func (e *Evidence) queryDeps(q Query, only *casefile.DID, store exchange.Blobs) exchange.RequesterDeps {
	deps := e.DeskDeps(store)
	if q.Case == "" {
		deps.Finder = e.Finder(Directory | DHT)
	}
	if only != nil {
		deps.Finder = e.finder.with(scope{only: only})
	}
	if q.MaxPrice > 0 {
		deps.Purse = oneOff{e.purse}
	}
	return deps
}

// oneOff is the purse for one query. The allowed price is for this query alone, regardless of
// earlier spending.
type oneOff struct{ *payment.Purse }

// Spent implements exchange.Purse.
func (oneOff) Spent(casefile.Address) (uint64, error) { return 0, nil }

// scratch keeps the content of one query in memory.
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

func (e *Evidence) queryResult(as exchange.Evaluation, q Query, b casefile.DataBody, answers []exchange.Answer,
	m *scratch) (QueryResult, error) {
	r := QueryResult{
		Source: b.Source, Request: q.Request, RequestHash: b.Request, Judge: as.Judge, Asker: e.self, Round: as.Round,
		Answers: []QueryAnswer{}, Failures: []QueryFailure{},
	}
	_, r.Own = e.d.Book.Card(b.Source)
	if as.Round != 0 {
		r.Case = &as.Case
	}
	for _, a := range answers {
		terms, err := casefile.ParseAgreed(m.get(a.Receipt.Terms))
		if err != nil {
			return r, err
		}
		r.Answers = append(r.Answers, QueryAnswer{
			Holder: a.Holder, Judge: e.judgeOf(a.Holder), Answer: a.Content, Price: a.Receipt.Price, Access: a.Receipt.Access,
			Promises: terms.Promise, Receipt: a.Receipt, Hash: casefile.Digest(a.Hash), Age: max(0, e.d.Clock()-a.FetchedAt),
			Stale: a.Stale, Disputed: a.Disputed,
		})
	}
	for _, f := range b.Failures {
		remedy := exchange.RemedyOf(f)
		r.Failures = append(r.Failures, QueryFailure{f, remedy, next(remedy)})
	}
	return r, nil
}

// listTime bounds the search for all holders of a source.
const listTime = 15 * time.Second

// Holders lists the peers that claim to have a source. Those whose cards are known come first.
// Cards are as their holders show them. It does not call on the data topic, because only seats of
// live rounds may call there.
func (e *Evidence) Holders(ctx context.Context, source string) []Holding {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	out := []Holding{}
	for c := range e.Finder(Directory|DHT).Holders(ctx, source) {
		h := Holding{Holder: c.Peer, Judge: e.judgeOf(c.Peer)}
		if card, _, err := datasource.ParseCard(c.Card); err == nil && card.Name == source {
			hash := casefile.Digest(casefile.HashOf(c.Card))
			h.Card, h.Hash = &card, &hash
		}
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b Holding) int {
		if (a.Card == nil) != (b.Card == nil) {
			if a.Card != nil {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Holder.String(), b.Holder.String())
	})
	return out
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
