package follow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ojud/casefile/picture"
	"ojud/test/browser"
)

// page is a page whose picture a test changes.
type page struct {
	t       *testing.T
	tab     context.Context
	mu      sync.Mutex
	picture string
	fault   error
	changed chan struct{}
}

func (p *page) draw(string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []byte(p.picture), p.fault
}

func (p *page) again() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// shows changes the picture, or says why there is none.
func (p *page) shows(picture string, fault error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.picture, p.fault = picture, fault
	close(p.changed)
	p.changed = make(chan struct{})
}

// is waits until an expression is true in the tab.
func (p *page) is(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.tab, 20*time.Second)
	defer cancel()
	if err := chromedp.Run(ctx, chromedp.Poll(expression, nil)); err != nil {
		var text string
		broken := chromedp.Run(p.tab, chromedp.Evaluate(`document.title + " " + document.body.innerHTML`, &text))
		p.t.Fatalf("%s: %v; the page is %s %v", expression, err, text, broken)
	}
}

func (p *page) types(id, text string) {
	p.t.Helper()
	if err := chromedp.Run(p.tab, chromedp.SendKeys("#"+id, text, chromedp.ByQuery)); err != nil {
		p.t.Fatal(err)
	}
}

const (
	said = `(document.querySelector("[data-pulse]").textContent)`
	form = `<section aria-labelledby="%[1]s"><h2 id="%[1]s">%[2]s</h2><form action="/do/%[1]s"><textarea id="%[1]s-text"></textarea><select><option>one</option><option>two</option></select><button>%[2]s</button></form></section>`
)

// TestFollow: an open page follows in a browser: its text, its title and its clock. It never takes
// away what somebody writes, and it says how old it is if it cannot follow.
func TestFollow(t *testing.T) {
	root := browser.Start(t, 2*time.Minute)
	if root == nil {
		return
	}
	from, err := picture.Assets()
	if err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, changed: make(chan struct{}), picture: "<h1>Nothing waits.</h1>"}
	pages := &Pages[string]{Draw: p.draw, Changed: p.again, Idle: time.Second}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live.js", func(w http.ResponseWriter, r *http.Request) {
		raw, err := fs.ReadFile(from, "live.js")
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/javascript")
		if _, err := w.Write(raw); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, r *http.Request) {
		v, ok := pages.Join("")
		if !ok {
			t.Error("no room")
			return
		}
		defer v.Leave()
		if err := v.Send(w, r); err != nil {
			t.Log(err)
		}
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if _, err := fmt.Fprintf(w, `<!doctype html><title>Desk</title><script src="/live.js" defer></script><p data-pulse>as it was</p><main data-live="/live" data-version="%s">%s</main>`,
			Version([]byte(p.picture)), p.picture); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	tab, cancel := chromedp.NewContext(root)
	t.Cleanup(cancel)
	p.tab = tab
	if err := chromedp.Run(tab, chromedp.Navigate(server.URL)); err != nil {
		t.Fatal(err)
	}
	p.is(said + ` === "live"`)

	object, accept := fmt.Sprintf(form, "object", "Object"), fmt.Sprintf(form, "accept", "Accept")
	p.shows(`<span hidden data-title="(1) Desk"></span><h1>1 waits.</h1><p><span data-until="1090" data-now="1000">90s left</span></p>`+accept+object, nil)
	p.is(`document.title === "(1) Desk" && /1 waits/.test(document.querySelector("h1").textContent)`)
	p.is(`document.querySelector("[data-until]").textContent === "1:27 left"`)

	p.types("object-text", "It has no stripes")
	p.shows(`<h1>2 wait.</h1><p><span data-until="1001" data-now="1000">1s left</span></p>`+object, nil)
	p.is(`/2 wait/.test(document.querySelector("h1").textContent) && document.querySelector("#object-text").value === "It has no stripes" && !document.querySelector("#accept, [data-over]")`)
	p.is(`document.querySelector("[data-until]").textContent === "the time is over"`)

	p.shows("<h1>Over.</h1>", nil) // the step is gone, and what was written stays
	p.is(`/Over/.test(document.querySelector("h1").textContent) && document.querySelector("#object-text").value === "It has no stripes" && document.querySelector("[data-over]")`)
	p.shows("<h1>Again.</h1>"+object, nil)
	p.is(`/Again/.test(document.querySelector("h1").textContent) && document.querySelectorAll("#object-text").length === 1 && !document.querySelector("[data-over]")`)
	if err := chromedp.Run(tab, chromedp.Evaluate(`document.activeElement.blur(), document.querySelector("#object-text").value = ""`, nil)); err != nil {
		t.Fatal(err)
	}
	p.shows("<h1>Empty.</h1>", nil) // the control: a form without words goes
	p.is(`/Empty/.test(document.querySelector("h1").textContent) && !document.querySelector("form")`)

	p.shows("", errors.New("the chain does not answer"))
	p.is(`/^last heard at [\d:]+: the chain does not answer$/.test` + said + ` && document.querySelector("h1").textContent === "Empty."`)
	p.shows("<h1>Back.</h1>", nil)
	p.is(said + ` === "live" && /Back/.test(document.querySelector("h1").textContent)`)
	server.CloseClientConnections()
	server.Listener.Close() //nolint:errcheck // the page should lose it
	p.is(`/^last heard at [\d:]+: no answer$/.test` + said)
}
