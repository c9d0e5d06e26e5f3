package link_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/cbor"
	"ojud/agent/talk/link"
	"ojud/agent/talk/owner"
	"ojud/datasource/anex"
	"ojud/p2p/direct"
)

// key is an agent's key.
type key ed25519.PrivateKey

func newKey(seed byte) key {
	return key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
}

func (k key) Principal() delegation.Principal { return delegation.Principal(k[32:]) }
func (k key) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(ed25519.PrivateKey(k), message))
}

// speaker is an owner that says its lines, each when something was heard.
type speaker struct {
	*owner.Owner
	lines [][2]string // what is heard, and what is said then
	mu    sync.Mutex
	heard []talk.Heard
	sent  int
	ended *talk.Ending
	kept  []string // hashes of agreements
	alone []string // hashes of terms that this side has signed alone
	full  error    // of the disk
	t     *testing.T
}

func (s *speaker) See(_ talk.Move, done talk.Done, refused error) (out []talk.Move) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused != nil && s.full == nil {
		s.t.Error(refused)
	}
	if done.Proposed != nil {
		s.Proposed(done.Proposed)
	}
	s.sent += len(done.Send)
	if done.Agreed != nil {
		s.Agreed(done.Agreed)
	}
	for _, h := range done.Heard {
		s.heard = append(s.heard, h)
		replies, _ := s.Reply(h)
		out = append(out, replies...)
		out = append(out, s.say(string(h.What))...)
	}
	if done.Ended != nil {
		s.ended = done.Ended
		return nil
	}
	return out
}

// Keep implements link.Owner.
func (s *speaker) Keep(a *talk.Agreement) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Verify() != nil { // the other side has not signed yet
		s.alone = append(s.alone, a.Hash())
		return nil
	}
	s.kept = append(s.kept, a.Hash())
	return s.full
}

func (s *speaker) say(on string) (out []talk.Move) {
	for len(s.lines) > 0 && s.lines[0][0] == on {
		said, err := s.ReadLine(s.lines[0][1])
		if err != nil {
			s.t.Error(err)
		}
		s.lines, on = s.lines[1:], ""
		out = append(out, said.Move)
	}
	return out
}

const calendar = `{"name":"Joe","email":"joe@example.org","schedule":["2026-12-01T10:00:00Z"]}`

func bob(t *testing.T, k key) *speaker {
	return &speaker{t: t, Owner: &owner.Owner{Key: k, Name: "Joe", Now: time.Now, Talk: owner.Yes, Terms: owner.Yes, Require: "Your owner's email?",
		Access: []string{"name", "schedule"}, Promise: []string{talk.NoRetention}, For: []string{"calendar negotiation"}, Relation: []string{"acquaintance (Joe Smith)"}, Data: json.RawMessage(calendar)}}
}

func alice(t *testing.T, k key) *speaker {
	return &speaker{t: t, Owner: &owner.Owner{Key: k, Name: "Ammon", Now: time.Now, Asking: true}, lines: [][2]string{
		{"", "greet"}, {"", "request A meeting. Ok?"}, {"modification", "agree It is ammon@example.org."},
		{"", `call request_type="calendar negotiation" access=name(m),schedule promise="no data retention(m)"`},
		{"proposal", "accept"}, {"signature", `tell {"meeting_times":["2026-12-01T10:00:00Z"]}`}, {"", `ask {"source":"calendar"}`},
		{"data", "subscribe schedule 1"}, {"update", "query Is it a Tuesday?"}, {"not-understood", "end"},
	}}
}

// check looks at the scene from alice's side.
func (s *speaker) check(t *testing.T) {
	t.Helper()
	if s.ended == nil || s.ended.How != "completed" || !s.ended.Erase || len(s.lines) != 0 {
		t.Fatalf("ended %+v, not said: %q, heard %+v", s.ended, s.lines, s.heard)
	}
	for _, h := range s.heard {
		if h.What == talk.Signature {
			if err := h.Terms.Verify(); err != nil {
				t.Error(err)
			}
		}
		if strings.Contains(string(h.Message.Content), "joe@example.org") {
			t.Errorf("the agreement does not grant that: %s", h.Message.Content)
		}
	}
}

// TestAttackFullDisk: a party that cannot store an agreement does not send the last signature, so
// the other one never has both alone.
func TestAttackFullDisk(t *testing.T) {
	t.Parallel()
	a, b := newKey(1), newKey(2)
	joe := bob(t, b)
	joe.full = errors.New("no space left on the disk")
	over := make(chan error, 1)
	address := serve(t, &link.End{Key: b, Certs: own(t, b)}, func(ctx context.Context, s *link.Socket) { over <- answer(ctx, s, joe, s.Peer) })
	who := b.Principal()
	s, err := (&link.End{Key: a}).Dial(t.Context(), address, &who)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	sp := alice(t, a)
	if err := begin(t.Context(), s, sp, s.Peer); err != nil {
		t.Fatal(err)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	if len(joe.kept) != 1 || len(sp.kept) != 0 || !slices.Equal(sp.alone, joe.kept) {
		t.Errorf("the holder tried %q, and the asker has %q, and signed %q alone", joe.kept, sp.kept, sp.alone)
	}
	if joe.ended == nil || joe.ended.How != "broken" || sp.ended == nil || sp.ended.How != "broken" {
		t.Errorf("%+v, %+v", joe.ended, sp.ended)
	}
}

// begin runs alice's side: her first lines need no answer.
func begin(ctx context.Context, f link.Frames, a *speaker, peer string) error {
	moves := make(chan talk.Move, 2)
	a.mu.Lock()
	for _, m := range append(a.say(""), a.say("")...) {
		moves <- m
	}
	a.mu.Unlock()
	s := talk.New(talk.DefaultCaps(), a.Key.Principal().String(), peer, "c-1", true, time.Now().UnixMilli())
	return link.Run(ctx, f, s, a, moves)
}

func answer(ctx context.Context, f link.Frames, b *speaker, peer string) error {
	return link.Run(ctx, f, talk.New(talk.DefaultCaps(), b.Key.Principal().String(), peer, "", false, time.Now().UnixMilli()), b, nil)
}

// serve runs an end on loopback, and returns its address.
func serve(t *testing.T, e *link.End, do func(context.Context, *link.Socket)) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e.Log = slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- e.Serve(ctx, l, do) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "wss://" + l.Addr().String() + "/"
}

func own(t *testing.T, k key) []tls.Certificate {
	t.Helper()
	c, err := link.Certificate(k, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return []tls.Certificate{c}
}

// TestCalendar plays the scene of the document over wss: modification, terms, two signatures, data
// within them, a subscription, a question, the end, and the promise to delete. If both ends
// announce CBOR, it goes over the wire in CBOR, and what is signed is the same.
func TestCalendar(t *testing.T) {
	t.Parallel()
	a, b := newKey(1), newKey(2)
	who := b.Principal()
	for n, announced := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		over := make(chan error, 1)
		address := serve(t, &link.End{Key: b, Certs: own(t, b), CBOR: announced[1]}, func(ctx context.Context, s *link.Socket) {
			over <- answer(ctx, wire{t, s.Frames(), s, n == 3}, bob(t, b), s.Peer)
		})
		s, err := (&link.End{Key: a, CBOR: announced[0]}).Dial(t.Context(), address, &who)
		if err != nil {
			t.Fatal(err)
		}
		sp := alice(t, a)
		if err := begin(t.Context(), s.Frames(), sp, s.Peer); err != nil {
			t.Fatal(err)
		}
		sp.check(t)
		if err := <-over; err != nil {
			t.Error(err)
		}
		_ = s.Close() // the peer may be gone
	}
}

// wire looks at the form of what is read.
type wire struct {
	t *testing.T
	link.Frames
	s    *link.Socket
	cbor bool
}

func (w wire) Read(ctx context.Context) ([]byte, error) {
	raw, err := w.s.Read(ctx)
	if err == nil && cbor.Is(raw) != w.cbor {
		w.t.Errorf("CBOR is %t: %q", w.cbor, raw)
	}
	if err == nil && w.cbor {
		return link.Packed{Frames: said(raw)}.Read(ctx)
	}
	return raw, err
}

// said is a frame that was read.
type said []byte

func (s said) Read(context.Context) ([]byte, error) { return s, nil }
func (said) Write(context.Context, []byte) error    { return nil }

// TestAttackCBOR: binary frames without an announcement, and what is no deterministic CBOR, end the
// conversation, and the sender is at fault.
func TestAttackCBOR(t *testing.T) {
	t.Parallel()
	a, b := newKey(1), newKey(2)
	who := b.Principal()
	for name, k := range map[string]struct {
		announced bool
		frame     string
		theirs    bool
	}{
		"not announced":    {false, "\xa1\x61a\x01", false},
		"an endless map":   {true, "\xbf\x61a\x01\xff", true},
		"a long head":      {true, "\xa1\x61a\x18\x01", true},
		"a list, as bytes": {true, "\x80", false},
		"no message":       {true, "\xa1\x61a\x01", true},
	} {
		over := make(chan *talk.Ending, 1)
		joe := bob(t, b)
		address := serve(t, &link.End{Key: b, Certs: own(t, b), CBOR: true}, func(ctx context.Context, s *link.Socket) {
			if err := answer(ctx, s.Frames(), joe, s.Peer); err != nil {
				t.Error(err)
			}
			over <- joe.ended
		})
		s, err := (&link.End{Key: a, CBOR: k.announced}).Dial(t.Context(), address, &who)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.WriteBinary(t.Context(), []byte(k.frame)); err != nil {
			t.Fatal(err)
		}
		if end := <-over; end == nil || end.How != "broken" || end.Theirs != k.theirs {
			t.Errorf("%s: %+v", name, end)
		}
		_ = s.Close() // the peer may be gone
	}
}

// TestLibp2p plays the scene over libp2p, which proves both keys by itself.
func TestLibp2p(t *testing.T) {
	t.Parallel()
	a, b := newKey(1), newKey(2)
	dk := func(k key) direct.Key {
		p := k.Principal()
		return direct.Key{Public: p[:], Sign: k.Sign}
	}
	ctx, stop := context.WithCancel(t.Context())
	at, wait, err := direct.Listen(ctx, dk(b), direct.Conversations(anex.MaxInform), "/ip4/127.0.0.1/tcp/0", func(ctx context.Context, s *direct.Talk) {
		if s.Name != "/anex/talk/1/cbor" {
			t.Errorf("both know CBOR, and %s is spoken", s.Name)
		}
		if err := answer(ctx, link.Packed{Frames: s}, bob(t, b), s.Peer); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := direct.Dial(t.Context(), dk(a), direct.Conversations(anex.MaxInform), at[0])
	if err != nil {
		t.Fatal(err)
	}
	if s.Peer != b.Principal().String() {
		t.Errorf("the peer is %s", s.Peer)
	}
	sp := alice(t, a)
	if err := begin(t.Context(), link.Packed{Frames: s}, sp, s.Peer); err != nil {
		t.Fatal(err)
	}
	sp.check(t)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	stop()
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// TestStrangers: servers that are somebody else, and addresses that are not secure, are refused.
func TestStrangers(t *testing.T) {
	t.Parallel()
	a, b, c := newKey(1), newKey(2), newKey(3)
	address := serve(t, &link.End{Key: b, Certs: own(t, b)}, func(context.Context, *link.Socket) { t.Error("a conversation began") })
	other, self := c.Principal(), b.Principal()
	for _, k := range []struct {
		address string
		peer    *delegation.Principal
		want    string
	}{
		{address, &other, "certificate"},
		{address, nil, "certificate"},
		{"ws://example.org/", nil, "not secure"},
		{"https://example.org/", nil, "not secure"},
		{"wss:", nil, "no address"},
		{"wss://127.0.0.1:1/", nil, "wss://127.0.0.1:1/ cannot be reached"},
	} {
		if _, err := (&link.End{Key: a}).Dial(t.Context(), k.address, k.peer); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v", k.address, err)
		}
	}
	// The server's own key, and somebody between who shows another certificate.
	if _, err := (&link.End{Key: b}).Dial(t.Context(), address, &self); err == nil || !strings.Contains(err.Error(), "Invalid authentication token") {
		t.Error(err)
	}
}

// TestHostileTokens: a server refuses each token that is not exactly for it, for now and for this
// session, in the words of the document. The last one is right.
func TestHostileTokens(t *testing.T) {
	t.Parallel()
	a, b, c := newKey(1), newKey(2), newKey(3)
	begun := make(chan struct{}, 1)
	address := serve(t, &link.End{Key: b, Certs: own(t, b)}, func(context.Context, *link.Socket) { begun <- struct{}{} })
	for name, make := range link.HostileTokens(a, c, b.Principal().String()) {
		conn, answer, err := websocket.Dial(t.Context(), address, link.DialOptions("anex.v1"))
		if answer != nil && answer.Body != nil {
			_ = answer.Body.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, raw, err := conn.Read(t.Context())
		var hello struct{ Challenge string }
		if err != nil || json.Unmarshal(raw, &hello) != nil {
			t.Fatal(err)
		}
		frame, err := json.Marshal(map[string]string{"anex": "token", "token": make(hello.Challenge), "challenge": "x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Write(t.Context(), websocket.MessageText, frame); err != nil {
			t.Fatal(err)
		}
		_, raw, err = conn.Read(t.Context())
		if refused := err == nil && strings.Contains(string(raw), "Invalid authentication token."); refused == (name == "right") || err != nil {
			t.Errorf("%s: %s, %v", name, raw, err)
		}
		_ = conn.CloseNow()
	}
	<-begun
}

// TestPlain: a client that does not speak ANEX is served in plain text only if the owner wants it.
func TestPlain(t *testing.T) {
	t.Parallel()
	b := newKey(2)
	for _, plain := range []bool{false, true} {
		address := serve(t, &link.End{Key: b, Certs: own(t, b), Plain: plain}, func(ctx context.Context, s *link.Socket) {
			if err := s.Write(ctx, []byte("Who are you?")); err != nil {
				t.Error(err)
			}
		})
		conn, answer, err := websocket.Dial(t.Context(), address, link.DialOptions())
		if answer != nil && answer.Body != nil {
			_ = answer.Body.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, raw, err := conn.Read(t.Context())
		if (err == nil) != plain || plain && string(raw) != "Who are you?" {
			t.Errorf("plain %t: %s, %v", plain, raw, err)
		}
		_ = conn.CloseNow()
	}
}

// TestAttackPlainForNamed: a server that does not speak ANEX cannot take the place of an agent that
// is named, also if the owner talks in plain text to others.
func TestAttackPlainForNamed(t *testing.T) {
	t.Parallel()
	b := newKey(2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		_, _, _ = conn.Read(r.Context()) // until the client goes
	}))
	defer server.Close()
	who := b.Principal()
	for _, peer := range []*delegation.Principal{nil, &who} {
		s, err := (&link.End{Key: newKey(1), Plain: true}).Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), peer)
		if (err == nil) != (peer == nil) {
			t.Errorf("named %t: %v", peer != nil, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

// TestAttackDowngrade: a server that has the right key leads a client to something weaker: an older
// TLS, no ANEX, a subprotocol that was not offered, or an address without TLS. The client leaves
// before it shows a token. A server takes no older TLS either. Control: without that it is served.
func TestAttackDowngrade(t *testing.T) {
	t.Parallel()
	a, b := newKey(1), newKey(2)
	who := b.Principal()
	for name, k := range map[string]struct {
		tls    uint16
		speaks string
		leads  string
		want   string
	}{
		"older TLS":      {tls: tls.VersionTLS12, speaks: "anex.v1", want: "protocol version"},
		"no ANEX":        {want: "does not speak ANEX"},
		"not offered":    {speaks: "anex.v0", want: "unexpected Sec-WebSocket-Protocol"},
		"without TLS":    {leads: "ws://", want: "but got 302"},
		"control: it is": {speaks: "anex.v1", want: "EOF"}, // it was asked for a token, and ends
	} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if k.leads != "" {
				http.Redirect(w, r, k.leads+r.Host, http.StatusFound)
				return
			}
			r.Header.Set("Sec-Websocket-Protocol", k.speaks)
			conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{k.speaks}})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			_ = conn.CloseNow()
		}))
		server.TLS, server.Config.ErrorLog = &tls.Config{Certificates: own(t, b), MaxVersion: k.tls}, log.New(io.Discard, "", 0)
		server.StartTLS()
		_, err := (&link.End{Key: a, Plain: true}).Dial(t.Context(), "wss"+strings.TrimPrefix(server.URL, "https"), &who)
		if err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
	address := serve(t, &link.End{Key: b, Certs: own(t, b)}, func(context.Context, *link.Socket) {})
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		o := link.DialOptions("anex.v1")
		o.HTTPClient.Transport.(*http.Transport).TLSClientConfig.MaxVersion = version //nolint:forcetypeassert // it is ours
		conn, answer, err := websocket.Dial(t.Context(), address, o)
		if answer != nil && answer.Body != nil {
			_ = answer.Body.Close()
		}
		if (err == nil) != (version == tls.VersionTLS13) {
			t.Errorf("%x: %v", version, err)
		}
		if err == nil {
			_ = conn.CloseNow()
		}
	}
}

// TestMutualTLS: a server that demands certificates of clients takes no other ones.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	a, b, c := newKey(1), newKey(2), newKey(3)
	known := own(t, a)
	leaf, err := x509.ParseCertificate(known[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	address := serve(t, &link.End{Key: b, Certs: own(t, b), Roots: roots, Mutual: true}, func(context.Context, *link.Socket) {})
	who := b.Principal()
	for name, certs := range map[string][]tls.Certificate{"known": known, "unknown": own(t, c), "none": nil} {
		s, err := (&link.End{Key: a, Certs: certs}).Dial(t.Context(), address, &who)
		if (err == nil) != (name == "known") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

// TestAttackTalkHeld: one key that opens conversations and says nothing does not keep others out.
// Those that have not shown a token are counted apart, and a plain request ends its connection.
func TestAttackTalkHeld(t *testing.T) {
	t.Parallel()
	b := newKey(2)
	address := serve(t, &link.End{Key: b, Certs: own(t, b)}, func(ctx context.Context, s *link.Socket) {
		_, err := s.Read(ctx)
		_ = err // the peer says nothing, until it leaves
	})
	who := b.Principal()
	dial := func(k key) error {
		s, err := (&link.End{Key: k}).Dial(t.Context(), address, &who)
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
		}
		return err
	}
	held := 0
	for range 12 {
		if dial(newKey(3)) == nil {
			held++
		}
	}
	if held != 8 {
		t.Errorf("one key holds %d conversations", held)
	}
	if err := dial(newKey(4)); err != nil {
		t.Errorf("another key: %v", err)
	}
	for range 2 {
		answer, err := link.DialOptions().HTTPClient.Get("https" + strings.TrimPrefix(address, "wss"))
		if err != nil {
			t.Fatal(err)
		}
		if _ = answer.Body.Close(); !answer.Close {
			t.Error("a connection without a websocket stays open")
		}
	}
	tokenless := 0
	for range 17 { // of 16 from one address
		conn, answer, err := websocket.Dial(t.Context(), address, link.DialOptions("anex.v1"))
		if answer != nil && answer.Body != nil {
			_ = answer.Body.Close()
		}
		if err == nil {
			tokenless++
			defer func() { _ = conn.CloseNow() }()
		}
	}
	if tokenless != 16 {
		t.Errorf("%d connections without a token are taken", tokenless)
	}
}
