package console

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/test/browser"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestPageForADay: a page that is open for a day while the court changes every minute shows what is
// now, is drawn once for each change and each idle time, and takes no more memory at the end.
func TestPageForADay(t *testing.T) {
	longtest.Only(t)
	synctest.Test(t, func(t *testing.T) {
		task, scene := played(t, script(t, "accept"))
		source := newStage()
		source.put(task, scene)
		c := New(source, slog.New(slog.DiscardHandler))
		drawn := 0
		c.live.Draw = func(v view) ([]byte, error) { // it reads the case, and draws no ring
			drawn++
			c.used()
			s, err := source.Case(v.key)
			return []byte(s.Whose + " knows" + strings.Repeat(" ", 50_000)), err
		}
		viewer, ok := c.live.Join(view{name: "case", key: task})
		if !ok {
			t.Fatal("no room")
		}
		newest := func() (last []byte) {
			synctest.Wait()
			for {
				select {
				case last = <-viewer.Pictures:
				default:
					return last
				}
			}
		}
		minute := func(n int) {
			s := scene
			s.Now += int64(n)
			s.Whose = "minute " + time.Duration(n).String()
			source.put(task, s)
			time.Sleep(time.Minute)
		}
		for n := range 10 {
			minute(n)
			newest()
		}
		before, first := heap(), drawn
		const minutes = 24 * 60
		for n := range minutes {
			minute(n)
			if got := newest(); !bytes.Contains(got, []byte("minute "+time.Duration(n).String()+" knows")) {
				t.Fatalf("after %d minutes the page has another state", n)
			}
		}
		after := heap()
		t.Logf("a day: drawn %d times, %.2f MiB more", drawn-first, mib(after-before))
		if after-before > 1<<20 {
			t.Errorf("a day takes %.1f MiB", mib(after-before))
		}
		if most := minutes * (1 + int(time.Minute/idleTime) + 2); drawn-first > most {
			t.Errorf("it was drawn %d times, at most %d", drawn-first, most)
		}
		viewer.Leave()
		c.forget()
		runtime.KeepAlive(c)
		time.Sleep(2 * keepTime)
	})
}

// TestCycles: a file whose events name each other as the one before, and a schema that refers to
// itself, are read to an end.
func TestCycles(t *testing.T) {
	t.Parallel()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(exported(t, "accept"), &doc); err != nil {
		t.Fatal(err)
	}
	var events []map[string]any
	if err := json.Unmarshal(doc["events"], &events); err != nil || len(events) < 50 {
		t.Fatal(len(events), err)
	}
	digest := func(n int) string {
		return strings.Repeat("0", 62) + string("0123456789abcdef"[n/16%16]) + string("0123456789abcdef"[n%16])
	}
	for i, e := range events {
		e["prev"], e["seq"] = digest((i+1)%len(events)), i%2+1
	}
	var err error
	if doc["events"], err = json.Marshal(events); err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	p, err := Play(file, "cycles", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for n := range p.replay.Last() + 1 {
		if at := p.replay.At(n); at.Verified {
			t.Fatal("it verifies")
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	for _, schema := range []string{`{"$ref":"#"}`, `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`} {
		if got := picture.Ordered([]byte(`{"instruction":["draw"],"output_schema":` + schema + `}`)); len(got) == 0 {
			t.Errorf("%s: nothing is shown", schema)
		}
	}
}

// TestFuture: times that no clock has had yet, or never will, break no page.
func TestFuture(t *testing.T) {
	t.Parallel()
	for _, at := range []int64{math.MaxInt64, math.MinInt64, 1 << 40, -1} {
		task, scene := played(t, script(t, "accept"))
		source := newStage()
		open := voting.Key{9}
		early := scene
		early.Record.Outcome = nil
		for i := range early.Record.Rounds {
			early.Record.Rounds[i].Settle = nil
		}
		early.Look = voting.Case{Status: voting.AwaitingDraw, Round: 1, OpenedAt: at, DrawBy: at}
		early.Now, early.Links = 1_000, true
		outcome := *scene.Record.Outcome
		outcome.Value.At = at
		scene.Record.Outcome = &outcome
		source.put(task, scene)
		source.put(open, early)
		source.court.State.Time, source.court.Roster = at, judgesFor(3)
		source.requests = []DataRequest{{At: time.Unix(at, 0), Source: "a", Result: Answered, Took: math.MaxInt64}}
		for _, path := range []string{"/", pagePath(task), pagePath(open), "/judge/" + source.court.Roster.Entries[1].Authority.String(), "/network", "/sources", "/rules", "/agents", "/market"} {
			w := get(t, source, here, here, path)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<h1") || strings.Contains(w.Body.String(), "NaN") {
				t.Errorf("%d, %s: %d %.300s", at, path, w.Code, w.Body.String())
			}
		}
		if body := get(t, source, here, here, pagePath(open)).Body.String(); at < 1_000 && strings.Contains(body, "data-until") {
			t.Errorf("%d: a time that is over is counted down", at)
		}
	}
}

// TestNoScript: a browser that runs no script shows the state of each page, steps through a replay,
// and has no control that does nothing.
func TestNoScript(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	root := browser.Start(t, 5*time.Minute)
	if root == nil {
		return
	}
	source, casePath := full(t)
	server := serve(t, source)
	replay := player(t, exported(t, "accept"))
	tab, cancel := chromedp.NewContext(root)
	t.Cleanup(cancel)
	if err := chromedp.Run(tab, emulation.SetScriptExecutionDisabled(true)); err != nil {
		t.Fatal(err)
	}
	text := func(address string) (said string) {
		t.Helper()
		if err := chromedp.Run(tab, chromedp.Navigate(address), chromedp.WaitVisible("main h1"), chromedp.Text("body", &said)); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		return said
	}
	for path, want := range map[string]string{
		"/": "Before the court now", casePath: "judges", "/judge": "Its record", "/network": "This node is linked to", "/doctor": "Checks", "/rules": "The rules in sentences", "/sources": "Who asked this node",
		"/market": "tasks are not over", "/agents": "By record", "/verify": "Verify a case file",
	} {
		said := text(server.URL + path)
		if !strings.Contains(said, want) || strings.Contains(said, "live\n") {
			t.Errorf("%s: no %q in %.600s", path, want, said)
		}
		if path != "/verify" && path != "/market" && path != "/agents" && path != "/sources" && !strings.Contains(said, "as it was when you opened it") {
			t.Errorf("%s does not say of when it is", path)
		}
	}
	said := text(replay.URL + "/?step=3")
	if !strings.Contains(said, "Step 3 of 58") || strings.Contains(said, "Play\n") {
		t.Errorf("%.600s", said)
	}
	if err := chromedp.Run(tab, chromedp.Click(`a[aria-label="Step forward"]`), chromedp.WaitVisible(`.player[data-step="4"]`)); err != nil {
		t.Error(err)
	}
}

// TestForeignReplay: a node has no replay of a case that it does not know.
func TestForeignReplay(t *testing.T) {
	t.Parallel()
	source := newStage()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/case/"+casefile.Address{5}.String()+"/replay/frame?step=9", nil)
	r.RemoteAddr, r.Host = here, here
	mux := http.NewServeMux()
	New(source, slog.New(slog.DiscardHandler)).Routes(mux)
	mux.ServeHTTP(w, r)
	if w.Code != http.StatusNotFound {
		t.Error(w.Code)
	}
}

// TestTwoClicks: two clicks lead from the first page to every page that there is.
func TestTwoClicks(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	source.agents = 30
	for task, scene := range source.cases {
		scene.Links = true
		source.put(task, scene)
	}
	wanted := []string{"/case/*", "/case/*/replay", "/case/*/file", "/case/*/page", "/judge", "/judge/*", "/network", "/doctor", "/rules", "/market", "/sources", "/agents", "/agent/*", "/verify"}
	href := regexp.MustCompile(`href="(/[^"#?]*)`)
	kind := func(path string) string {
		parts := strings.Split(path, "/")
		if len(parts) > 2 {
			parts[2] = "*"
		}
		return strings.Join(parts, "/")
	}
	clicks := map[string]int{"/": 0}
	front, seen := []string{"/"}, map[string]bool{}
	for n := 1; n <= 2; n++ {
		var next []string
		for _, path := range front {
			w := get(t, source, here, here, path)
			for _, found := range href.FindAllStringSubmatch(w.Body.String(), -1) {
				if _, known := clicks[kind(found[1])]; !known {
					clicks[kind(found[1])] = n
				}
				if !seen[found[1]] && len(next) < 60 {
					seen[found[1]] = true
					next = append(next, found[1])
				}
			}
		}
		front = next
	}
	_, err := verifier()
	for _, page := range wanted {
		if err != nil && (page == "/verify" || page == "/case/*/page") {
			continue // TestNoVerifier
		}
		if _, ok := clicks[page]; !ok {
			t.Errorf("%s is not reached in two clicks; reached are %v", page, clicks)
		}
	}
	if _, ok := clicks["/live/*"]; ok || len(clicks) < len(wanted) {
		t.Error("the test clicks on what is no link")
	}
}
