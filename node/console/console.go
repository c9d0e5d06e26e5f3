package console

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/casefile/page"
	"ojud/casefile/picture"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/node/agents"
	"ojud/node/brainview"
	"ojud/node/follow"
	"ojud/node/market"
	"ojud/node/status"
	"ojud/voting"
)

//go:embed assets
var assets embed.FS

// policy is the Content-Security-Policy of every page: nothing inline, nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Console serves the pages of a court.
type Console struct {
	source Scenery
	log    *slog.Logger
	live   *follow.Pages[view]
	room   chan struct{} // for requests

	once      sync.Once
	templates *template.Template
	versions  map[string]string // of assets: the first bytes of their hash
	files     map[string][]byte // that pages name
	broken    error             // why the templates cannot be read
	// unverified says why there is no verifier for browsers; nil: there is one.
	unverified error

	mu       sync.Mutex
	past     map[voting.Key]picture.Row // of cases that nothing will change
	scenes   map[voting.Key]keptScene   // that were looked at last
	subjects map[casefile.Digest]string // of tasks
	rest     *time.Timer                // forgets all three when nobody looks any more

	replays shelf
	answers
}

// answers are what the chain and the disk said last.
type answers struct {
	findings  kept[[]status.Finding]
	laws      kept[*law.Rules]
	offers    kept[market.Market]
	directory kept[agents.Directory]
	asked     kept[[]DataRequest]
	brain     thoughtful
}

// New returns the pages of a source. It reads the templates at the first request.
func New(source Scenery, log *slog.Logger) *Console {
	c := &Console{source: source, log: log, room: make(chan struct{}, maxAtOnce), past: map[voting.Key]picture.Row{}, scenes: map[voting.Key]keptScene{}, subjects: map[casefile.Digest]string{}}
	c.brain.of = source.Brain()
	c.live = &follow.Pages[view]{Draw: c.follows(c.render, c.execute), Changed: source.Changed, Idle: idleTime}
	return c
}

// Routes adds the pages to a server that has checked the Host and the Origin of each request.
func (c *Console) Routes(mux *http.ServeMux) {
	for path, which := range map[string]func(*http.Request) (view, error){
		"/{$}": only("court"), "/case/{case}": caseView, "/judge": only("judge"), "/judge/{judge}": judgeView,
		"/network": only("network"), "/doctor": only("doctor"), "/rules": only("rules"),
		"/brain": asked("brain", func(url.Values) map[string]string { return nil }), "/brain/{task}": thoughtView,
		"/market": asked("market", func(query url.Values) map[string]string { return wishOf(query).query() }), "/sources": only("sources"), "/agents": asked("agents", soughtAgents), "/agent/{agent}": agentView,
	} {
		mux.HandleFunc("GET "+path, c.guard(c.page(which)))
		mux.HandleFunc("GET /live"+path, c.guard(c.stream(which)))
	}
	mux.HandleFunc("GET /case/{case}/file", c.guard(c.caseFile))
	mux.HandleFunc("GET /case/{case}/image/{hash}", c.guard(c.image))
	mux.HandleFunc("GET /case/{case}/page", c.guard(c.casePage))
	mux.HandleFunc("GET /case/{case}/replay", c.guard(c.replayPage))
	mux.HandleFunc("GET /case/{case}/replay/frame", c.guard(c.replayFrame))
	mux.HandleFunc("GET /agent/{agent}/card", c.guard(c.agentCard))
	mux.HandleFunc("GET /task/{task}", c.guard(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/case/"+url.PathEscape(r.PathValue("task")), http.StatusSeeOther)
	}))
	mux.HandleFunc("GET /verify", c.guard(c.verify))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			http.NotFound(w, r) // a program asked, which reads no page
			return
		}
		c.guard(missing(c))(w, r)
	})
	mux.HandleFunc("GET /assets/{file}", c.guard(c.asset))
}

// guard serves a request only if it comes from this machine, to a loopback address: pages show the
// documents of parties, and have no password.
func (c *Console) guard(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if follow.Foreign(r) {
			c.fail(w, http.StatusForbidden, "Pages of other sites cannot have this one in them.")
			return
		}
		if !loopback(r.RemoteAddr) || !loopback(r.Host) {
			c.fail(w, http.StatusForbidden, "The pages are shown only on the machine of the node. From elsewhere, take an SSH tunnel: "+
				"ssh -L 8080:ADDRESS-IN-THE-FILE-api HOST, then open http://127.0.0.1:8080/")
			return
		}
		select {
		case c.room <- struct{}{}:
			defer func() { <-c.room }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "The node is busy with other pages. Reload this one.", http.StatusServiceUnavailable)
			return
		}
		serve(w, r)
	}
}

// maxAtOnce bounds the requests that are answered at the same time, viewers included.
const maxAtOnce = follow.MaxViewers + 16

// loopback reports whether host:port or a host is this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// page serves a whole page.
func (c *Console) page(which func(*http.Request) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := which(r)
		var body []byte
		if err == nil {
			body, err = c.render(v)
		}
		if err != nil {
			c.failed(w, err)
			return
		}
		c.write(w, http.StatusOK, frame{
			Title: title(v), Page: v.place(c.source.Court().Self), Live: liveAt(r, v), Version: follow.Version(body), Body: template.HTML(body), //nolint:gosec // the templates escaped it
		})
	}
}

// frame is what is around each page.
type frame struct {
	Title string
	Page  string // its template; empty: it is none
	Live  string // address of the page's stream; empty: it has none
	// Version names the picture that the page has, so that the stream leaves it out.
	Version string
	// Replay: it shows the file of a case step by step. Back is the page that it belongs to.
	Replay bool
	Back   string
	// Verifier: it verifies files in the browser.
	Verifier bool
	Value    *picture.Value // of the court's SOL; nil: there is no court
	Body     template.HTML
	Menu     []place // at the top
	Beside   []place // pages of the same kind
}

// whole serves a page of a template with its frame.
func (c *Console) whole(w http.ResponseWriter, name string, data any, f frame) {
	var out bytes.Buffer
	if err := errors.Join(c.still(&out), c.execute(&out, name, data)); err != nil {
		c.failed(w, err)
		return
	}
	f.Body = template.HTML(out.Bytes()) //nolint:gosec // the templates escaped it
	c.write(w, http.StatusOK, f)
}

// part serves what is inside a page.
func (c *Console) part(w http.ResponseWriter, name string, data any) {
	var out bytes.Buffer
	if err := c.execute(&out, name, data); err != nil {
		c.failed(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, err := w.Write(out.Bytes()); err != nil {
		c.log.Debug("console: page not written", "err", err)
	}
}

// write writes a page with its frame.
func (c *Console) write(w http.ResponseWriter, code int, f frame) {
	if genesis := c.source.Court().Chain; genesis != (onchain.Hash{}) {
		value := picture.ValueOf(genesis)
		f.Value = &value
	}
	f.Menu, f.Beside = menu(f.Page)
	var out bytes.Buffer
	if err := c.execute(&out, "frame", f); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	if _, err := w.Write(out.Bytes()); err != nil {
		c.log.Debug("console: page not written", "err", err)
	}
}

// failed answers with the reason why there is no page.
func (c *Console) failed(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, casefile.ErrNoCase):
		c.fail(w, http.StatusNotFound, "This node never followed that case, and knows no such task in the market.")
	case errors.Is(err, errOpen):
		c.fail(w, http.StatusConflict, "This case is not over. It can be played again when it is.")
	case errors.Is(err, errNoJudge):
		c.fail(w, http.StatusNotFound, "This court has no such judge, as far as this node knows.")
	case errors.Is(err, errNoImage):
		c.fail(w, http.StatusNotFound, "This case has no such picture, or it is too large to be shown.")
	case errors.Is(err, brainview.ErrNone):
		c.fail(w, http.StatusNotFound, "The chain has no such task of MegaBrain. A task that is over may be closed.")
	case errors.Is(err, agents.ErrNone):
		c.fail(w, http.StatusNotFound, "This court has no such agent.")
	case errors.Is(err, errNoCard):
		c.fail(w, http.StatusNotFound, "The card of this agent is not here: "+err.Error()+".")
	case errors.Is(err, page.ErrNoVerifier):
		c.fail(w, http.StatusNotImplemented, noVerifier)
	case errors.Is(err, errName):
		c.fail(w, http.StatusNotFound, "There is no such page: "+err.Error()+".")
	default:
		c.log.Warn("console", "err", err)
		c.fail(w, http.StatusInternalServerError, "The node cannot show this page: "+err.Error())
	}
}

func (c *Console) fail(w http.ResponseWriter, code int, text string) {
	var out bytes.Buffer
	if err := c.execute(&out, "failure", picture.Line(text)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	c.write(w, code, frame{Title: http.StatusText(code), Body: template.HTML(out.Bytes())}) //nolint:gosec // the templates escaped it
}

// render returns what a page shows, without its frame.
func (c *Console) render(v view) ([]byte, error) {
	c.used()
	data, err := c.data(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	name := v.name
	if _, early := data.(comingPage); early {
		name = "coming"
	}
	err = errors.Join(c.still(&out), c.execute(&out, name, data))
	return out.Bytes(), err
}

// still says that the chain stands still, if it does.
func (c *Console) still(out *bytes.Buffer) error {
	still := c.source.Still()
	if still == "" {
		return nil
	}
	return c.execute(out, "still", picture.Line(still))
}

// keepTime is how long what was read is kept after the last look.
const keepTime = time.Minute

// used notes that somebody looks. When nobody does for a while, the pages take no memory.
func (c *Console) used() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rest == nil {
		c.rest = time.AfterFunc(keepTime, c.forget)
		return
	}
	c.rest.Reset(keepTime)
}

// forget drops what was read for pages that nobody looks at.
func (c *Console) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replays.clear()
	c.past, c.scenes, c.subjects = map[voting.Key]picture.Row{}, map[voting.Key]keptScene{}, map[casefile.Digest]string{}
}

// data returns what the template of a page is filled in with.
func (c *Console) data(v view) (any, error) {
	switch v.name {
	case "case":
		p, err := c.show(v.key)
		if errors.Is(err, casefile.ErrNoCase) {
			return c.before(v.key, c.source)
		}
		return p, err
	case "judge":
		return c.judge(v.key)
	case "network":
		return c.network(), nil
	case "doctor":
		return c.doctor(), nil
	case "rules":
		return c.law(), nil
	case "market":
		return c.market(v.values()), nil
	case "sources":
		return c.sources(), nil
	case "agents":
		return c.agents(v.values()), nil
	case "agent":
		return c.agent(v.key)
	case "brain":
		return c.brain.page(v.values()), nil
	case "thought":
		return c.brain.one(casefile.Address(v.key))
	}
	return c.court(), nil
}

const (
	maxScenes = 8 // cases that are kept for further looks
	// recordTime is how old the record of a case on a page may be. The chain's account on it is of
	// now, and says everything that happens in a burst of votes.
	recordTime = 250 * time.Millisecond
)

// keptScene is a case that was read, and when.
type keptScene struct {
	picture.Scene
	at time.Time
}

// scene returns what the node knows of a case. A case that nothing will change is read once. Of
// another one the record is read a few times a second at most, because that takes longest.
func (c *Console) scene(task voting.Key) (picture.Scene, error) {
	c.mu.Lock()
	known, ok := c.scenes[task]
	c.mu.Unlock()
	if ok && known.Archived {
		return known.Scene, nil
	}
	if ok && time.Since(known.at) < recordTime {
		if s, followed := c.source.Glance(task); followed {
			s.Keep(known.Scene)
			return s, nil
		}
	}
	s, err := c.source.Case(task)
	if err != nil {
		return s, err
	}
	s.Remember()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.scenes) >= maxScenes {
		clear(c.scenes)
	}
	c.scenes[task] = keptScene{s, time.Now()}
	return s, nil
}

// execute fills in a template.
func (c *Console) execute(out *bytes.Buffer, name string, data any) error {
	c.once.Do(c.open)
	if c.broken != nil {
		return c.broken
	}
	return c.templates.ExecuteTemplate(out, name, data)
}
