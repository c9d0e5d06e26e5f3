package remote

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/megabrain/memory"
	"ojud/megabrain/memory/keep"
	"ojud/p2p/direct"
)

type testKey struct{ private ed25519.PrivateKey }

func newKey(name string) testKey {
	seed := sha256.Sum256([]byte(name))
	return testKey{ed25519.NewKeyFromSeed(seed[:])}
}

func (k testKey) Principal() (p delegation.Principal) {
	copy(p[:], k.private[32:])
	return p
}

func (k testKey) Sign(message []byte) [64]byte { return [64]byte(ed25519.Sign(k.private, message)) }

func (k testKey) direct() (direct.Key, error) {
	p := k.Principal()
	return direct.Key{Public: p[:], Sign: k.Sign}, nil
}

func now() int64 { return 10_000 }

// node is a memory node of the test's.
func node(t testing.TB, key string) *keep.Node {
	t.Helper()
	c := keep.DefaultConditions()
	c.MinFree = 1 << 20
	n, err := keep.Open(t.TempDir(), newKey(key), c, now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

func desk(n *keep.Node, token string) *Desk {
	return NewDesk(n, token, time.Now, slog.New(slog.DiscardHandler))
}

// both runs a test over HTTP and over libp2p.
func both(t *testing.T, d *Desk, test func(t *testing.T, address string)) {
	ctx, stop := context.WithCancel(t.Context())
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k, err := newKey("node").direct()
	if err != nil {
		t.Fatal(err)
	}
	at, wait, err := d.Listen(ctx, k, "/ip4/127.0.0.1/tcp/0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.ServeHTTP(ctx, l) }()
	t.Run("http", func(t *testing.T) { test(t, "http://"+l.Addr().String()) })
	t.Run("libp2p", func(t *testing.T) { test(t, at[0]) })
	stop()
	if err := errors.Join(<-served, wait()); err != nil {
		t.Error(err)
	}
}

func dial(t *testing.T, address, peer string, heads *Heads) *Auditor {
	t.Helper()
	var want *delegation.Principal
	if peer != "" {
		p := newKey(peer).Principal()
		want = &p
	}
	c, err := Dial(t.Context(), address, want, newKey("client").direct)
	if err != nil {
		t.Fatal(err)
	}
	c.Heads, c.now = heads, func() time.Time { return time.Unix(now(), 0) }
	t.Cleanup(func() { _ = c.Close() }) // the node may be gone
	return c
}

// TestCalls: each call works over both ways, and the log is followed.
func TestCalls(t *testing.T) {
	n := node(t, "node")
	both(t, desk(n, ""), func(t *testing.T, address string) {
		heads := &Heads{t.TempDir()}
		c := dial(t, address, "node", heads)
		ctx := t.Context()
		offer, err := c.Offer(ctx)
		if err != nil || offer.Node != newKey("node").Principal().String() || offer.MaxArtifact != 4<<20 {
			t.Errorf("%v: %+v", err, offer)
		}
		if _, err := c.Head(ctx); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			artifact := fmt.Appendf(nil, "%s %d %s", t.Name(), i, strings.Repeat("x", i*1_000_000))
			in, err := c.Put(ctx, artifact, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Get(ctx, in.Promise.Hash)
			if err != nil || !bytes.Equal(got, artifact) {
				t.Errorf("%v: %d bytes", err, len(got))
			}
			if p, err := c.Prove(ctx, in.Promise.Hash); err != nil || p.Index != in.Index {
				t.Errorf("%v: %+v", err, p)
			}
			if p, err := c.ProveAt(ctx, in.Index); err != nil || p.Promise != in.Promise {
				t.Errorf("%v: %+v", err, p)
			}
		}
		head, err := c.Head(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if seen, ok, err := heads.Load(head.Node); err != nil || !ok || seen.Size != head.Size {
			t.Errorf("%v, %v: %v", ok, err, seen)
		}
		_, counts, err := c.Audit(ctx, head, memory.Question{Salt: memory.Digest{1}, Count: 30, Index: -1, At: now()})
		if err != nil || !counts.Kept() {
			t.Errorf("%v: %+v", err, counts)
		}
		old, ok, err := heads.Load(head.Node)
		if err != nil || !ok {
			t.Fatal(err)
		}
		if g, err := c.Grown(ctx, old, head); err != nil || g != nil {
			t.Errorf("%v, %v", g, err)
		}
		var f *refusal
		if _, err := c.Get(ctx, memory.Digest{9}); !errors.As(err, &f) || f.Status != http.StatusNotFound || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
		if _, err := c.Put(ctx, make([]byte, 4<<20+1), time.Hour); err == nil {
			t.Error("a large artifact is taken")
		}
		if _, err := dial(t, address, "other", nil).Head(ctx); err == nil {
			t.Error("another node answers")
		}
	})
}

func TestToken(t *testing.T) {
	n := node(t, "node")
	both(t, desk(n, "the secret of this node"), func(t *testing.T, address string) {
		c := dial(t, address, "", nil)
		for token, want := range map[string]bool{"": false, "the secret of this nodf": false, "the secret of this node": true} {
			c.Token = token
			var f *refusal
			_, err := c.Put(t.Context(), []byte("x"), time.Hour)
			if (err == nil) != want || err != nil && (!errors.As(err, &f) || f.Status != http.StatusUnauthorized) {
				t.Errorf("%q: %v", token, err)
			}
		}
	})
}

// liar answers one client from one log, and others from another.
func liar(t *testing.T) (first, second *keep.Node) {
	first, second = node(t, "node"), node(t, "node")
	for i := range 6 {
		for _, n := range []*keep.Node{first, second} {
			name := fmt.Sprint("artifact ", i)
			if n == second && i == 2 {
				name = "a result that was taken back"
			}
			if _, err := n.Put([]byte(name), 3600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return first, second
}

func serving(t *testing.T, n *keep.Node) string {
	t.Helper()
	d := desk(n, "")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, "test") }))
	t.Cleanup(s.Close)
	return s.URL
}

// TestAttackLyingNode: a node that shows another log than before is exposed, whether its log has
// the same size or is longer. A node that lost its end is not believed. An honest node that grew is
// not exposed (the control).
func TestAttackLyingNode(t *testing.T) {
	first, second := liar(t)
	ctx := t.Context()
	for _, k := range []struct { // in this order: the nodes grow
		name   string
		node   *keep.Node
		grows  bool // before it is asked again
		expose bool
	}{
		{"honest", first, false, false}, {"same size", second, false, true}, {"longer", second, true, true}, {"honest and longer", first, true, false},
	} {
		heads := &Heads{t.TempDir()}
		if err := heads.save(first.Head()); err != nil {
			t.Fatal(err)
		}
		if k.grows {
			if _, err := k.node.Put([]byte("one more"), 3600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := dial(t, serving(t, k.node), "node", heads).Head(ctx)
		var e *Exposed
		if errors.As(err, &e) != k.expose || !k.expose && err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
		if e == nil {
			continue
		}
		raw, err := memory.Document{Exposure: &e.Exposure}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		d, err := memory.ParseDocument(raw)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := d.Verify(); err != nil || s.Kind != "exposure" || s.Node != newKey("node").Principal().String() {
			t.Errorf("%s: %v: %+v", k.name, err, s)
		}
	}
	// A node that lost its end cannot go on: the client keeps what it signed.
	heads := &Heads{t.TempDir()}
	if err := heads.save(first.Head()); err != nil {
		t.Fatal(err)
	}
	short := node(t, "node")
	if _, err := short.Put([]byte("artifact 0"), 3600); err != nil {
		t.Fatal(err)
	}
	if _, err := dial(t, serving(t, short), "node", heads).Head(ctx); err == nil || !strings.Contains(err.Error(), "has signed both") {
		t.Errorf("%v", err)
	}
	if seen, _, err := heads.Load(newKey("node").Principal()); err != nil || seen != first.Head() {
		t.Errorf("%v: %v", err, seen)
	}
}

// TestAttackForgedAnswers: a client believes no answer that it can check.
func TestAttackForgedAnswers(t *testing.T) {
	n := node(t, "node")
	in, err := n.Put([]byte("an artifact"), 3600)
	if err != nil {
		t.Fatal(err)
	}
	other, err := n.Put([]byte("another artifact"), 3600)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(d memory.Document) string {
		raw, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	broken := in
	broken.Promise.Until += 1000
	for name, body := range map[string]string{
		"empty": "", "another artifact": answer(memory.Document{Receipt: &other}), "a longer term": answer(memory.Document{Receipt: &broken}),
		"no receipt": answer(memory.Document{Head: &in.Head}), "endless": strings.Repeat("x", memory.MaxDocument+1),
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(body)) }))
		c := dial(t, s.URL, "", nil)
		if _, err := c.Put(t.Context(), []byte("an artifact"), time.Hour); err == nil {
			t.Errorf("%s: put", name)
		}
		if _, err := c.Prove(t.Context(), in.Promise.Hash); err == nil {
			t.Errorf("%s: prove", name)
		}
		if _, err := c.Get(t.Context(), in.Promise.Hash); err == nil {
			t.Errorf("%s: get", name)
		}
		if _, err := c.Head(t.Context()); err == nil {
			t.Errorf("%s: head", name)
		}
		if _, _, err := c.Audit(t.Context(), n.Head(), memory.Question{Count: 1, Index: -1}); err == nil {
			t.Errorf("%s: audit", name)
		}
		s.Close()
	}
}

// TestBadRequests: what strangers ask is refused with a problem that says why.
func TestBadRequests(t *testing.T) {
	n := node(t, "node")
	url := serving(t, n)
	for _, k := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "artifacts/xyz", "", 400}, {"GET", "proofs/" + strings.Repeat("0", 64), "", 404}, {"GET", "promises/-1", "", 400}, {"GET", "promises/0", "", 404},
		{"GET", "promises/99999999999999999999", "", 400}, {"POST", "artifacts", "x", 400}, {"POST", "artifacts?seconds=0", "x", 400}, {"POST", "artifacts?seconds=1", "", 400},
		{"POST", "artifacts?seconds=5", strings.Repeat("x", 4<<20+1), 413}, {"GET", "consistency?old=0&new=0", "", 404}, {"GET", "consistency?old=01&new=1", "", 400},
		{"POST", "audits", "{", 400}, {"POST", "audits", `{"size":1,"question":{"salt":"00","count":1,"index":-1,"at":0}}`, 400},
		{"POST", "audits", strings.Repeat(" ", maxQuestion+1), 413}, {"DELETE", "head", "", 405}, {"GET", "else", "", 404},
	} {
		r, err := http.NewRequest(k.method, url+root+k.path, strings.NewReader(k.body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
		if res.StatusCode != k.status {
			t.Errorf("%s %.60s: %d, want %d", k.method, k.path, res.StatusCode, k.status)
		}
	}
}

// TestGate: a place that asks too much waits, and the others do not.
func TestGate(t *testing.T) {
	var g gate
	at := time.Unix(1000, 0)
	for i := range eachBurst {
		leave, ok := g.enter("a", at)
		if !ok {
			t.Fatalf("refused after %d", i)
		}
		leave()
	}
	if _, ok := g.enter("a", at); ok {
		t.Error("more than the burst")
	}
	for range eachAtOne {
		if _, ok := g.enter("b", at); !ok {
			t.Error("b is refused")
		}
	}
	if _, ok := g.enter("b", at); ok {
		t.Error("more than so many at a time")
	}
	for i := range maxPlaces - 2 {
		if leave, ok := g.enter(fmt.Sprint(i), at); ok {
			leave()
		}
	}
	if _, ok := g.enter("one more", at); ok || len(g.places) != maxPlaces {
		t.Errorf("%d places", len(g.places))
	}
	if _, ok := g.enter("one more", at.Add(time.Minute)); !ok || len(g.places) > 3 {
		t.Errorf("%d places after a minute", len(g.places))
	}
}

// FuzzAnswer: no answer of a node breaks a client.
func FuzzAnswer(f *testing.F) {
	n := node(f, "node")
	in, err := n.Put([]byte("an artifact"), 3600)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := memory.Document{Receipt: &in}.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(200, raw)
	f.Add(200, n.Head().Note())
	f.Add(404, []byte(`{"title":"x","status":404,"detail":"y"}`))
	f.Add(200, []byte(`{"root":"`+strings.Repeat("0", 64)+`","proof":[]}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c := &Auditor{base: "http://x", http: &http.Client{Transport: fixed{status, body}}}
		ctx := t.Context()
		if got, err := c.Get(ctx, in.Promise.Hash); err == nil && sha256.Sum256(got) != in.Promise.Hash {
			t.Error("another artifact")
		}
		if got, err := c.Prove(ctx, in.Promise.Hash); err == nil && got.Verify() != nil {
			t.Error("a receipt that does not verify")
		}
		for _, err := range []error{third(c.Head(ctx)), third(c.Offer(ctx)), third(c.ProveAt(ctx, 0))} {
			_ = err
		}
		if _, counts, err := c.Audit(ctx, n.Head(), memory.Question{Count: 1, Index: -1}); err == nil && counts.Asked != 1 {
			t.Error("an audit of nothing")
		}
	})
}

func third[T any](_ T, err error) error { return err }

// fixed answers each request with the same.
type fixed struct {
	status int
	body   []byte
}

func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: f.status, Header: http.Header{"Content-Type": {problemType}}, Body: readCloser{bytes.NewBuffer(f.body)}, Request: r}, nil
}
