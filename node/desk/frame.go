package desk

import (
	"bytes"
	"errors"
	"html/template"
	"mime"
	"net/http"
	"path"
	"time"

	"ojud/agent/delegation/keep"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/follow"
)

// frame is what is around each page.
type frame struct {
	Title, Page string
	Form        string         // that each form carries; empty: nobody is logged in
	Wallet      bool           // the key is in the browser
	Alone       bool           // the desk has no party
	Sources     bool           // it manages the data of a home
	Calls       bool           // it has the calls of an agent host that wait for a person
	Party       string         // address; empty: no wallet is connected
	Court       string         // its name
	Value       *picture.Value // of its SOL; nil: no court is connected
	Pages       string         // address of the court's pages; empty: none
	Refresh     bool           // the page should be loaded again in a second
	Live        string         // address of the page's stream; empty: it has none
	Version     string         // of the picture that the page has, so that the stream leaves it out
	Waiting     int            // tasks or calls that wait for the person
	Fault       string
	Data        any
	Body        template.HTML
}

// body draws what is inside a page.
func (d *Desk) body(name string, f frame) ([]byte, error) {
	f.Fault = picture.Line(f.Fault)
	var out bytes.Buffer
	err := errors.Join(d.templates.ExecuteTemplate(&out, "titled", f), d.templates.ExecuteTemplate(&out, name, f))
	if f.Form != "" {
		return d.door.links(out.Bytes()), err
	}
	return out.Bytes(), err
}

// write writes a page.
func (d *Desk) write(w http.ResponseWriter, code int, name string, f frame) {
	f.Page, f.Wallet, f.Alone, f.Sources, f.Calls = name, d.wallet, d.needs.Alone, d.data != nil, d.calls != nil
	body, err := d.body(name, f)
	f.Body, f.Version = template.HTML(body), follow.Version(body) //nolint:gosec // the templates escaped it
	var whole bytes.Buffer
	if err = errors.Join(err, d.templates.ExecuteTemplate(&whole, "frame", f)); err != nil {
		http.Error(w, "The page cannot be drawn: "+err.Error(), http.StatusInternalServerError)
		return
	}
	page := whole.Bytes()
	if f.Form != "" {
		page = d.door.links(page)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	if _, err := w.Write(page); err != nil {
		d.needs.Log.Debug("desk: page not written", "err", err)
	}
}

// show draws a page for the party.
func (d *Desk) show(v *visit, code int, page func(*visit) (string, any, error)) {
	name, data, err := page(v)
	if err != nil {
		d.wrong(v, err)
		return
	}
	f := d.frame(v, name, data)
	if p, ok := data.(progressPage); ok {
		f.Refresh = !p.Done && p.Ask == ""
	}
	if v.r.Method == http.MethodGet {
		f.Live = liveAt(name, v)
	}
	d.write(v.w, code, name, f)
}

func (d *Desk) frame(v *visit, name string, data any) frame {
	f := frame{
		Title: map[string]string{"home": "Your desk", "market": "The market", "new": "New task", "task": "Task", "offer": "Claim a task", "job": "At work", "failure": "Not done",
			"sources": "Your data", "source": "A source of data", "newsource": "New source of data", "calls": "Calls that wait", "call": "A call that waits"}[name],
		Form: v.form, Data: data, Pages: d.needs.Pages(),
	}
	if party, err := d.who(); err == nil {
		f.Party, f.Court = party.Me(), party.Network().Name
		if domain, err := party.Network().Domain(); err == nil { // client.Open checked it
			value := picture.ValueOf(onchain.Hash(domain.Network))
			f.Value = &value
		}
		if follows[name] {
			if f.Waiting, err = d.own.waiting(v.r.Context(), party); err != nil {
				d.needs.Log.Debug("desk: the title without a number", "err", err) // and the page says why
			}
		}
	}
	if d.calls != nil && follows[name] {
		ids, err := d.calls.waiting()
		if err != nil {
			d.needs.Log.Debug("desk: the title without a number", "err", err)
		}
		f.Waiting = len(ids)
	}
	return f
}

// wrong says why a request was not served.
func (d *Desk) wrong(v *visit, err error) {
	code := http.StatusUnprocessableEntity
	switch {
	case errors.Is(err, errNowhere), errors.Is(err, keep.ErrNotWaiting):
		code = http.StatusNotFound
	case errors.Is(err, errBusy), errors.Is(err, errNoWallet):
		code = http.StatusConflict
	}
	f := d.frame(v, "failure", nil)
	f.Fault = d.needs.Plain(err)
	d.write(v.w, code, "failure", f)
}

// asset serves a file that pages name.
func (d *Desk) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	raw, ok := d.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(raw))
}
