package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent/talk/link"
	"ojud/megabrain/memory"
)

// status is what a desk answers to a request of a place.
func status(d *Desk, place, method, path string, body io.Reader, length int64) int {
	r := httptest.NewRequest(method, root+path, body)
	r.ContentLength = length
	w := httptest.NewRecorder()
	d.serve(w, r, place)
	return w.Code
}

// TestAttackHalfSentArtifacts: a client announces artifacts and does not send them. Eight of them
// stopped every upload and every download of the node, for minutes. Now they hold what they
// announced, of which a place has an eighth, and nothing else. The control: the place itself is
// refused if it announced too much.
func TestAttackHalfSentArtifacts(t *testing.T) {
	d := desk(node(t, "node"), "")
	most := d.node.Conditions().MaxArtifact
	in, err := d.node.Put([]byte("kept"), 3600)
	if err != nil {
		t.Fatal(err)
	}
	var held sync.WaitGroup
	half, done := io.Pipe()
	for i := range 16 { // 14 small ones, and two that use up what the place has
		length := int64(1000)
		if i >= 14 {
			length = (most - 14*1000) / 2
		}
		began := make(chan struct{})
		held.Go(func() {
			body := io.MultiReader(reading(func() { close(began) }), half)
			status(d, "rival", "POST", "artifacts?seconds=60", body, length)
		})
		<-began
	}
	for _, place := range []string{"other", "rival"} {
		if code := status(d, place, "GET", "artifacts/"+in.Promise.Hash.String(), nil, 0); code != http.StatusOK {
			t.Errorf("%s: get: %d", place, code)
		}
	}
	if code := status(d, "other", "POST", "artifacts?seconds=60", strings.NewReader("hello"), 5); code != http.StatusCreated {
		t.Errorf("put: %d", code)
	}
	if code := status(d, "rival", "POST", "artifacts?seconds=60", strings.NewReader("hello"), 5); code != http.StatusServiceUnavailable {
		t.Errorf("the rival's put: %d, so this test shows nothing", code)
	}
	if err := done.CloseWithError(io.ErrUnexpectedEOF); err != nil {
		t.Fatal(err)
	}
	held.Wait()
	if code := status(d, "rival", "POST", "artifacts?seconds=60", strings.NewReader("hello"), 5); code != http.StatusCreated {
		t.Errorf("the rival's put after its requests: %d", code)
	}
	if code := status(d, "other", "POST", "artifacts?seconds=60", strings.NewReader("hello"), -1); code != http.StatusLengthRequired {
		t.Errorf("a body without a length: %d", code)
	}
}

// reading is a reader of nothing that says when it is read.
type reading func()

func (f reading) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// TestAttackSlowBody: a body that comes too slowly is cut off, and gives back what it held.
func TestAttackSlowBody(t *testing.T) {
	d := desk(node(t, "node"), "")
	d.start = 50 * time.Millisecond
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, "rival") }))
	defer s.Close()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "POST %sartifacts?seconds=60 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc", root); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 408 ")) {
		t.Errorf("%.100q, %v", answer, err)
	}
	if d.in.used != 0 {
		t.Errorf("%d bytes are held", d.in.used)
	}
}

// slow is an answer that its client does not read.
type slow struct {
	*httptest.ResponseRecorder
	began func()
	read  <-chan struct{}
}

func (s slow) Write(b []byte) (int, error) {
	s.began()
	<-s.read
	return s.ResponseRecorder.Write(b)
}

// TestAttackSlowReaders: clients that do not read what they get held the slots of all uploads and
// downloads, also of a node with a token.
func TestAttackSlowReaders(t *testing.T) {
	d := desk(node(t, "node"), "the secret of this node")
	in, err := d.node.Put([]byte("kept"), 3600)
	if err != nil {
		t.Fatal(err)
	}
	path, read := "artifacts/"+in.Promise.Hash.String(), make(chan struct{})
	var held sync.WaitGroup
	for range 20 {
		began := make(chan struct{})
		held.Go(func() {
			d.serve(slow{httptest.NewRecorder(), func() { close(began) }, read}, httptest.NewRequest(http.MethodGet, root+path, nil), "rival")
		})
		<-began
	}
	for range 20 {
		if code := status(d, "other", "GET", path, nil, 0); code != http.StatusOK {
			t.Errorf("get: %d", code)
		}
	}
	close(read)
	held.Wait()
}

// TestAttackAuditsHeld: places that ask for audits without end wait for their turns like all
// others, and each has one. An honest auditor got 1 answer of 20, and without answers the node is
// not paid.
func TestAttackAuditsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newTurns(maxAudits, 1)
		ctx, stop := context.WithCancel(t.Context())
		var rivals sync.WaitGroup
		var refused atomic.Int32
		for place := range 8 {
			for range 3 {
				rivals.Go(func() {
					for ctx.Err() == nil {
						give, ok := u.take(ctx, fmt.Sprint(place))
						if !ok {
							refused.Add(1)
						}
						time.Sleep(time.Second) // fake time
						if ok {
							give()
						}
					}
				})
			}
		}
		time.Sleep(10 * time.Second)
		for n := range 20 {
			began := time.Now()
			give, ok := u.take(ctx, "auditor")
			if waited := time.Since(began); !ok || waited > 4*time.Second {
				t.Fatalf("audit %d: %t after %s", n, ok, waited)
			}
			give()
		}
		stop()
		rivals.Wait()
		if refused.Load() == 0 {
			t.Error("no place asked for more than its turn, so this test shows nothing")
		}
	})
}

// TestAttackOneMachinesConnections: a machine that keeps connections open and says nothing leaves
// places to others. Its connections beyond its share are closed.
func TestAttackOneMachinesConnections(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := doors{l, newShelf(3, 2)}
	dial := func(from string) net.Conn {
		t.Helper()
		c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // some are closed already
		return c
	}
	var in []net.Conn
	accept := func(from string) {
		t.Helper()
		c, err := d.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if place := link.Place(c.RemoteAddr().String()); place != from {
			t.Errorf("a connection of %s is accepted, want one of %s", place, from)
		}
		in = append(in, c)
	}
	const rival, other = "127.0.0.1", "127.0.0.2"
	dial(rival)
	dial(rival)
	accept(rival)
	accept(rival)
	third := dial(rival)
	dial(other)
	accept(other)
	if n, err := third.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("the third connection is open: %d, %v", n, err)
	}
	if err := in[0].Close(); err != nil {
		t.Fatal(err)
	}
	dial(rival)
	accept(rival)
}

// TestAttackShortPromise: a node answers a client that wants a term with a true receipt of a
// shorter or later promise, and was believed. A promise that was made before and lasts is taken.
func TestAttackShortPromise(t *testing.T) {
	for name, c := range map[string]struct {
		early, seconds int64
		good           bool
	}{
		"a second": {0, 1, false}, "half of the term": {0, 1800, false}, "over": {7000, 3600, false}, "later": {-3600, 3600, false},
		"the term": {0, 3600, true}, "made before": {3600, 7200, true}, "clocks differ": {100, 3600, true},
	} {
		n := node(t, "node")
		in, err := n.Put([]byte("an artifact"), c.seconds)
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			raw, err := memory.Document{Receipt: &in}.Encode()
			if err != nil {
				t.Error(err)
			}
			w.Write(raw)
		}))
		a := dial(t, s.URL, "node", nil)
		a.now = func() time.Time { return time.Unix(now()+c.early, 0) }
		if _, err := a.Put(t.Context(), []byte("an artifact"), time.Hour); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
