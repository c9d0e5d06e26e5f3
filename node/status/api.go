package status

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/node/agents"
	"ojud/node/brainview"
	"ojud/node/evidence"
	"ojud/node/market"
	"ojud/node/record"
	"ojud/node/why"
	"ojud/voting"
)

// These files of a home tell how to reach the API of a running node. Each start makes a new key.
const (
	addrFile = "api"
	keyFile  = "api.key"
)

// APIConfig is the settings of the HTTP server: health, metrics, state and case files, and
// questions to peers. Case files and questions take the word in the home's file api.key. The rest
// has no password, so keep the server on this machine.
type APIConfig struct {
	// Listen is host:port; port 0 takes a free one, and the file "api" in the home says which.
	// "off": no server.
	Listen string `koanf:"listen"`
	// Hosts are further host names of the server in requests, without port. It always answers to
	// localhost, to loopback addresses and to the address at which it listens.
	Hosts []string `koanf:"hosts"`
	// Timeout bounds reading a request and writing its response.
	Timeout time.Duration `koanf:"request_timeout"`
	// Profiles serves profiles of the running node below /debug/pprof, to those who show the word
	// in the file "api.key" of the home.
	Profiles bool `koanf:"pprof"`
}

// Validate names the first field that is out of its range.
func (c APIConfig) Validate() error {
	if c.Timeout < time.Second || c.Timeout > 10*time.Minute {
		return fmt.Errorf("request_timeout is %s; set it to 1s to 10m", c.Timeout)
	}
	for _, name := range c.Hosts {
		if name == "" || strings.ContainsAny(name, "/ ") || net.ParseIP(name) == nil && strings.Contains(name, ":") {
			return fmt.Errorf("hosts has %q, must be a name or an address without scheme and port", name)
		}
	}
	if c.Listen == off {
		return nil
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf(`listen is %q, must be host:port or "off"`, c.Listen)
	}
	return nil
}

// off as the listening address means that there is no server.
const off = "off"

// caseReader is the source of the API's answers about cases.
type caseReader interface {
	Case(ctx context.Context, task voting.Key) (record.CaseStatus, error)
	Panel(ctx context.Context, task voting.Key) (record.PanelStatus, error)
	Export(ctx context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error)
	Why(task, judge voting.Key) (why.Explanation, error)
}

// dataAsker is the source of the API's answers about data.
type dataAsker interface {
	Query(ctx context.Context, q evidence.Query, only *casefile.DID) (evidence.QueryResult, error)
	Holders(ctx context.Context, source string) []evidence.Holding
	Payments(ctx context.Context) (evidence.Payments, error)
}

// agentLister is the source of the API's answers about agents.
type agentLister interface {
	Read(ctx context.Context) (agents.Directory, error)
	Agent(ctx context.Context, authority voting.Key) (agents.Profile, error)
}

// taskLister is the source of the API's answers about tasks.
type taskLister interface {
	Latest(ctx context.Context) (market.Market, error)
}

// thinker is the source of the API's answers about MegaBrain.
type thinker interface {
	Tasks(ctx context.Context) (brainview.List, error)
	Task(ctx context.Context, at onchain.Address) (brainview.Detail, error)
	Members(ctx context.Context) ([]brainview.Membership, error)
	MembersOf(ctx context.Context, class onchain.Address) ([]brainview.Membership, error)
}

// APIDeps are the dependencies of the API.
type APIDeps struct {
	Dir      string // home; the address and the key of the API are written there
	Reporter *Reporter
	Records  caseReader
	Evidence dataAsker
	Agents   agentLister
	Market   taskLister
	Brain    thinker
	Pages    pages
	Metrics  *prometheus.Registry
	Log      *slog.Logger
}

// pages are what people look at.
type pages interface {
	// Routes adds the pages to the routes of the API.
	Routes(mux *http.ServeMux)
}

// API is the HTTP server of a node.
type API struct {
	cfg  APIConfig
	d    APIDeps
	key  string
	room chan struct{} // for requests that need the key
}

// NewAPI returns a server with a new key. Run starts it.
func NewAPI(cfg APIConfig, d APIDeps) *API {
	return &API{cfg: cfg, d: d, key: rand.Text(), room: make(chan struct{}, guardedAtOnce)}
}

// Key returns the word that a request must show for routes that are not open to every program on
// this machine.
func (a *API) Key() string { return a.key }

// Run serves until ctx ends.
func (a *API) Run(ctx context.Context) error {
	if a.cfg.Listen == off {
		return nil
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", a.cfg.Listen)
	if err != nil {
		return fmt.Errorf("node: api.listen: %w", err)
	}
	server := &http.Server{
		Handler: a.Handler(), ReadTimeout: a.cfg.Timeout, WriteTimeout: a.cfg.Timeout, ReadHeaderTimeout: a.cfg.Timeout, MaxHeaderBytes: 16 << 10,
	}
	remove, err := a.publish(listener.Addr().String())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := server.Shutdown(late); err != nil {
			a.d.Log.Debug("api", "err", errors.Join(err, server.Close()))
		}
	})
	defer stop()
	err = server.Serve(listener)
	if gone := remove(); gone != nil {
		a.d.Log.Warn("a file of the api stays behind", "err", gone)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("node: api: %w", err)
}

// publish writes the address and the key into the home. The returned function removes them.
func (a *API) publish(addr string) (remove func() error, err error) {
	remove = func() error {
		return errors.Join(os.Remove(filepath.Join(a.d.Dir, addrFile)), os.Remove(filepath.Join(a.d.Dir, keyFile)))
	}
	if err := durable.WriteFile(filepath.Join(a.d.Dir, keyFile), []byte(a.key+"\n")); err != nil {
		return remove, err
	}
	return remove, durable.WriteFile(filepath.Join(a.d.Dir, addrFile), []byte(addr+"\n"))
}

func (a *API) reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		a.d.Log.Debug("api: answer not written", "err", err)
	}
}

func (a *API) refuse(w http.ResponseWriter, code int, text string) {
	a.reply(w, code, map[string]string{"error": text})
}
