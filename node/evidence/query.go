package evidence

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/node/network"
	"ojud/node/payment"
	"ojud/voting"
)

// Query is a question of a person to peers: the body of POST /v1/query. The answers are in no case
// file.
type Query struct {
	Source  string          `json:"data_source"`
	Request json.RawMessage `json:"request"` // an object, at most exchange.MaxRequest bytes
	// Case is a case in whose live round this node sits, as base58. The node then asks as the seat;
	// if it is empty, only as a judge on the Roster.
	Case string `json:"case,omitempty"`
	// Holder is the peer to ask, a did:key. Empty: two of the peers that have the source.
	Holder string `json:"holder,omitempty"`
	// MaxPrice is the highest price of each answer, in lamports. At most three answers are bought.
	// 0: nothing is spent.
	MaxPrice uint64 `json:"max_price,string"`
	// Seconds is how long the person waits, 2 to 300.
	Seconds int `json:"timeout_seconds"`
}

// Limits of a query.
const (
	minSeconds    = 2
	MaxSeconds    = 300     // of Query.Seconds
	maxAnswers    = 3       // of one query: two, and one more if they contradict each other
	maxQueryPrice = 1 << 60 // lamports
)

// The price of all answers fits into 64 bits.
const _ = uint64(maxAnswers * maxQueryPrice)

// QueryResult is the result of a Query.
type QueryResult struct {
	Source      string            `json:"data_source"`
	Request     json.RawMessage   `json:"request"` // canonical
	RequestHash casefile.Digest   `json:"request_hash"`
	Judge       casefile.Address  `json:"judge"` // authority of this node
	Asker       casefile.DID      `json:"asker"` // this node
	Case        *casefile.Address `json:"case,omitempty"`
	Round       uint8             `json:"round,omitempty"`
	// Outsider means that no judge asked: Judge is the asker's key, and Case a task of its own.
	Outsider bool           `json:"outsider,omitempty"`
	Own      bool           `json:"own"` // this node has the source itself; the query did not ask it
	Answers  []QueryAnswer  `json:"answers"`
	Failures []QueryFailure `json:"failures"`
	Problem  string         `json:"problem,omitempty"` // why there is no answer
	Millis   int64          `json:"took_ms"`
}

// QueryAnswer is the answer of one holder. Its content is hostile: nothing here interprets it.
type QueryAnswer struct {
	Holder   casefile.DID      `json:"holder"`
	Judge    *casefile.Address `json:"holder_judge,omitempty"` // the holder's authority, if it is on the Roster
	Answer   json.RawMessage   `json:"answer"`
	Price    casefile.Amount   `json:"price"`    // lamports
	Access   []string          `json:"access"`   // the agreed access; empty: all of the answer
	Promises []string          `json:"promises"` // of both sides, as agreed
	Receipt  casefile.Receipt  `json:"receipt"`
	Terms    json.RawMessage   `json:"agreed"` // the terms that the receipt names
	Hash     casefile.Digest   `json:"receipt_hash"`
	Age      int64             `json:"age_seconds"` // how long ago the holder asked its source, by two clocks
	Stale    bool              `json:"stale"`       // it is older than the holder's card promises, or much older than another one
	Disputed bool              `json:"disputed"`    // another holder answered something else
}

// QueryFailure is a holder that gave nothing usable. Without Holder, no peer with the source was
// found.
type QueryFailure struct {
	casefile.Failure
	Remedy exchange.Remedy `json:"remedy,omitempty"` // what a person can do about it
	Next   string          `json:"next,omitempty"`   // the same in words
}

// next says in words what a person can do. Outsiders ask by their own key, without a node, and pay
// nothing.
func next(r exchange.Remedy, outsider bool) string {
	if outsider && r == exchange.RemedyPrice {
		return "only judges pay for data; a judge asks through its node: ojud source query … --max-price"
	}
	return map[exchange.Remedy]string{
		exchange.RemedyCase: "name a live case in which this node sits and whose task names the source with --case, " +
			"or have the holder's owner let every judge ask (source add … --who roster --replace)",
		exchange.RemedyOwner:   "have the holder's owner add this judge to those who may ask (source add … --who ADDRESS,… or agents, parties, anyone --replace)",
		exchange.RemedyAgent:   "register the key as an agent: ojud agent register",
		exchange.RemedyParty:   "name a task whose creator or worker the key is: --task ADDRESS",
		exchange.RemedyLater:   "try again later",
		exchange.RemedyPrice:   "see the price with --list, and allow it with --max-price",
		exchange.RemedyDeposit: "put lamports into this judge's vault: ojud agent deposit",
		exchange.RemedyPromise: "see what is demanded with --list --json, and promise it: data.requester.promises in the settings of this node",
		exchange.RemedyRequest: "see what the source takes with --list --json: inputSchema on the card",
	}[r]
}

// Holding is a peer that claims to have a source.
type Holding struct {
	Holder casefile.DID      `json:"holder"`
	Judge  *casefile.Address `json:"holder_judge,omitempty"` // its authority, if it is on the Roster
	Hash   *casefile.Digest  `json:"card_hash,omitempty"`
	Card   *datasource.Card  `json:"card,omitempty"` // nil if unknown; then the peer tells its terms when it is asked
}

// These are the reasons why a query cannot be asked. The words are for people.
var (
	// ErrQuery means that the query itself is wrong.
	ErrQuery = errors.New("evidence: query")
	// ErrState means that this node cannot ask it now.
	ErrState = errors.New("evidence: not possible now")
)

// ParseQuery reads a Query and the holder that it names, if any.
func ParseQuery(raw []byte) (q Query, only *casefile.DID, err error) {
	if err := network.DecodeStrict(raw, &q); err != nil {
		return q, nil, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	switch {
	case !datasource.ValidName(q.Source):
		return q, nil, fmt.Errorf("%w: data_source is no name of a source: 1 to 64 of the characters a-z 0-9 . _ : -", ErrQuery)
	case q.Seconds < minSeconds || q.Seconds > MaxSeconds:
		return q, nil, fmt.Errorf("%w: timeout_seconds is %d; set it to %d to %d", ErrQuery, q.Seconds, minSeconds, MaxSeconds)
	case q.MaxPrice > maxQueryPrice:
		return q, nil, fmt.Errorf("%w: max_price is %d lamports; set it to %d at most", ErrQuery, q.MaxPrice, uint64(maxQueryPrice))
	}
	if q.Request, err = canon.JSON(q.Request, exchange.MaxRequest); err != nil {
		return q, nil, fmt.Errorf("%w: request: %w", ErrQuery, err)
	}
	if q.Holder == "" {
		return q, nil, nil
	}
	var did casefile.DID
	if err := did.UnmarshalText([]byte(q.Holder)); err != nil {
		return q, nil, fmt.Errorf("%w: holder: %w", ErrQuery, err)
	}
	return q, &did, nil
}

func (q Query) wait() time.Duration { return time.Duration(q.Seconds) * time.Second }

// Query asks peers as the judge would, but at a desk of its own. Nothing of it reaches the judge,
// other judges or a case file.
func (e *Evidence) Query(ctx context.Context, q Query, only *casefile.DID) (QueryResult, error) {
	began := time.Now()
	as, err := e.role(q)
	if err != nil {
		return QueryResult{}, err
	}
	store := &memory{all: map[voting.Hash][]byte{}}
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
	_, own := e.d.Book.Card(q.Source)
	r, bad := reader{self: e.self, own: own, clock: e.d.Clock, judgeOf: e.judgeOf}.result(as, q, s.Record()[0], answers, store)
	r.Problem, r.Millis = queryProblem(err), time.Since(began).Milliseconds()
	return r, bad
}

// role returns the role in which this node asks: as its seat in the case, or as a judge.
func (e *Evidence) role(q Query) (exchange.Evaluation, error) {
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
	deps := e.RequesterDeps(store)
	if q.Case == "" {
		deps.Finder = e.Finder(Directory | DHT)
	}
	if only != nil {
		f := e.finder
		f.only = only
		deps.Finder = f
	}
	if q.MaxPrice > 0 {
		deps.Purse = oneOff{e.purse}
	}
	return deps
}

// oneOff is the purse for one query. The allowed price is for this query alone, regardless of
// earlier spending.
type oneOff struct{ *payment.Purse }

func (oneOff) Spent(casefile.Address) (uint64, error) { return 0, nil }

type memory struct {
	mu  sync.Mutex
	all map[voting.Hash][]byte
}

func (m *memory) Keep(_ voting.Key, content []byte) (voting.Hash, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hash := casefile.HashOf(content)
	m.all[hash] = slices.Clone(content)
	return hash, nil
}

func (m *memory) get(hash casefile.Digest) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[voting.Hash(hash)]
}

// reader knows what people want to know about answers.
type reader struct {
	self    casefile.DID
	own     bool // this node has the source
	clock   func() int64
	judgeOf func(peer casefile.DID) *casefile.Address
}

// result shows the result of a question.
func (e reader) result(as exchange.Evaluation, q Query, b casefile.DataBody, answers []exchange.Answer,
	m *memory) (QueryResult, error) {
	r := QueryResult{
		Source: b.Source, Request: q.Request, RequestHash: b.Request, Judge: as.Judge, Asker: e.self, Round: as.Round, Outsider: as.Outsider,
		Own: e.own, Answers: []QueryAnswer{}, Failures: []QueryFailure{},
	}
	if as.Case != (casefile.Address{}) {
		r.Case = &as.Case
	}
	for _, a := range answers {
		agreed := m.get(a.Receipt.Terms)
		terms, err := casefile.ParseAgreed(agreed)
		if err != nil {
			return r, err
		}
		r.Answers = append(r.Answers, QueryAnswer{
			Holder: a.Holder, Judge: e.judgeOf(a.Holder), Answer: a.Content, Price: a.Receipt.Price, Access: a.Receipt.Access,
			Promises: terms.Promise, Receipt: a.Receipt, Terms: agreed, Hash: casefile.Digest(a.Hash), Age: max(0, e.clock()-a.FetchedAt),
			Stale: a.Stale, Disputed: a.Disputed,
		})
	}
	for _, f := range b.Failures {
		remedy := exchange.RemedyOf(f)
		r.Failures = append(r.Failures, QueryFailure{f, remedy, next(remedy, as.Outsider)})
	}
	return r, nil
}

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
		exchange.ErrUnavailable: "no holder of the source answered",
		exchange.ErrRefused:     "every holder of the source refuses",
		exchange.ErrBadRequest:  "the source does not take the request",
		exchange.ErrSpent:       "there was no room left for an answer",
	} {
		if errors.Is(err, class) {
			return text
		}
	}
	return ""
}
