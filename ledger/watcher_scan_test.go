package ledger

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/voting"
)

// logged collects log lines.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// count counts the lines that contain a text.
func (l *logged) count(part string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// loud makes a client that logs, with or without a websocket.
func (f *fakeNode) loud(t *testing.T, socket bool, to *logged) *Client {
	t.Helper()
	cfg, transport := testConfig(), http.RoundTripper(f)
	if socket {
		cfg.WS, transport = "ws://node.test:8900", f.withSocket(t)
	}
	c, err := New(cfg, f.program.ID(), Deps{
		Transport: transport, Metrics: prometheus.NewRegistry(), Logger: slog.New(slog.NewTextHandler(to, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestListRefused: an RPC node that refuses getProgramAccounts, or limits this method alone, makes
// no watcher deaf. It reads the clock, the Roster, known cases and cases with news as usual, finds
// the cases that are open when it starts, asks for the list once a minute, says so once, and
// recovers.
func TestListRefused(t *testing.T) {
	for name, wrong := range map[string]fault{
		"refused":               {code: -32010},
		"unknown method":        {code: rpc.CodeNoMethod},
		"429":                   {status: http.StatusTooManyRequests},
		"429 with Retry-After":  {status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {"100"}}},
		"429 as a JSON error":   {code: 429},
		"503 for lists alone":   {status: http.StatusServiceUnavailable},
		"hangs for lists alone": {hang: true},
	} {
		for _, socket := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " with websocket"}[socket], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { listRefused(t, wrong, socket) })
			})
		}
	}
}

func listRefused(t *testing.T, wrong fault, socket bool) {
	node := newFakeNode()
	node.unix = time.Now().Unix()
	node.seated()
	node.fault = func(method string, _ int) fault {
		if method == rpc.ListMethod {
			return wrong
		}
		return fault{}
	}
	open := node.dispute(1, voting.Committing)
	node.happen(1, 0, text(&program.CaseOpened{Task: open, Round: 1}))
	known := node.dispute(2, voting.Committing)
	node.tick(2)
	node.start(t)
	to := &logged{}
	w := watched(t, node.loud(t, socket, to), Cursor{})
	w.Follow(known)
	time.Sleep(30 * time.Second) // a call that hangs ends after its patience
	synctest.Wait()
	if len(w.of(open)) != 1 || len(w.of(known)) != 1 {
		t.Fatalf("at the start: %d looks at an open case, %d at a known one, want 1", len(w.of(open)), len(w.of(known)))
	}
	// Cases that change without an event, and a new case with one.
	node.dispute(1, voting.Revealing)
	node.dispute(2, voting.Revealing)
	fresh := node.dispute(3, voting.AwaitingDraw)
	node.happen(3, 0, text(&program.CaseOpened{Task: fresh, Round: 1}))
	time.Sleep(3 * time.Second)
	synctest.Wait()
	if len(w.of(open)) != 2 || len(w.of(known)) != 2 || len(w.of(fresh)) != 1 {
		t.Errorf("%d, %d and %d looks, want 2, 2 and 1", len(w.of(open)), len(w.of(known)), len(w.of(fresh)))
	}
	h := w.Health()
	if h.Looks != "" || !strings.Contains(h.Lists, rpc.ListMethod) || len(h.Problems()) != 1 {
		t.Errorf("health %+v", h)
	}
	if wrong.code != 0 && !strings.Contains(h.Lists, "use another RPC URL") {
		t.Errorf("no remedy: %s", h.Lists)
	}
	before, slot := node.count(rpc.ListMethod), w.client.Slot()
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	if age := w.client.Clock().Age(); age > 3*time.Second || w.client.Slot() < slot+1000 {
		t.Errorf("the clock stands still for %v", age)
	}
	lists := node.count(rpc.ListMethod) - before
	if most := map[bool]int{true: 11, false: 11 * 12}[!wrong.hang && wrong.status != http.StatusServiceUnavailable]; lists > most {
		t.Errorf("%d lists in ten minutes, want at most %d", lists, most)
	}
	if n := to.count("level=WARN"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, to.text.String())
	}
	rosters := 0
	for _, l := range w.looks {
		if l.ID.IsZero() && l.Roster != nil {
			rosters++
		}
	}
	if rosters < 10 {
		t.Errorf("%d looks at the Roster in ten minutes", rosters)
	}
	// The node permits lists again: a case that no transaction named is found.
	silent := node.dispute(4, voting.Committing)
	node.mu.Lock()
	node.fault = nil
	node.mu.Unlock()
	time.Sleep(3 * time.Minute)
	synctest.Wait()
	if len(w.of(silent)) != 1 || len(w.Health().Problems()) != 0 {
		t.Errorf("afterwards: %d looks, %+v", len(w.of(silent)), w.Health())
	}
}

// TestListAfterOutage: once an RPC node that was out of reach is back, all cases are listed at
// once.
func TestListAfterOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.fault = func(string, int) fault { return fault{before: true} }
		task := node.dispute(1, voting.Committing)
		node.start(t)
		w := watched(t, node.open(t, testConfig()), Cursor{})
		time.Sleep(65 * time.Second)
		node.mu.Lock()
		node.fault = nil
		node.mu.Unlock()
		time.Sleep(15 * time.Second) // the longest wait between two attempts is 5 s
		synctest.Wait()
		if len(w.of(task)) != 1 || len(w.Health().Problems()) != 0 {
			t.Errorf("%d looks, %+v", len(w.of(task)), w.Health())
		}
	})
}
