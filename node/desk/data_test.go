package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/node/api"
	"ojud/node/desk"
	"ojud/node/evidence"
	"ojud/node/sources"
	"ojud/test/browser"
)

// What a stranger could write; hostile turns the direction of text, too.
const (
	marked  = "<script>faults.push('ran')</script><img src=x onerror=alert(1)>"
	hostile = marked + "\u202e"
)

// keeper is an operator at a desk without a party.
type keeper struct {
	t    *testing.T
	http http.Client
	name string // scheme and host of the desk
	at   string // of the pages of its login
	word string
	form string
	home string
}

// keeps opens a desk for the data of a new home.
func keeps(t *testing.T, data desk.Data) *keeper {
	t.Helper()
	k := &keeper{t: t, home: t.TempDir()}
	var err error
	if data.Home, err = sources.New(datasource.DefaultConfig(), sources.Deps{Dir: k.home}); err != nil {
		t.Fatal(err)
	}
	d, err := desk.New(nil, desk.Needs{Plain: error.Error, Pages: func() string { return "" }, Data: &data, Alone: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if k.http.Jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	k.name, k.at, k.word = server.URL, server.URL, d.Word()
	found := regexp.MustCompile(`(?s)href="(/[A-Z2-7]{26})/assets/.*data-form="([A-Z0-9]+)"`).FindStringSubmatch(k.gets("/login?word="+k.word, http.StatusOK))
	if found == nil {
		t.Fatal("nobody is logged in")
	}
	k.at, k.form = k.at+found[1], found[2]
	return k
}

// ask sends a request, follows it to the end of its job, and returns the page.
func (k *keeper) ask(method, path string, fields url.Values, code int) string {
	k.t.Helper()
	for {
		r, err := http.NewRequestWithContext(k.t.Context(), method, k.at+path, strings.NewReader(fields.Encode()))
		if err != nil {
			k.t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if method == http.MethodPost {
			r.Header.Set("Origin", k.name)
		}
		answer, err := k.http.Do(r)
		if err != nil {
			k.t.Fatal(err)
		}
		var body strings.Builder
		if _, err := io.Copy(&body, answer.Body); err != nil {
			k.t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			k.t.Fatal(err)
		}
		if answer.StatusCode != code {
			k.t.Errorf("%s: %d, %s", path, answer.StatusCode, body.String())
		}
		if !strings.Contains(body.String(), `aria-busy="true"`) {
			return body.String()
		}
		method, path, fields = http.MethodGet, strings.TrimPrefix(answer.Request.URL.Path, strings.TrimPrefix(k.at, k.name)), nil
	}
}

func (k *keeper) gets(path string, code int) string {
	k.t.Helper()
	return k.ask(http.MethodGet, path, nil, code)
}

func (k *keeper) posts(path string, fields url.Values, code int) string {
	k.t.Helper()
	fields.Set("form", k.form)
	return k.ask(http.MethodPost, path, fields, code)
}

// silent is a home without a node.
func silent() desk.Data {
	return desk.Data{
		Ask: func(context.Context, evidence.Query) (api.QueryView, error) {
			return api.QueryView{}, api.ErrNotRunning
		},
		Known: func(context.Context) ([]string, error) { return nil, api.ErrNotRunning },
	}
}

// TestData: an operator adds a source on a page, tries it and takes it back, with the checks of the
// command. A desk without a party has no page for trade.
func TestData(t *testing.T) {
	t.Parallel()
	k := keeps(t, silent())
	folder := t.TempDir()
	raw, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	has := func(page, text string) {
		t.Helper()
		if !strings.Contains(page, text) || strings.Contains(page, "<script>faults") {
			t.Errorf("no %q in %s", text, page)
		}
	}
	for _, path := range []string{"/market", "/new", "/sources/nothing", "/sources/%2e%2e"} {
		k.gets(path, http.StatusNotFound)
	}
	has(k.gets("/", http.StatusOK), "This home offers no data yet")
	has(k.gets("/sources/new", http.StatusOK), "/sources/new?kind=sqlite")
	has(k.gets("/sources/new?kind=http", http.StatusOK), `name="pointer"`)

	good := func() url.Values {
		return url.Values{"kind": {"files"}, "name": {"prices"}, "files": {folder}, "allow": {"*.json"}, "format": {"json"}, "price": {"5000lamports"}, "description": {marked}, "request": {`{"name":"a.json"}`}}
	}
	for field, c := range map[string]struct {
		value, wrong string
		code         int
	}{
		"kind": {"magic", "no such page", 404}, "name": {"", "needs a name", 422}, "files": {"", "is empty", 422}, "price": {"-1", "price", 422}, "quota": {"0", "whole number from 1", 422},
		"timeout": {"2e3", "whole number", 422}, "freshness": {"-1", "whole number from 0", 422}, "input-schema": {"/etc/passwd", "not a JSON Schema", 422}, "output-schema": {"{", "not a JSON Schema", 422},
		"request": {"[]", "not a JSON object", 422}, "max-rows": {"many", "whole number", 422},
		// The home refuses these, after a look.
		"format": {"exe", "format", 200}, "rate": {"fast", "rate", 200}, "who": {"everybody", "who", 200}, "pattern": {"(", "pattern", 200},
	} {
		bad := good()
		bad.Set(field, c.value)
		page := k.posts("/sources/new", bad, c.code)
		has(page, c.wrong)
		if strings.Contains(page, "is added") {
			t.Errorf("%s: %s", field, page)
		}
	}
	missing := good()
	missing.Set("files", filepath.Join(folder, "nowhere"))
	has(k.posts("/sources/new", missing, http.StatusOK), "because it does not answer")
	has(k.gets("/sources/new?kind=files&again=1", http.StatusOK), "nowhere") // what was written is still there
	if page := k.gets("/sources/new?kind=http&again=1", http.StatusOK); strings.Contains(page, "nowhere") {
		t.Error("another kind has it")
	}
	if page := k.gets("/sources", http.StatusOK); !strings.Contains(page, "no data yet") {
		t.Errorf("a source that does not answer was added: %s", page)
	}
	has(k.posts("/sources/new", good(), http.StatusOK), "prices is added")
	if _, err := os.Stat(filepath.Join(k.home, "sources", "prices.source.json")); err != nil {
		t.Error(err)
	}
	page := k.gets("/sources/prices", http.StatusOK)
	has(page, "It answered in")
	has(page, "0.000005 SOL")
	has(page, "&lt;script&gt;")
	has(page, "&lt;U&#43;202E&gt;")
	has(k.posts("/sources/try", url.Values{"source": {"prices"}, "request": {`{"name":"b.json"}`}}, http.StatusOK), "did not answer")
	has(k.posts("/sources/try", url.Values{"source": {"prices"}, "request": {`7`}}, http.StatusUnprocessableEntity), "not a JSON object")
	has(k.posts("/sources/try", url.Values{"source": {"../x"}}, http.StatusNotFound), "no such page")
	other := good()
	other.Set("price", "")
	has(k.posts("/sources/new", other, http.StatusOK), "exists already")
	other.Set("replace", "1")
	has(k.posts("/sources/new", other, http.StatusOK), "prices is changed")
	has(k.gets("/sources", http.StatusOK), "free")
	if err := os.WriteFile(filepath.Join(k.home, "sources", "broken.source.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	has(k.gets("/sources", http.StatusOK), "cannot be used")
	has(k.posts("/sources/remove", url.Values{"source": {"prices"}}, http.StatusUnprocessableEntity), "tick the box")
	has(k.posts("/sources/remove", url.Values{"source": {"prices"}, "sure": {"1"}}, http.StatusOK), "no more")
	k.gets("/sources/prices", http.StatusNotFound)
}

// TestAskCourt: the judges of a court answer through the node of the home. A receipt that does not
// hold and a contradiction are said, and what strangers wrote is text.
func TestAskCourt(t *testing.T) {
	t.Parallel()
	var got evidence.Query
	answer := func(text, check string) api.AnswerView {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return api.AnswerView{QueryAnswer: evidence.QueryAnswer{Answer: raw, Price: 5000, Judge: new(casefile.Address), Disputed: true}, Check: check}
	}
	data := desk.Data{
		Known: func(context.Context) ([]string, error) { return []string{"site.post"}, nil },
		Ask: func(_ context.Context, q evidence.Query) (api.QueryView, error) {
			got = q
			if q.Source == "down" {
				return api.QueryView{}, errors.New("the node is gone " + hostile)
			}
			v := api.QueryView{Answers: []api.AnswerView{answer(hostile, api.ReceiptGood), answer("other", "is of another answer")}}
			v.Source, v.Request, v.Millis = q.Source, q.Request, 1200
			v.Failures = []evidence.QueryFailure{{Failure: casefile.Failure{Reason: hostile}, Next: "wait"}}
			return v, nil
		},
	}
	k := keeps(t, data)
	if page := k.gets("/sources", http.StatusOK); !strings.Contains(page, "/sources?source=site.post#ask") {
		t.Error(page)
	}
	for name, c := range map[string]struct {
		fields url.Values
		code   int
		has    string
	}{
		"no source":   {url.Values{"source": {"A B"}}, 422, "not a name"},
		"bad request": {url.Values{"source": {"site.post"}, "request": {"7"}}, 422, "not a JSON object"},
		"bad price":   {url.Values{"source": {"site.post"}, "price": {"much"}}, 422, "The most that an answer may cost"},
		"down":        {url.Values{"source": {"down"}}, 200, "the node is gone"},
		"good":        {url.Values{"source": {"site.post"}, "request": {`{"id":"7"}`}, "price": {"5000lamports"}}, 200, "2 answers came"},
	} {
		if page := k.posts("/sources/ask", c.fields, c.code); !strings.Contains(page, c.has) || strings.Contains(page, "<script>faults") {
			t.Errorf("%s: %s", name, page)
		}
	}
	k.posts("/sources/ask", url.Values{"source": {"site.post"}, "request": {`{"id":"7"}`}, "price": {"5000lamports"}}, http.StatusOK)
	if got.Source != "site.post" || string(got.Request) != `{"id":"7"}` || got.MaxPrice != 5000 || got.Seconds == 0 {
		t.Errorf("%+v", got)
	}
	page := k.gets("/sources", http.StatusOK)
	for _, want := range []string{"The holders contradict each other", "A good receipt", "The receipt does not hold: is of another answer", "1.2 s", "&lt;script&gt;", "&lt;U&#43;202E&gt;", "Next: wait"} {
		if !strings.Contains(page, want) || strings.Contains(page, "<script>faults") {
			t.Errorf("no %q in %s", want, page)
		}
	}
}

// TestDataInBrowser: the pages of a home's data work in a browser, narrow and wide, and axe-core
// finds no fault in them.
func TestDataInBrowser(t *testing.T) {
	t.Parallel()
	root := browser.Start(t, 5*time.Minute)
	if root == nil {
		return
	}
	k := keeps(t, silent())
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &person{axe: axe(t), t: t, tab: root, at: k.at}
	p.run(chromedp.EmulateViewport(1200, 900), chromedp.Navigate(k.name+"/login?word="+k.word), chromedp.WaitVisible(`//h1[contains(., "no data yet")]`))
	p.goes("/sources/new")
	p.goes("/sources/new?kind=mcp")
	p.goes("/sources/new?kind=files")
	p.writes(map[string]string{"name": "notes", "files": folder, "allow": "*.txt", "description": marked})
	p.does("Try it and add it", "notes is added")
	p.goes("/sources/notes")
	p.writes(map[string]string{"request": `{"name":"a.txt"}`})
	p.does("Ask it", "It answered in")
	p.goes("/sources/notes")
	var text string
	p.run(chromedp.Text("main", &text))
	if !strings.Contains(text, "<script>faults.push('ran')</script>") {
		t.Error(text)
	}
	p.shoot("source")
	p.goes("/sources")
	p.shoot("sources")
}
