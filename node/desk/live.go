package desk

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

const (
	// idleTime is the time between two looks at an open page. Each takes a few calls to the chain.
	idleTime = 3 * time.Second
	lookTime = 20 * time.Second // for one look
)

// sight names an open page of a login.
type sight struct {
	path, task, call, query, form string
}

// errLook means that a page cannot be drawn, and which page there is instead.
var errLook = errors.New("this page is gone; reload it")

// follows are the pages that follow the chain, or the calls of an agent host, while they are open.
var follows = map[string]bool{"home": true, "market": true, "task": true, "offer": true, "calls": true, "call": true}

// liveAt is the address of the stream of a page; empty: it has none.
func liveAt(name string, v *visit) string {
	if !follows[name] {
		return ""
	}
	at := url.URL{Path: "/live" + v.r.URL.Path, RawQuery: sought(v.r)}
	return at.String()
}

// sought is what a page is asked for in its address, without the version that a viewer has.
func sought(r *http.Request) string {
	out := url.Values{}
	for _, name := range []string{"q", "by", "page"} {
		if text := r.URL.Query().Get(name); text != "" {
			out.Set(name, text[:min(len(text), maxWords)])
		}
	}
	return out.Encode()
}

// stream sends the pictures of an open page of the party, until its login is over.
func (d *Desk) stream(path string) http.HandlerFunc {
	return d.inside(func(v *visit) {
		viewer, ok := d.live.Join(sight{path, v.r.PathValue("task"), v.r.PathValue("call"), sought(v.r), v.form})
		if !ok {
			v.w.Header().Set("Retry-After", "10")
			http.Error(v.w, "Too many pages of this desk are open. Close some.", http.StatusServiceUnavailable)
			return
		}
		defer viewer.Leave()
		ctx, cancel := context.WithDeadline(v.r.Context(), v.until)
		defer cancel()
		defer context.AfterFunc(d.life, cancel)()
		if err := viewer.Send(v.w, v.r.WithContext(ctx)); err != nil {
			d.needs.Log.Debug("desk: a viewer is gone", "err", err)
		}
	})
}

// draw returns the HTML of an open page without its frame.
func (d *Desk) draw(s sight) ([]byte, error) {
	ctx, cancel := context.WithTimeout(d.life, lookTime)
	defer cancel()
	r := (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: s.path, RawQuery: s.query}}).WithContext(ctx)
	r.SetPathValue("task", s.task)
	r.SetPathValue("call", s.call)
	v := &visit{r: r, form: s.form}
	page := map[string]func(*visit) (string, any, error){"/": d.home, "/market": d.market, "/task/{task}": d.task, "/task/{task}/claim": d.offer, "/calls": d.calls.list, "/calls/{call}": d.calls.one}[s.path]
	name, data, err := page(v)
	if err != nil {
		return nil, err
	}
	f := d.frame(v, name, data)
	if f.Live = liveAt(name, v); f.Live == "" {
		return nil, errLook
	}
	return d.body(name, f)
}
