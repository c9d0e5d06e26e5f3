package desk

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/advice"
	"ojud/node/library"
)

// opened serves a desk without a party, whose address and word a test uses.
func opened(t *testing.T) (*Desk, *httptest.Server) {
	t.Helper()
	d, err := New(nil, Needs{Plain: error.Error, Pages: func() string { return "" }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(d.Handler())
	t.Cleanup(func() {
		s.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, s
}

// send sends a request as a browser does. It follows no redirect.
func send(t *testing.T, method, address string, fields url.Values, change func(*http.Request)) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if method == http.MethodPost {
		r.Header.Set("Origin", r.URL.Scheme+"://"+r.URL.Host)
	}
	if change != nil {
		change(r)
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, body.String()
}

// entered logs in, and returns what adds the session to a request, and the word of its forms.
func entered(t *testing.T, d *Desk, at string) (with func(*http.Request), form string) {
	t.Helper()
	code, h, _ := send(t, http.MethodGet, at+"/login?word="+d.Word(), nil, nil)
	cookie := h.Get("Set-Cookie")
	if code != http.StatusSeeOther || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") {
		t.Fatalf("%d, %q", code, cookie)
	}
	value, _, _ := strings.Cut(cookie, ";")
	with = func(r *http.Request) { r.Header.Set("Cookie", value) }
	_, _, page := send(t, http.MethodGet, at+"/", nil, with)
	found := regexp.MustCompile(`data-form="([A-Z0-9]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no form in %s", page)
	}
	return with, found[1]
}

// TestDoor: only a browser on this machine that showed the word sees a page, and only a form of a
// page of the desk changes something.
func TestDoor(t *testing.T) {
	t.Parallel()
	d, s := opened(t)
	with, form := entered(t, d, s.URL)
	both := func(more func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) { with(r); more(r) }
	}
	good := url.Values{"form": {form}, "amount": {"1"}}
	for name, c := range map[string]struct {
		method, path string
		fields       url.Values
		change       func(*http.Request)
		code         int
		has          string
	}{
		"logged in":          {http.MethodGet, "/", nil, with, 200, "Connect a wallet"},
		"no cookie":          {http.MethodGet, "/", nil, nil, 401, "The word"},
		"wrong cookie":       {http.MethodGet, "/market", nil, func(r *http.Request) { r.Header.Set("Cookie", d.door.cookie+"=x") }, 401, "The word"},
		"wrong word":         {http.MethodGet, "/login?word=" + strings.ToLower(d.Word()), nil, nil, 403, "not the word"},
		"no word":            {http.MethodGet, "/login", nil, nil, 200, "The word"},
		"word by a form":     {http.MethodPost, "/login", url.Values{"word": {d.Word()}}, nil, 303, ""},
		"huge login":         {http.MethodPost, "/login", url.Values{"word": {strings.Repeat("w", maxLogin)}}, nil, 200, "The word"},
		"login from outside": {http.MethodPost, "/login", url.Values{"word": {d.Word()}}, func(r *http.Request) { r.Header.Set("Origin", "http://evil.test") }, 403, "does not come from"},
		"other name":         {http.MethodGet, "/", nil, both(func(r *http.Request) { r.Host = "evil.test:80" }), 403, "only for its own machine"},
		"other origin":       {http.MethodPost, "/do/deposit", good, both(func(r *http.Request) { r.Header.Set("Origin", "http://evil.test") }), 403, "does not come from"},
		"no origin":          {http.MethodPost, "/do/deposit", good, both(func(r *http.Request) { r.Header.Del("Origin") }), 403, "does not come from"},
		"null origin":        {http.MethodPost, "/do/deposit", good, both(func(r *http.Request) { r.Header.Set("Origin", "null") }), 403, "does not come from"},
		"no form":            {http.MethodPost, "/do/deposit", url.Values{"amount": {"1"}}, with, 422, "another login"},
		"form in the path":   {http.MethodPost, "/do/deposit?form=" + form, url.Values{"amount": {"1"}}, with, 422, "another login"},
		"form, no cookie":    {http.MethodPost, "/do/deposit", good, nil, 401, "The word"},
		"good form":          {http.MethodPost, "/do/deposit", good, with, 409, "no wallet is connected"},
		"read by a GET":      {http.MethodGet, "/do/deposit?form=" + form, nil, with, 404, "no such page"},
		"unknown deed":       {http.MethodPost, "/do/steal", url.Values{"form": {form}, "task": {"11111111111111111111111111111112"}}, with, 404, "no such page"},
		"no task":            {http.MethodPost, "/do/claim", url.Values{"form": {form}, "task": {"x"}}, with, 404, "base58"},
		"bad amount":         {http.MethodPost, "/do/deposit", url.Values{"form": {form}, "amount": {"-1"}}, with, 422, "amount"},
		"no files":           {http.MethodPost, "/do/object", url.Values{"form": {form}, "task": {"11111111111111111111111111111112"}, "reason": {"bad"}}, with, 409, "no wallet"},
		"no reason":          {http.MethodPost, "/do/counter", url.Values{"form": {form}, "task": {"11111111111111111111111111111112"}}, with, 422, "need a reason"},
		"ugly ground":        {http.MethodPost, "/do/object", url.Values{"form": {form}, "task": {"11111111111111111111111111111112"}, "kind": {"ugly"}}, with, 422, "ugly"},
		"ugly call":          {http.MethodPost, "/do/object", url.Values{"form": {form}, "task": {"11111111111111111111111111111112"}, "kind": {"returns"}, "counterexample": {"median"}}, with, 422, "is no call"},
		"result, no wallet":  {http.MethodPost, "/do/submit", url.Values{"form": {form}, "task": {"11111111111111111111111111111112"}, "result": {"x"}}, with, 409, "no wallet"},
		"huge result":        {http.MethodPost, "/do/submit", url.Values{"form": {form}, "task": {"11111111111111111111111111111112"}, "result": {strings.Repeat("x", 300_000)}}, with, 422, "262144 is the most"},
		"bad order":          {http.MethodPost, "/new", url.Values{"form": {form}, "instruction": {"a"}, "schema": {"{"}}, with, 422, "output_schema"},
		"bad checks":         {http.MethodPost, "/new", url.Values{"form": {form}, "instruction": {"a"}, "schema": {`{"text":"string"}`}, "expected": {"x"}}, with, 422, "is not JSON"},
		"bad time":           {http.MethodPost, "/new", url.Values{"form": {form}, "instruction": {"a"}, "schema": {`{"text":"string"}`}, "reward": {"1"}, "work": {"long"}}, with, 422, "choose one of the times"},
		"unknown job":        {http.MethodGet, "/job/x", nil, with, 404, "no such page"},
		"bad address":        {http.MethodPost, "/wallet", url.Values{"form": {form}, "address": {"x"}}, with, 422, "no address"},
		"nothing waits":      {http.MethodPost, "/sign", url.Values{"form": {form}, "number": {"0"}}, with, 422, "does not wait"},
		"unknown asset":      {http.MethodGet, "/assets/desk.go", nil, nil, 404, ""},
		"asset":              {http.MethodGet, "/assets/desk.js", nil, nil, 200, "wallet-standard"},
		"huge form":          {http.MethodPost, "/do/deposit", url.Values{"form": {form}, "amount": {strings.Repeat("1", maxBody)}}, with, 422, ""},
	} {
		code, h, body := send(t, c.method, s.URL+c.path, c.fields, c.change)
		if code != c.code || !strings.Contains(html.UnescapeString(body), c.has) {
			t.Errorf("%s: %d, %.3000s", name, code, body)
		}
		if h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: %v", name, h)
		}
	}
}

// TestAttackSlowLogin: another user of the machine begins to log in many times and sends nothing.
// The party goes on, and opens its desk by its word; the places of strangers are free after a
// while.
func TestAttackSlowLogin(t *testing.T) {
	t.Parallel()
	d, s := opened(t)
	with, _ := entered(t, d, s.URL)
	host := strings.TrimPrefix(s.URL, "http://")
	var slow []net.Conn
	for range 2 * maxStrangers {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		slow = append(slow, c)
		if _, err := fmt.Fprintf(c, "POST /login HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n", host, host); err != nil {
			t.Fatal(err)
		}
	}
	answers := make(chan string, len(slow))
	for _, c := range slow {
		go func() {
			line, err := bufio.NewReader(c).ReadString('\n')
			answers <- fmt.Sprint(line, err)
		}()
	}
	for end := time.Now().Add(time.Minute); len(d.door.porch) < maxStrangers && time.Now().Before(end); {
		runtime.Gosched()
	}
	if code, _, _ := send(t, http.MethodGet, s.URL+"/login", nil, nil); code != http.StatusServiceUnavailable {
		t.Errorf("the control: one more stranger gets %d", code)
	}
	if code, _, _ := send(t, http.MethodGet, s.URL+"/", nil, with); code != http.StatusOK {
		t.Errorf("the party gets %d", code)
	}
	entered(t, d, s.URL) // with the word in the address
	busy := 0
	for range slow {
		if strings.Contains(<-answers, " 503 ") {
			busy++
		}
	}
	if busy != len(slow)-maxStrangers {
		t.Errorf("%d of %d found no place", busy, len(slow))
	}
	if code, _, _ := send(t, http.MethodGet, s.URL+"/login", nil, nil); code != http.StatusOK {
		t.Errorf("after %s a stranger gets %d", strangerTime, code)
	}
}

// TestSessions: the oldest of too many sessions is closed.
func TestSessions(t *testing.T) {
	t.Parallel()
	d, s := opened(t)
	first, _ := entered(t, d, s.URL)
	for range maxSessions {
		if !d.door.enter(httptest.NewRecorder(), d.Word()) {
			t.Fatal("the word is wrong")
		}
	}
	if code, _, _ := send(t, http.MethodGet, s.URL+"/", nil, first); code != http.StatusUnauthorized || len(d.door.sessions) != maxSessions {
		t.Error(code, len(d.door.sessions))
	}
}

// TestSigning: a wallet gets the transaction that waits, and only its signature of just that
// transaction is taken. It has a time for it.
func TestSigning(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	message := append([]byte{1, 0, 1}, public...)
	signed := func(m []byte) string {
		return base64.StdEncoding.EncodeToString(append(append([]byte{1}, ed25519.Sign(private, m)...), m...))
	}
	for name, c := range map[string]struct {
		number, transaction, refused string
		taken, wrong                 string
	}{
		"signed":         {number: "1", transaction: signed(message)},
		"refused":        {number: "1", refused: "No, \u202e thanks", wrong: "No, <U+202E> thanks"},
		"long refusal":   {number: "1", refused: strings.Repeat("n", 10_000), wrong: strings.Repeat("n", maxRefusal)},
		"changed":        {number: "1", transaction: signed(append(bytes.Clone(message), 1)), wrong: "changed the transaction"},
		"garbage":        {number: "1", transaction: "AAAA", wrong: "no transaction"},
		"empty":          {number: "1", wrong: "no transaction"},
		"no base64":      {number: "1", transaction: "§", wrong: "no base64"},
		"other":          {number: "2", transaction: signed(message), taken: "does not wait"},
		"nobody answers": {wrong: "it had 50s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSigning()
				type got struct {
					sig onchain.Signature
					err error
				}
				out := make(chan got, 1)
				began := time.Now()
				go func() {
					sig, err := s.ask(t.Context().Done(), message)
					out <- got{sig, err}
				}()
				synctest.Wait()
				select {
				case <-s.asked():
				default:
					t.Error("nobody is told that a transaction waits")
				}
				number, raw := s.now()
				if b, err := base64.StdEncoding.DecodeString(raw); number != "1" || err != nil || !bytes.Equal(b[65:], message) || !bytes.Equal(b[:65], append([]byte{1}, make([]byte, 64)...)) {
					t.Errorf("%s, %s, %v", number, raw, err)
				}
				if c.number != "" {
					err := s.take(c.number, c.transaction, c.refused)
					if c.taken == "" && err != nil || c.taken != "" && (err == nil || !strings.Contains(err.Error(), c.taken)) {
						t.Error(err)
					}
				}
				g := <-out
				switch {
				case c.wrong == "" && c.taken == "":
					if g.err != nil || !ed25519.Verify(public, message, g.sig[:]) || time.Since(began) != 0 {
						t.Error(g)
					}
				case g.err == nil || !strings.Contains(g.err.Error(), c.wrong):
					t.Error(g.err)
				}
				if _, raw := s.now(); raw != "" || s.take("1", signed(message), "") == nil {
					t.Error("it waits still")
				}
			})
		})
	}
}

// TestSigningEnds: the end of the desk is the end of the wait.
func TestSigningEnds(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	close(stop)
	if _, err := newSigning().ask(stop, []byte{1}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

// FuzzOrder: whatever stands in the form of a new task becomes a task that judges can read, or an
// error.
func FuzzOrder(f *testing.F) {
	f.Add("Draw a tiger", `{"text":"string"}`, "animal", `[{"path":"/text","min_bytes":1}]`, "site.post, b", "1", "", "3600")
	f.Add("", "", "{", "x", ",", "1e9sol", "0", "-1")
	f.Fuzz(func(t *testing.T, instruction, schema, input, expected, sources, reward, highest, work string) {
		doc, terms, err := order{Instruction: instruction, Schema: schema, Input: input, Expected: expected, Sources: sources, Reward: reward, Highest: highest, Work: work, Undecided: "split"}.read()
		if _, err := library.ReadResult(ground.Literal(input)); err == nil && input == "" {
			t.Error("nothing is a result")
		}
		if err == nil && (len(doc.Content) == 0 || doc.Hash.IsZero() || terms.RewardMin == 0) {
			t.Errorf("%q, %+v", doc.Content, terms)
		}
		if err != nil && errors.Is(err, errNowhere) {
			t.Error(err)
		}
	})
}

// FuzzSource: whatever stands in the form of a source becomes a draft with a name and one kind, or
// an error.
func FuzzSource(f *testing.F) {
	f.Add("http", "site.post", "https://a.example/{id}", "a.example\nb.example", "5000lamports", "30", "0", `{"type":"object"}`, `{"id":"7"}`)
	f.Add("sqlite", "", "", "", "-1", "x", "1e9", "{", "[]")
	f.Add("files", "f", "/srv", "*.json", "0", "99999999999", "", "/etc/passwd", "null")
	f.Fuzz(func(t *testing.T, which, name, main, allow, price, quota, freshness, shape, sample string) {
		form, ok := kindNamed(which)
		if !ok {
			return
		}
		d, o, err := draftOf(form, url.Values{
			"name": {name}, form.Name: {main}, "allow": {allow}, "price": {price}, "quota": {quota}, "freshness": {freshness}, "input-schema": {shape}, "request": {sample}, "max-rows": {quota},
		})
		if err != nil {
			return
		}
		if chosen, err := d.Form(); d.Name == "" || err != nil || chosen.Name != which || d.Quota < 0 {
			t.Errorf("%+v, %v", d, err)
		}
		if d.InputSchema != "" && !strings.HasPrefix(d.InputSchema, "{") {
			t.Errorf("%q could be the name of a file", d.InputSchema)
		}
		if o.Request != nil && o.Request[0] != '{' {
			t.Errorf("%q", o.Request)
		}
	})
}

// TestEmbedded: a page of another site, or of another port of this machine, embeds nothing of a
// desk, also if the party has logged in. A link of it works. An address that no page has says so.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	d, s := opened(t)
	with, _ := entered(t, d, s.URL)
	for site, want := range map[string]int{"cross-site no-cors": http.StatusForbidden, "same-site no-cors": http.StatusForbidden, "cross-site navigate": http.StatusOK, "same-origin cors": http.StatusOK} {
		from, mode, _ := strings.Cut(site, " ")
		code, _, _ := send(t, http.MethodGet, s.URL+"/", nil, func(r *http.Request) {
			with(r)
			r.Header.Set("Sec-Fetch-Site", from)
			r.Header.Set("Sec-Fetch-Mode", mode)
		})
		if code != want {
			t.Errorf("%s: %d, want %d", site, code, want)
		}
	}
	if code, _, page := send(t, http.MethodGet, s.URL+"/nosuch", nil, with); code != http.StatusNotFound || !strings.Contains(page, "here is no such page") {
		t.Errorf("%d: %s", code, page)
	}
}

// TestUndecidedInWords: each choice of a creator is explained, a task that nobody could decide says
// who got what, and a page of a desk names no command.
func TestUndecidedInWords(t *testing.T) {
	t.Parallel()
	for _, choice := range client.UndecidedWords() {
		if undecidedWords(choice) == "" {
			t.Errorf("%s has no words", choice)
		}
	}
	for outcome, want := range map[string]string{"split": "half of the reward each", "refunded": "reward back", "paid": "The worker got the reward"} {
		p := taskPage{taskRow: taskRow{TaskView: client.TaskView{Status: "undecided", Outcome: outcome}}}
		if got := p.Shared(); !strings.Contains(got, want) {
			t.Errorf("%s: %q", outcome, got)
		}
		if p.Status = "complete"; p.Shared() != "" {
			t.Errorf("a decided task is %q", p.Shared())
		}
	}
	all := (advice.Deal{Doc: casefile.Task{Expected: []casefile.Check{{Path: "/a", Tests: &runs.Tests{JavaScript: []runs.TestCall{{Function: "f"}}}}}}, Work: time.Hour, Judges: 28}).ForWorker().Warnings
	if len(all) == 0 || !strings.Contains(all[0].Fix, "ojud ") {
		t.Fatalf("no warning names a command, so this test shows nothing: %+v", all)
	}
	if got := here(all)[0].Fix; got != "read it, and run it on your result" {
		t.Errorf("%q", got)
	}
	if !strings.Contains(all[0].Fix, "ojud ") {
		t.Error("the warnings of others have changed")
	}
}

// TestAskerWords: the page of a source says in words who may ask it, or shows the addresses.
func TestAskerWords(t *testing.T) {
	t.Parallel()
	for who, want := range map[string]string{"seated": "judges seated in a live round of a case whose task names the source", "roster": "every judge on the roster", "anyone": "anyone", "AB, C\u202e": "AB, C<U+202E>"} {
		if got := askerWords(who); got != want {
			t.Errorf("%q: %q", who, got)
		}
	}
}
