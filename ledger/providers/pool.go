// Package providers asks several RPC nodes of one cluster and compares what they say. A provider is
// an RPC node at a URL.
//
// An answer that money or a signature depends on (accounts with the chain's clock, the genesis
// hash, final transactions) counts only if all providers that answer agree. If they do not, the
// providers that other judges offer are asked, too: then the larger side counts if it has one of
// the node's own providers and one of another judge, and the others are left out and named. If
// nobody settles it, the read fails with errContradiction, so that nothing is signed on it. One
// provider is asked as before, and its word counts. If none of the node's own answers, those of
// other judges count if all agree and more than a third of the stake offers them, because a court
// holds as long as no third of it lies.
package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ojud/ledger/rpc"
)

// errContradiction means that the providers contradict each other, and nobody settles it. It is an
// ErrAnswer: a later read may succeed.
var errContradiction = fmt.Errorf("%w: the RPC nodes contradict each other", rpc.ErrAnswer)

const (
	// MaxOwn bounds the providers of a node.
	MaxOwn = 8
	// maxGuests bounds the providers of other judges that one question goes to.
	maxGuests = 5
	// maxAlone bounds them if none of the own answers.
	maxAlone = 32
	// grace is how long a provider may take longer than the first one that answers.
	grace = 3 * time.Second
	// calm is how long providers may differ before those of other judges are asked: blocks reach
	// them at different times.
	calm = 2 * time.Second
	// giveUp is how long a question is asked before the providers count as contradicting each
	// other.
	giveUp = 7 * time.Second
	// leastBetween and mostBetween bound the time between two rounds of one question. It doubles.
	leastBetween, mostBetween = 300 * time.Millisecond, 1200 * time.Millisecond
	// leastAbsence and mostAbsence bound how long a provider that fails is left out. The time
	// doubles.
	leastAbsence, mostAbsence = 15 * time.Second, 10 * time.Minute
	// remembered is how long a contradiction is told to the operator after it was last seen.
	remembered = 2 * time.Minute
	// remind is the interval at which a lasting fault is logged again.
	remind = time.Hour
)

// Connections is how a Pool reaches providers, and what it tells.
type Connections struct {
	// Open makes a caller of a URL.
	Open func(url string) (*rpc.Caller, error)
	// Offered returns what other judges offer, each URL once, in an order of chance. Nil: none.
	Offered func() []Guest
	// Visit makes a caller of a URL that another judge offers. A stranger chose it. Nil: Open.
	Visit   func(url string) (*rpc.Caller, error)
	Logger  *slog.Logger
	Metrics *Metrics
}

// Guest is the provider of other judges.
type Guest struct {
	URL string
	// Share is the part of the court's stake whose judges offer it, 0 to 1. Each judge counts once.
	Share float64
}

// provider is one of a Pool. The Pool's mutex guards the fields below share.
type provider struct {
	caller *rpc.Caller
	url    string
	name   string
	guest  bool
	share  share // of a guest: what stands behind it

	state string
	note  string
	fails int
	until time.Time // it is left out until then
	said  time.Time // when its fault was logged last
}

// share is a part of the court's stake, 0 to 1. It changes while comparisons read it.
type share struct{ bits atomic.Uint64 }

func (s *share) set(part float64) { s.bits.Store(math.Float64bits(part)) }
func (s *share) part() float64    { return math.Float64frombits(s.bits.Load()) }

// Pool asks providers. Its methods may be called from several goroutines.
type Pool struct {
	own  []*provider
	cfg  rpc.Calls
	deps Connections
	turn atomic.Uint64 // whose turn it is with what one provider answers

	mu     sync.Mutex
	guests map[string]*provider // by URL
	agreed agreedTime
	open   struct { // the last contradiction that nobody settled
		text     string
		at, said time.Time
	}
}

// New makes a pool of the providers at these URLs, of which the first is preferred.
func New(urls []string, cfg rpc.Calls, d Connections) (*Pool, error) {
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	if d.Visit == nil {
		d.Visit = d.Open
	}
	if d.Metrics == nil {
		d.Metrics = NewMetrics("")
	}
	p := &Pool{cfg: cfg, deps: d, guests: map[string]*provider{}}
	named := map[string]int{}
	for _, u := range urls {
		caller, err := d.Open(u)
		if err != nil {
			return nil, err
		}
		v := &provider{caller: caller, url: u, name: caller.Host(), state: Good}
		if named[v.name]++; named[v.name] > 1 {
			v.name = fmt.Sprintf("%s (%d)", v.name, named[v.name])
		}
		p.own = append(p.own, v)
	}
	return p, nil
}

// Several reports whether answers are compared.
func (p *Pool) Several() bool { return len(p.own) > 1 }

// Host names the providers, for messages.
func (p *Pool) Host() string { return names(p.own) }

func names(all []*provider) string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = v.name
	}
	slices.Sort(out)
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " and " + out[n-1]
	}
	return strings.Join(out, "")
}

// Trouble and Doubt are those of the only provider. With several, a provider that serves another
// chain is found by comparison.
func (p *Pool) Trouble() uint64 {
	if p.Several() {
		return 0
	}
	return p.own[0].caller.Trouble()
}

// Doubt counts one more trouble.
func (p *Pool) Doubt() { p.own[0].caller.Doubt() }

// Preferred is the URL of the first provider that is not left out.
func (p *Pool) Preferred() string {
	for _, v := range p.own {
		if !p.leftOut(v) {
			return v.url
		}
	}
	return p.own[0].url
}

// List returns the state of each provider: the node's own, and those of other judges that were
// asked.
func (p *Pool) List() []Provider {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Clone(p.own)
	for _, u := range sortedKeys(p.guests) {
		all = append(all, p.guests[u])
	}
	out := make([]Provider, len(all))
	for i, v := range all {
		out[i] = Provider{Host: v.name, State: v.state, Note: v.note, Guest: v.guest}
	}
	return out
}

// Problems says what an operator should know: providers that are left out, and contradictions.
func (p *Pool) Problems() (out []string) {
	if !p.Several() {
		return nil
	}
	for _, v := range p.List() {
		if v.State != Good && !v.Guest {
			out = append(out, "RPC node "+v.String())
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open.text != "" && time.Since(p.open.at) < remembered {
		out = append(out, p.open.text)
	}
	return out
}

// Call asks as package rpc's Caller does. See the package comment for what counts.
func (p *Pool) Call(ctx context.Context, method string, params []any, out any, check func() error, final ...error) error {
	q := question{method: method, params: params, least: leastSlot(params), clock: clockAt(method, params)}
	if v := p.own[0]; !p.Several() && (p.deps.Offered == nil || !p.leftOut(v)) {
		err := v.caller.Call(ctx, method, params, out, check, final...)
		if err == nil {
			p.praise(v)
		}
		if !p.lost(ctx, err) {
			return err
		}
		p.leave(v, silent, err.Error())
	}
	switch {
	case q.compared():
		return p.compare(ctx, q, out, check)
	case merges[method] != nil:
		return p.merge(ctx, q, out, check)
	}
	return p.any(ctx, q, out, check, final)
}

// lost reports whether the only provider is out of reach, and enough stake stands behind others.
func (p *Pool) lost(ctx context.Context, err error) bool {
	out := errors.Is(err, rpc.ErrUnavailable) || errors.Is(err, rpc.ErrRateLimited)
	return out && ctx.Err() == nil && trusted(p.visit(maxAlone))
}

// Once makes one attempt. A transaction goes to all providers, anything else to one.
func (p *Pool) Once(ctx context.Context, method string, params []any, out any) (time.Duration, error) {
	if method != "sendTransaction" {
		return p.usable()[0].caller.Once(ctx, method, params, out)
	}
	to := p.own // those that are left out, too: a transaction does no harm there
	if len(p.present()) == 0 {
		to = append(slices.Clone(to), p.visit(maxGuests)...)
	}
	raw, err := firstGood(p.ask(ctx, to, question{method: method, params: params}, false))
	if err != nil {
		return 0, err
	}
	return 0, decode(raw, method, out)
}

// firstGood returns the first answer that is none but an error, or else the first error.
func firstGood(all []answer) (json.RawMessage, error) {
	for _, a := range all {
		if a.err == nil {
			return a.raw, nil
		}
	}
	return nil, all[0].err
}

// leftOut reports whether a provider is left out at present.
func (p *Pool) leftOut(v *provider) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Before(v.until)
}

// present returns the own providers that are not left out.
func (p *Pool) present() (out []*provider) {
	for _, v := range p.own {
		if !p.leftOut(v) {
			out = append(out, v)
		}
	}
	return out
}

// usable returns the providers to ask: the own ones that are not left out; if all are, those of
// other judges; and if these are too few, the own ones that are not refuted.
func (p *Pool) usable() []*provider {
	if out := p.present(); len(out) > 0 {
		return out
	}
	if guests := p.visit(maxAlone); trusted(guests) {
		return guests
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*provider
	for _, v := range p.own {
		if v.state != lying {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return p.own
	}
	return out
}

// trusted reports whether more than a third of the court's stake stands behind guests.
func trusted(guests []*provider) bool {
	share := 0.0
	for _, v := range guests {
		share += v.share.part()
	}
	return share > 1.0/3
}

// visit returns providers of other judges that are not left out, none of them an own one, and no
// more than most.
func (p *Pool) visit(most int) (out []*provider) {
	if p.deps.Offered == nil {
		return nil
	}
	taken := map[string]bool{}
	for _, v := range p.own {
		taken[v.caller.Host()] = true
	}
	offered := p.deps.Offered()
	p.mu.Lock()
	defer p.mu.Unlock()
	for known := range p.guests {
		if !slices.ContainsFunc(offered, func(o Guest) bool { return o.URL == known }) {
			delete(p.guests, known)
		}
	}
	for _, o := range offered {
		u := o.URL
		v := p.guests[u]
		if v == nil {
			at, err := url.Parse(u)
			if err != nil || taken[at.Host] {
				continue
			}
			caller, err := p.deps.Visit(u)
			if err != nil {
				continue // a stranger wrote it
			}
			v = &provider{caller: caller, url: u, name: caller.Host(), guest: true, state: Good}
		}
		if taken[v.caller.Host()] || time.Now().Before(v.until) {
			continue
		}
		v.share.set(o.Share)
		taken[v.caller.Host()], p.guests[u] = true, v
		if out = append(out, v); len(out) == most {
			break
		}
	}
	return out
}
