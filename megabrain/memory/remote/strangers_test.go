package remote

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ojud/megabrain/memory"
	"ojud/megabrain/memory/keep"
)

// TestStrangers: nodes that strangers name are asked over both ways, without a token. An artifact
// above the limit is told from one that is not there, and from other content.
func TestStrangers(t *testing.T) {
	n := fresh(t)
	small, large := []byte("a result"), make([]byte, 3<<20)
	both(t, NewDesk(n, "", time.Now, slog.New(slog.DiscardHandler)), func(t *testing.T, address string) {
		s := &Strangers{Private: true}
		for _, content := range [][]byte{small, large} {
			if err := s.Put(t.Context(), address, content, 24*time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.Get(t.Context(), address, sha256.Sum256(small), 1<<10); err != nil || string(got) != string(small) {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := s.Get(t.Context(), address, sha256.Sum256(large), 1<<10); !errors.Is(err, ErrLarger) || got != nil {
			t.Errorf("a large one: %d bytes, %v", len(got), err)
		}
		if got, err := (&Strangers{Private: true, Cut: true}).Get(t.Context(), address, sha256.Sum256(large), 1<<10); !errors.Is(err, ErrLarger) || got != nil {
			t.Errorf("a large one that is cut: %d bytes, %v", len(got), err)
		}
		if _, err := s.Get(t.Context(), address, [32]byte{1}, 1<<10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("one that is not there: %v", err)
		}
	})
}

// TestAttackNamedAddress: a class names addresses behind the router of whoever reads it. Nothing is
// sent there, by number, by name, or by an address of IPv6 that carries one of IPv4.
func TestAttackNamedAddress(t *testing.T) {
	var asked atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer inside.Close()
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := &Strangers{}
	for _, at := range []string{
		inside.URL, "http://localhost:" + port, "http://127.1:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://[64:ff9b::7f00:1]:" + port,
		"http://10.0.0.7:" + port, "http://192.168.0.1", "http://169.254.169.254", "https://[fd00:ec2::254]",
		"/ip4/127.0.0.1/tcp/" + port + "/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5",
		"/ip6/::1/tcp/" + port + "/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5",
		"/ip4/192.0.2.7/tcp/1/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5/p2p-circuit/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5",
		"/dns4/localhost/tcp/" + port + "/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5",
	} {
		if _, err := s.Get(t.Context(), at, [32]byte{1}, 1<<10); err == nil {
			t.Errorf("%s is asked", at)
		}
	}
	if asked.Load() > 0 {
		t.Error("a request reached this machine")
	}
	if _, err := (&Strangers{}).Get(t.Context(), inside.URL, [32]byte{1}, 1<<10); !errors.Is(err, errInside) {
		t.Errorf("it does not say why: %v", err)
	}
	if _, err := (&Strangers{Private: true}).Get(t.Context(), "http://169.254.169.254", [32]byte{1}, 1<<10); !errors.Is(err, errInside) {
		t.Errorf("a court on a LAN leads to a cloud's credentials: %v", err)
	}
}

// TestAttackSilentNamedNode: a node that does not answer, or lies, costs its reader one attempt in
// two minutes.
func TestAttackSilentNamedNode(t *testing.T) {
	var asked atomic.Int32
	node := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if strings.HasSuffix(r.URL.Path, memory.Digest([32]byte{1}).String()) {
			panic(http.ErrAbortHandler)
		}
		_, _ = out.Write([]byte("something else"))
	}))
	defer node.Close()
	s := &Strangers{Private: true}
	if _, err := s.Get(t.Context(), node.URL, [32]byte{2}, 1<<10); !errors.Is(err, errLost) {
		t.Errorf("other content: %v", err)
	}
	for i := range 3 {
		if _, err := s.Get(t.Context(), node.URL, [32]byte{1}, 1<<10); err == nil || errors.Is(err, errDown) != (i > 0) {
			t.Errorf("attempt %d: %v", i, err)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("it was asked %d times", asked.Load())
	}
}

// TestAttackSlowNamedNode: a node that answers each question just in time kept its readers from all
// of their other tasks. Its slow answers are counted.
func TestAttackSlowNamedNode(t *testing.T) {
	var asked atomic.Int32
	var clock atomic.Int64
	node := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		clock.Add(int64(3 * time.Second))
		http.Error(out, "not here", http.StatusNotFound)
	}))
	defer node.Close()
	s := &Strangers{Private: true, now: func() time.Time { return time.Unix(10_000, clock.Load()) }}
	for range 20 {
		if _, err := s.Get(t.Context(), node.URL, [32]byte{1}, 1<<10); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errDown) {
			t.Fatal(err)
		}
	}
	if asked.Load() != 3 {
		t.Errorf("it took %d answers of three seconds", asked.Load())
	}
	clock.Add(int64(downTime))
	if _, err := s.Get(t.Context(), node.URL, [32]byte{1}, 1<<10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("two minutes later: %v", err)
	}
}

// TestAttackPagesAskVictims: a class names somebody's server, and each look at a page asked it many
// times.
func TestAttackPagesAskVictims(t *testing.T) {
	var asked atomic.Int32
	victim := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.NotFound(out, r)
	}))
	defer victim.Close()
	clock := time.Unix(10_000, 0)
	s := &Strangers{Private: true, Often: 5, now: func() time.Time { return clock }}
	for i := range 20 {
		if _, err := s.Get(t.Context(), fmt.Sprintf("%s/%d", victim.URL, i), [32]byte{1}, 1<<10); err == nil {
			t.Fatal("it is there")
		}
	}
	if asked.Load() != 5 {
		t.Errorf("it was asked %d times", asked.Load())
	}
	clock = clock.Add(oftenTime + time.Second)
	if _, err := s.Get(t.Context(), victim.URL, [32]byte{1}, 1<<10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("later: %v", err)
	}
}

// fresh is a memory node with the time of this machine.
func fresh(t *testing.T) *keep.Node {
	t.Helper()
	c := keep.DefaultConditions()
	c.MinFree = 1 << 20
	n, err := keep.Open(t.TempDir(), newKey("node"), c, func() int64 { return time.Now().Unix() }, slog.New(slog.DiscardHandler))
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
