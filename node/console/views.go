package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/voting"
)

// view names a page: its template, what it is about, such as a case or a judge, and its query.
type view struct {
	name  string
	key   voting.Key
	query string // as asked wrote it
}

// errNoImage means that a case has no picture with a hash.
var errNoImage = errors.New("no picture")

// errNoCard means that there is no card of an agent to take.
var errNoCard = errors.New("no card")

// errName means that an address of a page names nothing.
var errName = errors.New("a case is named by the base58 address of its task, and a judge or an agent by its own")

// only is the view of a page that there is once.
func only(name string) func(*http.Request) (view, error) {
	return func(*http.Request) (view, error) { return view{name: name}, nil }
}

func caseView(r *http.Request) (view, error) { return named("case", r.PathValue("case")) }

func judgeView(r *http.Request) (view, error) { return named("judge", r.PathValue("judge")) }

func thoughtView(r *http.Request) (view, error) { return named("thought", r.PathValue("task")) }

func agentView(r *http.Request) (view, error) { return named("agent", r.PathValue("agent")) }

func named(page, text string) (view, error) {
	key, err := casefile.ParseAddress(text)
	if err != nil {
		return view{}, fmt.Errorf("%w: %w", errName, err)
	}
	return view{name: page, key: voting.Key(key)}, nil
}

// place is the page whose entry of the menu leads to a view. The judge of another node than self is
// found from the court, as those of a case are.
func (v view) place(self voting.Key) string {
	switch {
	case v.name == "agent":
		return "agents"
	case v.name == "thought":
		return "brain"
	case v.name == "judge" && !v.key.IsZero() && v.key != self:
		return "case"
	}
	return v.name
}

// title names a page.
func title(v view) string {
	switch {
	case v.name == "case":
		return "Case " + picture.Short(v.key)
	case v.name == "judge" && !v.key.IsZero():
		return "Judge " + picture.Short(v.key)
	case v.name == "agent":
		return "Agent " + picture.Short(v.key)
	case v.name == "thought":
		return "Task of MegaBrain " + picture.Short(v.key)
	}
	return map[string]string{"court": "The court", "judge": "This judge", "network": "The network", "doctor": "The health of this node", "rules": "The rules",
		"market": "The market", "sources": "The data sources", "agents": "The agents", "brain": "MegaBrain"}[v.name]
}

// asked is the view of a page that depends on its query. keep takes from it what the page knows.
func asked(name string, keep func(url.Values) map[string]string) func(*http.Request) (view, error) {
	return func(r *http.Request) (view, error) {
		query, out := r.URL.Query(), url.Values{}
		for field, text := range keep(query) {
			out.Set(field, text)
		}
		if n, err := strconv.Atoi(query.Get("page")); err == nil && n > 1 {
			out.Set("page", strconv.Itoa(n))
		}
		return view{name: name, query: out.Encode()}, nil
	}
}

// values returns the query of a view.
func (v view) values() url.Values {
	query, err := url.ParseQuery(v.query)
	if err != nil {
		return url.Values{} // asked wrote it, so that this does not happen
	}
	return query
}

// liveAt is the address of the stream of a page.
func liveAt(r *http.Request, v view) string {
	at := url.URL{Path: "/live" + r.URL.Path, RawQuery: v.query}
	return at.String()
}
