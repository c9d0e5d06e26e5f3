package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent"
)

// Deps are optional dependencies of a ladder.
type Deps struct {
	Env       func(string) (string, bool) // nil: the process's environment, for ${env:NAME}
	Dir       string                      // of relative paths in ${file:PATH} and Tape.Dir
	Transport http.RoundTripper           // nil: its own connections; tests use one without sockets
	Log       *slog.Logger                // nil: no log
	Metrics   prometheus.Registerer       // nil: no metrics
}

// Ladder has the owner's models in the order of use. It is an agent.Model whose every call has a
// full budget; use a Session for the calls of one case.
type Ladder struct {
	config Config
	rungs  []*rung
	own    *http.Transport // nil if Deps brought one
	log    *slog.Logger
}

var _ agent.Model = (*Ladder)(nil)

// New makes a ladder of at least one model. It asks no server and reads no key. Close it.
func New(cfg Config, deps Deps) (*Ladder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(cfg.Models) == 0 {
		return nil, errors.New("model: list is empty; name at least one model")
	}
	t, err := newTape(cfg.Tape, deps.Dir)
	if err != nil {
		return nil, err
	}
	m, err := newCounts(deps.Metrics)
	if err != nil {
		return nil, err
	}
	deps = deps.whole()
	l := &Ladder{config: cfg, log: deps.Log}
	if deps.Transport == nil {
		l.own = newTransport()
		deps.Transport = l.own
	}
	for _, e := range cfg.Models {
		l.rungs = append(l.rungs, newRung(e.whole(), cfg.Retries, t, deps, m))
	}
	return l, nil
}

func (d Deps) whole() Deps {
	if d.Env == nil {
		d.Env = os.LookupEnv
	}
	d.Log = cmp.Or(d.Log, slog.New(slog.DiscardHandler))
	return d
}

func newRung(e Endpoint, retries int, t *tape, deps Deps, m *counts) *rung {
	d := dialectOf(e.Provider)
	k := &key{ref: e.Key, env: deps.Env, dir: deps.Dir}
	return &rung{entry: e, dialect: d, key: k, quiet: t != nil, over: t.over(e.Name, newWire(deps.Transport, k, d.authorize)), retries: retries, wait: t.pause(),
		log: deps.Log, metrics: m, lowered: map[[32]byte]string{}}
}

// Close closes idle connections. Calls in progress end with their contexts.
func (l *Ladder) Close() error {
	if l.own != nil {
		l.own.CloseIdleConnections()
	}
	return nil
}

// Name lists the models, in at most 128 bytes. The reply says which one answered.
func (l *Ladder) Name() string {
	var all []string
	for _, r := range l.rungs {
		all = append(all, r.entry.Name)
	}
	name := strings.Join(all, ",")
	for kept := len(all) - 1; len(name) > 128; kept-- {
		name = fmt.Sprintf("%s,+%d", strings.Join(all[:kept], ","), len(all)-kept)
	}
	return name
}

// Families returns the families of the models, each once, in their order, without empty ones.
func (l *Ladder) Families() []string {
	var out []string
	for _, r := range l.rungs {
		if f := r.entry.Family; f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Generate implements agent.Model.
func (l *Ladder) Generate(ctx context.Context, p agent.Prompt) (agent.Reply, error) {
	return l.Session(l.config.Budget).Generate(ctx, p)
}

// order returns the models that can handle a prompt, those that rest after faults last.
func (l *Ladder) order(p agent.Prompt, now time.Time) []*rung {
	var fresh, resting []*rung
	for _, r := range l.rungs {
		switch {
		case len(p.Tools) > 0 && !r.canCall():
		case r.pace.resting(now):
			resting = append(resting, r)
		default:
			fresh = append(fresh, r)
		}
	}
	if len(p.Besides) > 0 {
		slices.SortStableFunc(fresh, kinship(p.Besides))
	}
	return append(fresh, resting...)
}

// kinship puts models of other families than some before those of these. Models without a name of
// their family may be of any.
func kinship(families []string) func(a, b *rung) int {
	own := func(r *rung) int {
		if r.entry.Family == "" || slices.Contains(families, "") || slices.Contains(families, r.entry.Family) {
			return 1
		}
		return 0
	}
	return func(a, b *rung) int { return own(a) - own(b) }
}
