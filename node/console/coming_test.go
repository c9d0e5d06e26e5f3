package console

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/market"
	"ojud/voting"
)

// TestComing: the page of a task without a case says where the task stands, and becomes that of the
// case by itself. A task that the market does not have is not found.
func TestComing(t *testing.T) {
	t.Parallel()
	source := newStage()
	task, scene := played(t, script(t, "accept"))
	terms := &program.Task{}
	source.market = market.Market{Now: 100, Offers: []market.Listing{{Task: task, Subject: "Draw <b>", Terms: terms}}}
	for status, want := range map[program.TaskStatus]string{
		program.Created: "This task is not disputed.</strong> An agent may claim it.", program.InProgress: "The worker should send a result.",
		program.Disputed: "There is no case before the worker insists.</strong> The worker works again", program.Judiciary: "The judges of this case are about to be drawn.",
		program.TaskStatus(77): "This node does not know the state of this task.",
	} {
		terms.Status = status
		w := get(t, source, here, here, pagePath(task))
		if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, want) || !strings.Contains(body, "Draw &lt;b&gt;") || !strings.Contains(body, `data-live="/live/case/`) {
			t.Errorf("%v: %d, no %q in %s", status, w.Code, want, body)
		}
	}
	terms.Status, terms.Deadline, terms.Engine = program.Judiciary, 200, onchain.Address{9}
	if body := get(t, source, here, here, pagePath(task)).Body.String(); strings.Contains(body, "drawn") || !strings.Contains(body, "The engine decides.") {
		t.Errorf("a task with an engine: %s", body)
	}
	terms.Deadline, terms.Engine = 0, onchain.Address{}
	if w := get(t, source, here, here, pagePath(voting.Key{7})); w.Code != http.StatusNotFound {
		t.Errorf("an unknown task: %d", w.Code)
	}

	terms.Status = program.Judiciary
	c := New(source, slog.New(slog.DiscardHandler))
	viewer, ok := c.live.Join(view{name: "case", key: task})
	if !ok {
		t.Fatal("no room")
	}
	defer viewer.Leave()
	shows := func(want string) {
		t.Helper()
		select {
		case picture := <-viewer.Pictures:
			if !strings.Contains(string(picture), want) {
				t.Fatalf("no %q in %s", want, picture)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no picture with %q", want)
		}
	}
	shows("about to be drawn")
	source.mu.Lock()
	source.market.Offers = nil
	source.mu.Unlock()
	shows("This task is over, and this node knows no case of it.")
	source.put(task, scene)
	shows("28 of 28 judges accept")
}

// TestNowhere: an address that no page has leads on, and a program that asks for JSON gets no page.
func TestNowhere(t *testing.T) {
	t.Parallel()
	if w := get(t, newStage(), here, here, "/nosuch"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "There is no such page.") || !strings.Contains(w.Body.String(), "<nav") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get(t, newStage(), here, here, "/v1/nosuch"); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "<") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestEmbedded: a page of another site embeds nothing of a node or of a replay. A link of it works.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	source := newStage()
	task, scene := played(t, script(t, "accept"))
	source.put(task, scene)
	mux := http.NewServeMux()
	New(source, slog.New(slog.DiscardHandler)).Routes(mux)
	p, err := Play(exported(t, "accept"), "x", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		pages http.Handler
		paths []string
	}{"node": {mux, []string{"/", "/live/network", "/case/" + casefile.Address(task).String()}}, "replay": {p.Handler(), []string{"/", "/frame"}}} {
		for _, path := range of.paths {
			for mode, want := range map[string]int{"no-cors": http.StatusForbidden, "navigate": http.StatusOK} {
				if strings.HasPrefix(path, "/live") && want == http.StatusOK {
					continue // it does not end
				}
				w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
				r.RemoteAddr, r.Host = here, here
				r.Header.Set("Sec-Fetch-Site", "cross-site")
				r.Header.Set("Sec-Fetch-Mode", mode)
				if of.pages.ServeHTTP(w, r); w.Code != want {
					t.Errorf("%s, %s, %s: %d, want %d", name, path, mode, w.Code, want)
				}
			}
		}
	}
}
