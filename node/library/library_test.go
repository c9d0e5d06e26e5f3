package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// shelf is a node that only knows the content protocol, and answers as the test says.
type shelf struct {
	mu   sync.Mutex
	puts [][]byte
	put  func(n int) error                 // answers put number n, from 1
	get  func(hash []byte) ([]byte, error) // answers get; if nil, nothing is found
}

func (s *shelf) answer(_ context.Context, _ peer.ID, req []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req[0] == blobGet {
		if s.get == nil {
			return nil, p2p.ErrNotFound
		}
		return s.get(req[1:])
	}
	s.puts = append(s.puts, req)
	return nil, s.put(len(s.puts))
}

// shelves starts nodes and a library that knows the first of them.
func shelves(t *testing.T, all ...*shelf) *Library {
	t.Helper()
	net := p2ptest.NewNet(t, 20*time.Millisecond)
	network := node.Descriptor{Format: node.DescriptorFormat, Name: p2ptest.Config(0).Network}
	for _, s := range all {
		host := net.Node()
		limits := p2p.DefaultLimits()
		limits.MaxRequest = 1 + 64 + casefile.MaxBlob
		if err := host.Handle(blobStream, limits, s.answer); err != nil {
			t.Fatal(err)
		}
		addrs, err := host.Addrs()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range addrs {
			network.Bootstrap = append(network.Bootstrap, a.String())
		}
	}
	cfg := DefaultConfig()
	cfg.Listen = p2ptest.Config(len(all)).Listen
	l, err := Open(t.Context(), network, cfg, Deps{Libp2p: []libp2p.Option{net.Transport()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func taken(int) error { return nil }

// TestPublishRetries checks that a node that has not seen the task yet gets a second request, and
// that the requests follow the protocol.
func TestPublishRetries(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		late := &shelf{put: func(n int) error {
			if n < 4 {
				return p2p.Fail(p2p.ErrNotFound, "no such task, or not confirmed yet")
			}
			return nil
		}}
		never := &shelf{put: func(int) error { return p2p.Fail(p2p.ErrBusy, "full") }}
		l := shelves(t, late, never)
		task, d := onchain.Address{1}, Document{Content: []byte(`{"a":1}`), Hash: casefile.HashOf([]byte(`{"a":1}`))}
		began := time.Now()
		all, err := l.Publish(t.Context(), task, d)
		if err != nil || len(all) != 1 || all[0].Accepted != 1 || all[0].Asked != 2 || !strings.Contains(all[0].Refusal, "full") {
			t.Errorf("%+v, %v", all, err)
		}
		if took := time.Since(began); took > DefaultConfig().Linger+5*time.Second {
			t.Errorf("it took %s", took)
		}
		want := "\x02" + string(d.Hash[:]) + string(task[:]) + `{"a":1}`
		if len(late.puts) != 4 || string(late.puts[3]) != want {
			t.Errorf("%d puts, the last %q", len(late.puts), late.puts[len(late.puts)-1])
		}
	})
}

// TestPublishRefused checks that Publish fails if no node takes a document. A fault of the client
// is not retried for long.
func TestPublishRefused(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		task, d := onchain.Address{1}, Document{Content: []byte("x"), Hash: casefile.HashOf([]byte("x"))}
		for name, c := range map[string]struct {
			answer error
			least  time.Duration
			most   time.Duration
			says   string
		}{
			"never seen":  {p2p.Fail(p2p.ErrNotFound, "no such task"), 29 * time.Second, 40 * time.Second, "ojud task publish " + task.String()},
			"our fault":   {p2p.Fail(p2p.ErrBadRequest, "wrong hash"), 0, 3 * time.Second, "wrong hash"},
			"not allowed": {p2p.Fail(p2p.ErrRefused, "the task does not name this content"), 29 * time.Second, 40 * time.Second, "does not name"},
		} {
			l := shelves(t, &shelf{put: func(int) error { return c.answer }})
			began := time.Now()
			all, err := l.Publish(t.Context(), task, d)
			took := time.Since(began)
			if !errors.Is(err, ErrNotPublished) || !strings.Contains(err.Error(), c.says) || took < c.least || took > c.most || all[0].Accepted != 0 {
				t.Errorf("%s: %+v, %v after %s", name, all, err, took)
			}
		}
		l := shelves(t, &shelf{put: taken})
		if _, err := l.Publish(t.Context(), task, Document{Content: []byte("x"), Hash: [32]byte{1}}); err == nil {
			t.Error("a document with another hash was published")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := l.Publish(ctx, task, d); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// TestFetch checks that Fetch refuses content with another hash and asks the next node.
func TestFetch(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		right := []byte("right")
		liar := &shelf{get: func([]byte) ([]byte, error) { return []byte("wrong"), nil }}
		holder := &shelf{get: func([]byte) ([]byte, error) { return right, nil }}
		if got, err := shelves(t, liar, &shelf{}, holder).Fetch(t.Context(), casefile.HashOf(right)); err != nil || string(got) != "right" {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := shelves(t, liar).Fetch(t.Context(), casefile.HashOf(right)); !errors.Is(err, ErrNoContent) {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestFetchFromBusyNodes: seven nodes take two seconds each to say that they lack a document, as
// on a busy machine, and an eighth has it. They were asked one after another in the same order,
// so that five seconds never reached the one that has it, however often a market looked.
func TestFetchFromBusyNodes(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		right := []byte("right")
		var all []*shelf
		var asked atomic.Int32
		for range 8 {
			all = append(all, &shelf{get: func([]byte) ([]byte, error) {
				if asked.Add(1)%8 == 0 { // the one that is asked last
					return right, nil
				}
				<-time.After(2 * time.Second)
				return nil, p2p.ErrNotFound
			}})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if got, err := shelves(t, all...).Fetch(ctx, casefile.HashOf(right)); err != nil || string(got) != "right" {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestPublishCard: a card goes to nodes with its agent. If no node takes it, the error says how
// to try again.
func TestPublishCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shelf
		s.put = taken
		l := shelves(t, &s)
		content := []byte(`{"name":"x"}`)
		card := agentcard.Signed{Content: content, Hash: casefile.HashOf(content), CourtTerms: agentcard.CourtTerms{Authority: casefile.Address{7}}}
		p, err := l.PublishCard(t.Context(), card)
		want := append(append(append([]byte{cardPut}, card.Hash[:]...), card.Authority[:]...), content...)
		if err != nil || p.Accepted != 1 || len(s.puts) != 1 || !bytes.Equal(s.puts[0], want) {
			t.Errorf("%+v %v, %x", p, err, s.puts)
		}
		s.put = func(int) error { return p2p.ErrRefused }
		if _, err := l.PublishCard(t.Context(), card); !errors.Is(err, ErrNotPublished) || !strings.Contains(err.Error(), "ojud agent card publish") {
			t.Error(err)
		}
	})
}

// placed is a court's content as Spread sees it.
type placed struct {
	has  map[voting.Hash][]byte
	sent []Document
	err  error
}

func (p *placed) Fetch(_ context.Context, hash voting.Hash) ([]byte, error) {
	if content, ok := p.has[hash]; ok {
		return content, nil
	}
	return nil, ErrNoContent
}

func (p *placed) Publish(_ context.Context, _ onchain.Address, docs ...Document) ([]Publication, error) {
	p.sent = append(p.sent, docs...)
	return nil, p.err
}

// TestAttackDocumentOnOneNode: a creator shows a task that pins its data from its own node alone,
// so that no honest node keeps the pinned bytes, and removes the data after the work. The worker
// sends the document to others before it claims. A task that pins nothing, or cannot be read, is
// not sent, and a claim fails if no node takes one that pins.
func TestAttackDocumentOnOneNode(t *testing.T) {
	t.Parallel()
	task := func(pda string) []byte {
		return fmt.Appendf(nil, `{"instruction":["x"],"output_schema":{"type":"object"},"pda":[%s]}`, pda)
	}
	pinned := task(fmt.Sprintf(`{"data":%q,"sha256":%q}`, casefile.Address{7}, casefile.Digest{9}))
	for name, c := range map[string]struct {
		document []byte
		refused  error
		sent     int
		err      error
	}{
		"pinned":                {document: pinned, sent: 1},
		"no node takes it":      {document: pinned, refused: ErrNotPublished, sent: 1, err: ErrNotPublished},
		"not pinned":            {document: task(fmt.Sprintf("%q", casefile.Address{7}))},
		"no task":               {document: []byte("owl")},
		"nobody has a document": {},
	} {
		p := &placed{has: map[voting.Hash][]byte{}, err: c.refused}
		hash := casefile.HashOf(c.document)
		if c.document != nil {
			p.has[hash] = c.document
		}
		if err := Spread(t.Context(), p, onchain.Address{1}, hash); !errors.Is(err, c.err) || len(p.sent) != c.sent {
			t.Errorf("%s: %v, sent %d", name, err, len(p.sent))
		}
	}
}
