package desk

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/chromedp"

	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/delegation/keeper"
	"ojud/test/browser"
)

// asked are calls of a test that wait, and what the person answered.
type asked struct {
	mu     sync.Mutex
	calls  map[string]keep.AskedCall
	broken map[string]bool // whose files cannot be read
	said   []string
}

var errFile = errors.New("its file is broken")

func (a *asked) Waits() (map[string]keeper.OpenCall, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[string]keeper.OpenCall{}
	for id, q := range a.calls {
		out[id] = q.OpenCall
	}
	if len(a.broken) > 0 {
		return out, errFile
	}
	return out, nil
}

func (a *asked) Question(id string) (keep.AskedCall, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, ok := a.calls[id]
	if !ok {
		return q, keep.ErrNotWaiting
	}
	if a.broken[id] {
		return keep.AskedCall{}, errFile
	}
	return q, nil
}

func (a *asked) Answer(id string, yes bool) error {
	q, err := a.Question(id)
	if err == nil && yes && q.Problem != "" {
		err = keep.ErrNotCertain
	}
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, id+map[bool]string{true: " yes", false: " no"}[yes])
	return nil
}

func (a *asked) answers() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.said, ", ")
}

// evil is what a stranger may write: markup, a character that turns the direction of text, and the
// amount at the end of a long text.
const evil = "<script>faults.push('ran')</script><img src=x onerror=faults.push('ran')>\u202e"

// answering serves the page of an agent host with these calls.
func answering(t *testing.T) (*asked, *Desk, *httptest.Server) {
	t.Helper()
	open := keeper.OpenCall{Command: "/payer/pay", Domains: []string{"finance"}, Until: time.Now().Unix() + 600, Spend: delegation.Amounts{0, 1000, 2_500_000}}
	later := open
	later.Until += 60
	long, err := json.Marshal(map[string]string{"a": evil + strings.Repeat("so ", 30_000), "z": "a million dollars"})
	if err != nil {
		t.Fatal(err)
	}
	a := &asked{calls: map[string]keep.AskedCall{
		"bafya": {OpenCall: open, Asker: "shopper" + evil, Input: long, Beside: json.RawMessage(`{"context":"` + evil + `"}`)},
		"bafyb": {OpenCall: later, Asker: "shopper", Problem: "what is asked was not kept"},
	}}
	d, err := New(nil, Needs{Calls: a, Alone: true, Plain: error.Error, Pages: func() string { return "" }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(d.Handler())
	t.Cleanup(func() {
		s.CloseClientConnections() // of streams
		s.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, d, s
}

// TestCalls: the operator of an agent host sees which calls wait and all that each asks, and
// answers on a page. Nobody answers in the operator's place, and what strangers wrote is text.
func TestCalls(t *testing.T) {
	t.Parallel()
	a, d, s := answering(t)
	invited := s.URL + "/login?word=" + d.Invite()
	_, h, _ := send(t, http.MethodGet, invited, nil, nil)
	value, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	with := func(r *http.Request) { r.Header.Set("Cookie", value) }
	if code, _, page := send(t, http.MethodGet, invited, nil, nil); code != http.StatusForbidden || !strings.Contains(page, "ojud agents page") {
		t.Errorf("an invitation opens the page twice: %d", code)
	}
	_, h, _ = send(t, http.MethodGet, s.URL+"/", nil, with)
	if h.Get("Location") != "/calls" {
		t.Errorf("the first page is at %q", h.Get("Location"))
	}
	_, _, list := send(t, http.MethodGet, s.URL+"/calls", nil, with)
	code, _, call := send(t, http.MethodGet, s.URL+"/calls/bafya", nil, with)
	_, _, lost := send(t, http.MethodGet, s.URL+"/calls/bafyb", nil, with)
	gone, _, none := send(t, http.MethodGet, s.URL+"/calls/bafyc", nil, with)
	if first := strings.Index(list, "/calls/bafya"); !strings.Contains(list, "<title>(2) Calls that wait") || first < 0 || first > strings.Index(list, "/calls/bafyb") {
		t.Errorf("%.3000s", list)
	}
	if code != 200 || !strings.Contains(call, "a million dollars") || !strings.Contains(call, "0 SOL, 1000 tokens, 2.50 dollars") || !strings.Contains(call, "&lt;U&#43;202E&gt;") {
		t.Errorf("not all that the call asks is on its page: %.2000s", call)
	}
	if !strings.Contains(call, `value="yes"`) || strings.Contains(lost, `value="yes"`) || !strings.Contains(lost, `value="no"`) || !strings.Contains(lost, "was not kept") {
		t.Errorf("%.3000s", lost)
	}
	if gone != 200 || !strings.Contains(none, "does not wait any more") {
		t.Errorf("%d %.2000s", gone, none)
	}
	for _, page := range []string{list, call} {
		if strings.Contains(page, "<script>f") || strings.Contains(page, "<img") || strings.Contains(page, "\u202e") {
			t.Error("what a stranger wrote is markup")
		}
	}

	form := regexp.MustCompile(`data-form="([A-Z0-9]+)"`).FindStringSubmatch(list)[1]
	yes := url.Values{"form": {form}, "answer": {"yes"}}
	for name, c := range map[string]struct {
		path   string
		fields url.Values
		change func(*http.Request)
		code   int
	}{
		"nobody is logged in":     {"/calls/bafya", yes, nil, 401},
		"a page of somebody else": {"/calls/bafya", yes, func(r *http.Request) { with(r); r.Header.Set("Origin", "http://evil.test") }, 403},
		"no word of the form":     {"/calls/bafya", url.Values{"answer": {"yes"}}, with, 422},
		"no answer":               {"/calls/bafya", url.Values{"form": {form}}, with, 422},
		"yes to what is not kept": {"/calls/bafyb", yes, with, 422},
		"yes to what is over":     {"/calls/bafyc", yes, with, 404},
		"a path":                  {"/calls/..%2f..%2fkeys", yes, with, 404},
	} {
		if code, _, page := send(t, http.MethodPost, s.URL+c.path, c.fields, c.change); code != c.code || a.answers() != "" {
			t.Errorf("%s: %d, %s, %.2000s", name, code, a.answers(), page)
		}
	}
	code, h, _ = send(t, http.MethodPost, s.URL+"/calls/bafya", yes, with)
	if code != http.StatusSeeOther || h.Get("Location") != "/calls" || a.answers() != "bafya yes" {
		t.Errorf("%d, %v, %s", code, h, a.answers())
	}
	if _, _, page := send(t, http.MethodGet, s.URL+"/calls", nil, with); !strings.Contains(page, "<title>(1) Calls") || !strings.Contains(page, "<strong>yes</strong> to payer/pay") {
		t.Errorf("%.3000s", page)
	}
	for _, again := range []string{"yes", "no"} { // from another open page, before the host has taken the answer
		if code, _, _ := send(t, http.MethodPost, s.URL+"/calls/bafya", url.Values{"form": {form}, "answer": {again}}, with); code != http.StatusNotFound || a.answers() != "bafya yes" {
			t.Errorf("a second answer: %d, %s", code, a.answers())
		}
	}
	if send(t, http.MethodPost, s.URL+"/calls/bafyb", url.Values{"form": {form}, "answer": {"no"}}, with); a.answers() != "bafya yes, bafyb no" {
		t.Error(a.answers())
	}
}

// TestUnreadableCall: one call whose file cannot be read hides no other call, and gets no yes.
func TestUnreadableCall(t *testing.T) {
	t.Parallel()
	a, d, s := answering(t)
	a.broken = map[string]bool{"bafyb": true}
	_, h, _ := send(t, http.MethodGet, s.URL+"/login?word="+d.Invite(), nil, nil)
	value, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	with := func(r *http.Request) { r.Header.Set("Cookie", value) }
	code, _, list := send(t, http.MethodGet, s.URL+"/calls", nil, with)
	if code != 200 || !strings.Contains(list, "<title>(2) Calls") || !strings.Contains(list, "/calls/bafya") || !strings.Contains(list, errFile.Error()) {
		t.Fatalf("%d %.3000s", code, list)
	}
	form := regexp.MustCompile(`data-form="([A-Z0-9]+)"`).FindStringSubmatch(list)[1]
	if code, _, _ := send(t, http.MethodPost, s.URL+"/calls/bafyb", url.Values{"form": {form}, "answer": {"yes"}}, with); code != 422 || a.answers() != "" {
		t.Errorf("%d, %s", code, a.answers())
	}
}

// TestInvitations: an unused invitation is good for five minutes, and the oldest of many goes.
func TestInvitations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDoor()
		first := o.invite()
		w := httptest.NewRecorder()
		if !o.opens(first) || !o.enter(w, first) || o.enter(w, first) {
			t.Error("an invitation opens one session")
		}
		late, many := o.invite(), []string{}
		time.Sleep(inviteTime)
		if o.opens(late) || o.enter(w, late) || !o.enter(w, o.word) {
			t.Error("an old invitation opens a session")
		}
		for range maxInvited + 1 {
			many = append(many, o.invite())
		}
		if o.opens(many[0]) || slices.ContainsFunc(many[1:], func(word string) bool { return !o.opens(word) }) {
			t.Error("not the oldest went")
		}
	})
}

// TestAttackCookieOfPorts: a program under another account of the machine serves a page, which the
// operator opens while it is logged in. Browsers send a cookie to all ports of a name, so with the
// cookie the program would answer its own call. The cookie of a login is for paths that no other
// server knows, and works for nobody who lacks it.
func TestAttackCookieOfPorts(t *testing.T) {
	t.Parallel()
	_, d, s := answering(t)
	thief := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(thief.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := http.Client{Jar: jar}
	get := func(address string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		if err := errors.Join(answer.Write(&page), answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return answer, page.String()
	}
	in, page := get(s.URL + "/login?word=" + d.Invite())
	pages := strings.TrimSuffix(in.Request.URL.String(), "/calls")
	if in.StatusCode != http.StatusOK || !strings.Contains(page, `href="`+strings.TrimPrefix(pages, s.URL)+`/calls/bafya"`) {
		t.Fatalf("%s, %.3000s", in.Request.URL, page)
	}
	for _, at := range []string{"/", "/calls", "/report"} {
		if answer, _ := get(thief.URL + at); answer.Request.Header.Get("Cookie") != "" {
			t.Errorf("another server of the machine gets %q", answer.Request.Header.Get("Cookie"))
		}
	}
	if answer, _ := get(pages + "/calls"); answer.StatusCode != http.StatusOK || answer.Request.Header.Get("Cookie") == "" {
		t.Errorf("the control: the page of the login answers %d", answer.StatusCode)
	}
	for _, at := range []string{"/", "/login", "/calls"} { // the paths are told to nobody who is not logged in
		if _, page := get(s.URL + at); strings.Contains(page, strings.TrimPrefix(pages, s.URL)) {
			t.Errorf("%s tells the paths of the login", at)
		}
	}
}

// TestCallsInBrowser: nothing that a stranger wrote runs in the page. A call that ends takes its
// buttons away while the page is open, and a click answers.
func TestCallsInBrowser(t *testing.T) {
	t.Parallel()
	root := browser.Start(t, 2*time.Minute)
	if root == nil {
		return
	}
	a, d, s := answering(t)
	tab, cancel := chromedp.NewContext(root)
	t.Cleanup(cancel)
	var listed, ran, wide bool
	const faults = `typeof faults !== "undefined" || document.querySelectorAll("main script, main img").length > 0`
	run := func(what string, actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(tab, actions...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	run("the list", chromedp.EmulateViewport(400, 900), chromedp.Navigate(s.URL+"/login?word="+d.Invite()), chromedp.WaitVisible(`#call-bafya`), chromedp.Evaluate(faults, &listed))
	run("the call", chromedp.Click(`#call-bafya h3 a`), chromedp.WaitVisible(`form.answer`), chromedp.Poll(`document.querySelector("[data-pulse]").textContent === "live"`, nil),
		chromedp.Evaluate(faults+` || document.title !== "(2) A call that waits · ojud"`, &ran), chromedp.Evaluate(`document.documentElement.scrollWidth > 400`, &wide))
	if listed || ran || wide {
		t.Errorf("a stranger's text ran (%v), or the page is wider than its window (%v)", listed || ran, wide)
	}
	run("the answer", chromedp.Click(`button[value="yes"]`), chromedp.WaitVisible(`#said`))
	if a.answers() != "bafya yes" {
		t.Error(a.answers())
	}
	run("the other call", chromedp.Click(`a[aria-current]`), chromedp.Click(`#call-bafyb h3 a`), chromedp.WaitVisible(`form.answer`))
	a.mu.Lock()
	delete(a.calls, "bafyb")
	a.mu.Unlock()
	run("its end", chromedp.WaitNotPresent(`form.answer`), chromedp.Poll(`/does not wait any more/.test(document.querySelector("h1").textContent)`, nil))
}
