package exchange_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/datasource/kind"
	"ojud/voting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const source = "posts"

var (
	domain = voting.Domain{Network: voting.Hash{1}, Program: voting.Key{2}}
	task   = casefile.Address{3}
)

// judge is a node of the court, with its own key and authority.
type judge struct {
	key       ed25519.PrivateKey
	peer      casefile.DID
	authority casefile.Address
}

func newJudge(n int) judge {
	seed := sha256.Sum256(fmt.Appendf(nil, "judge %d", n))
	key := ed25519.NewKeyFromSeed(seed[:])
	return judge{key, casefile.DID(key.Public().(ed25519.PublicKey)), casefile.Address{9, byte(n), byte(n >> 8)}}
}

func (j judge) sign(r casefile.Receipt) (casefile.Receipt, error) { return r.Sign(j.key) }

func (j judge) seat() exchange.Seat {
	return exchange.Seat{Case: task, Round: 1, Judge: j.authority, Peer: j.peer}
}

// clock returns the chain's time in seconds. The chain's clock is not this machine's.
func clock() int64 { return time.Now().Add(-2 * time.Hour).Unix() }

// book is the content that a holder serves.
type book struct {
	card    datasource.Card
	answer  func(request []byte) (string, error)
	delay   time.Duration
	fetched time.Duration // how long ago
	calls   atomic.Int32
}

// newBook has the source posts, whose answers have an id and a text.
func newBook(text string) *book {
	return &book{card: newCard(), answer: func([]byte) (string, error) { return `{"id":"7","text":` + text + `}`, nil }}
}

func newCard() datasource.Card {
	return datasource.Card{Tool: kind.Tool{Name: source, Description: "Posts.",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"text":{"type":"string"}},"required":["id"]}`)},
		Terms: datasource.DefaultTerms()}
}

func (b *book) Card(name string) (datasource.Card, bool) { return b.card, b.card.Name == name }

func (b *book) AnswerIn(ctx context.Context, _ casefile.Address, name string, request []byte) (datasource.Answer, error) {
	if name != b.card.Name {
		return datasource.Answer{}, datasource.ErrUnknown
	}
	b.calls.Add(1)
	select {
	case <-time.After(b.delay):
	case <-ctx.Done():
		return datasource.Answer{}, ctx.Err()
	}
	text, err := b.answer(request)
	if err != nil {
		return datasource.Answer{}, err
	}
	hash, err := b.card.Hash()
	return datasource.Answer{Source: name, Card: hash, Body: json.RawMessage(text), Hash: casefile.HashOf([]byte(text)), FetchedAt: time.Now().Add(-b.fetched)}, err
}

// chain is an Authority that knows seats.
type chain struct {
	mu    sync.Mutex
	seats map[exchange.Seat]bool
	named []string
	err   error

	agents, parties map[casefile.DID]bool // of the task
}

func (c *chain) Check(_ context.Context, s exchange.Seat, name string, who datasource.Who) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	bare := s
	bare.Peer = casefile.DID{}
	switch {
	case c.err != nil:
		return c.err
	case who.Class == datasource.Listed && !slices.Contains(who.Authorities, s.Judge):
		return exchange.ErrNotListed
	case s.Outsider() && !who.Open():
		return exchange.ErrNoJudge
	case s.Outsider() && who.Class == datasource.Agents && !c.agents[s.Peer]:
		return exchange.ErrNoAgent
	case s.Outsider() && s.Case != (casefile.Address{}) && !c.parties[s.Peer]:
		return exchange.ErrNoParty
	case s.Outsider() && s.Case == (casefile.Address{}) && who.Class == datasource.Parties:
		return exchange.ErrNoTask
	case s.Outsider():
		return nil
	case s.Round == 0 && (who.Class == datasource.Seated || who.Class == datasource.Judges):
		return exchange.ErrNoCase
	case s.Round == 0:
		return nil
	case !c.seats[bare]:
		return fmt.Errorf("chain: %w", exchange.ErrNoSeat)
	case !c.seats[s]:
		return exchange.ErrOtherPeer
	case who.Class == datasource.Seated && !slices.Contains(c.named, name):
		return exchange.ErrNotTold
	}
	return nil
}

func (c *chain) Seats(casefile.Address) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	judges := map[casefile.Address]bool{}
	for s := range c.seats {
		judges[s.Judge] = true
	}
	return len(judges)
}

func (c *chain) Judge(peer casefile.DID) (casefile.Address, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.seats {
		if s.Peer == peer {
			return s.Judge, true
		}
	}
	return casefile.Address{}, false
}

func newChain(judges ...judge) *chain {
	c := &chain{seats: map[exchange.Seat]bool{}, named: []string{source}}
	for _, j := range judges {
		s := j.seat()
		c.seats[s] = true
		s.Peer = casefile.DID{}
		c.seats[s] = true
	}
	return c
}

// blobs keep content.
type blobs struct {
	mu  sync.Mutex
	all map[voting.Hash]string
	err error
	lag time.Duration
}

func (b *blobs) Keep(_ voting.Key, content []byte) (voting.Hash, error) {
	time.Sleep(b.lag)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[voting.Hash]string{}
	}
	hash := casefile.HashOf(content)
	b.all[hash] = string(content)
	return hash, b.err
}

// web holds the reachable peers, and those that are said to have the source.
type web struct {
	t         testing.TB
	chain     *chain
	mu        sync.Mutex
	serves    map[casefile.DID]func(ctx context.Context, asker casefile.DID, line exchange.Stream)
	cards     []exchange.Candidate
	completed int
	trickle   time.Duration // between candidates
	work      sync.WaitGroup
	ctx       context.Context
	end       context.CancelFunc
}

func newWeb(t testing.TB, askers ...judge) *web {
	w := &web{t: t, chain: newChain(askers...), serves: map[casefile.DID]func(context.Context, casefile.DID, exchange.Stream){}}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w
}

// close ends every server.
func (w *web) close() {
	w.end()
	w.work.Wait()
}

// says makes a peer known as a holder.
func (w *web) says(peer casefile.DID, card []byte) {
	w.cards = append(w.cards, exchange.Candidate{Peer: peer, Card: card})
}

// holder sets up a node with a book. change may change its parts.
func (w *web) holder(j judge, b *book, change func(*exchange.HolderConfig, *exchange.HolderDeps)) *exchange.Holder {
	cfg := exchange.DefaultHolderConfig()
	deps := exchange.HolderDeps{Self: j.peer, Domain: domain, Book: b, Authority: w.chain, Sign: j.sign, Clock: clock}
	if change != nil {
		change(&cfg, &deps)
	}
	h, err := exchange.NewHolder(cfg, deps)
	if err != nil {
		w.t.Fatal(err)
	}
	w.serve(j.peer, func(ctx context.Context, asker casefile.DID, line exchange.Stream) {
		_, err := h.Serve(ctx, asker, line)
		w.note(err)
	})
	raw, err := b.card.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	w.says(j.peer, raw)
	return h
}

// note keeps how conversations ended on the side of holders.
func (w *web) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.completed++
	}
}

func (w *web) serve(peer casefile.DID, f func(ctx context.Context, asker casefile.DID, line exchange.Stream)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serves[peer] = f
}

func (w *web) Holders(ctx context.Context, _ string) <-chan exchange.Candidate {
	out := make(chan exchange.Candidate)
	w.work.Go(func() {
		defer close(out)
		for _, c := range w.cards {
			select {
			case <-time.After(w.trickle):
			case <-ctx.Done():
				return
			}
			select {
			case out <- c:
			case <-ctx.Done():
				return
			}
		}
	})
	return out
}

var errDown = errors.New("no route")

func (w *web) dial(from casefile.DID) func(context.Context, casefile.DID) (exchange.Stream, error) {
	return func(_ context.Context, peer casefile.DID) (exchange.Stream, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		serve := w.serves[peer]
		if serve == nil {
			return nil, errDown
		}
		near, far := pipe(1)
		w.work.Go(func() { serve(w.ctx, from, far) })
		return near, nil
	}
}

// blamed records each blamed peer and the class of its fault.
type blamed struct {
	mu  sync.Mutex
	all map[casefile.DID][]exchange.Class
}

func (b *blamed) note(peer casefile.DID, c exchange.Class) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[casefile.DID][]exchange.Class{}
	}
	b.all[peer] = append(b.all[peer], c)
}

// desk is the desk of a judge.
type desk struct {
	*exchange.Requester
	judge  judge
	blobs  *blobs
	blamed *blamed
}

func (w *web) desk(j judge, change func(*exchange.RequesterConfig, *exchange.RequesterDeps)) desk {
	d := desk{judge: j, blobs: &blobs{}, blamed: &blamed{}}
	cfg := exchange.DefaultRequesterConfig()
	deps := exchange.RequesterDeps{Self: j.peer, Domain: domain, Sign: j.sign, Finder: w, Dial: w.dial(j.peer), Blobs: d.blobs, Clock: clock, Blame: d.blamed.note}
	if change != nil {
		change(&cfg, &deps)
	}
	var err error
	if d.Requester, err = exchange.NewRequester(cfg, deps); err != nil {
		w.t.Fatal(err)
	}
	return d
}

// open begins an evaluation of the given length.
func (d desk) open(t testing.TB, long time.Duration) *exchange.Session {
	t.Helper()
	return d.openKnowing(t, long, nil)
}

// openKnowing opens a session that knows who has a stake.
func (d desk) openKnowing(t testing.TB, long time.Duration, staked map[casefile.DID]uint64) *exchange.Session {
	t.Helper()
	s, err := d.Open(context.Background(), exchange.Evaluation{Case: task, Round: 1, Judge: d.judge.authority, Sources: []string{source, "other"}, Staked: staked,
		From: clock() - 10, Until: clock() + int64(long/time.Second), Deadline: time.Now().Add(long)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verify compares a session's results with its record.
func (d desk) verify(t testing.TB, s *exchange.Session, given ...exchange.Answer) {
	t.Helper()
	known := map[voting.Hash]casefile.Receipt{}
	for _, body := range s.Record() {
		if len(body.Receipts)+len(body.Failures) == 0 || len(body.Receipts) > 8 || len(body.Failures) > 16 {
			t.Errorf("record: %d receipts, %d failures", len(body.Receipts), len(body.Failures))
		}
		for _, f := range body.Failures {
			if len(f.Reason) < 1 || len(f.Reason) > 256 {
				t.Errorf("reason %q", f.Reason)
			}
		}
		if _, ok := d.blobs.all[voting.Hash(body.Request)]; !ok && len(body.Receipts) > 0 {
			t.Error("the request is not kept")
		}
		for _, r := range body.Receipts {
			hash, err := r.Hash()
			if err != nil || r.Verify(domain) != nil || r.Request != body.Request || r.Asker != d.judge.peer || r.Case != task || r.FetchedAt > r.At {
				t.Errorf("receipt %+v: %v %v", r, err, r.Verify(domain))
			}
			known[hash] = r
		}
	}
	for _, a := range given {
		if _, ok := known[a.Hash]; !ok {
			t.Errorf("the answer of %s is not in the record", a.Holder)
		}
		if d.blobs.all[voting.Hash(a.Receipt.Response)] != string(a.Content) || casefile.HashOf(a.Content) != voting.Hash(a.Receipt.Response) {
			t.Errorf("the content of %s is not what its receipt says, or not kept", a.Holder)
		}
	}
}

// reasons are the failures of the record, by holder.
func reasons(s *exchange.Session) map[casefile.DID]string {
	out := map[casefile.DID]string{}
	for _, body := range s.Record() {
		for _, f := range body.Failures {
			if f.Holder == nil {
				out[casefile.DID{}] = f.Reason
				continue
			}
			out[*f.Holder] = f.Reason
		}
	}
	return out
}

func ask(s *exchange.Session, id string) ([]exchange.Answer, error) {
	return s.Ask(context.Background(), source, json.RawMessage(`{ "id": "`+id+`" }`))
}

func peers(answers []exchange.Answer) []casefile.DID {
	out := map[casefile.DID]bool{}
	for _, a := range answers {
		out[a.Holder] = true
	}
	return slices.SortedFunc(maps.Keys(out), func(a, b casefile.DID) int { return slices.Compare(a[:], b[:]) })
}
