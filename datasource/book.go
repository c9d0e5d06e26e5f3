package datasource

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"ojud/casefile"
	"ojud/datasource/kind"
	"ojud/voting"
)

// Answer is a source's answer to a request.
type Answer struct {
	Source    string
	Card      voting.Hash     // of the card in force, which names the terms
	Body      json.RawMessage // canonical JSON, at most MaxAnswer bytes; do not change it
	Hash      voting.Hash     // of Body
	FetchedAt time.Time       // when the upstream was asked
	Cached    bool            // it was fetched for an earlier request
}

// Deps are a book's dependencies on the node.
type Deps struct {
	Log     *slog.Logger          // nil: nothing is logged
	Metrics prometheus.Registerer // nil: no metrics
	// Home is the node's home, the folder of relative paths in settings.
	Home string
	// RPC is the node's Solana RPC URL, for sources that name none.
	RPC string
	// Open opens upstreams; nil is kind.Open.
	Open func(Source) (kind.Upstream, error)
}

// Book holds the sources of a home. Close it.
type Book struct {
	cfg     Config
	deps    Deps
	dir     string
	metrics *counts
	cache   *cache
	flights singleflight.Group
	changes chan struct{}

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup // the poller, and upstreams that are being closed

	loading sync.Mutex // one load at a time
	stamps  map[string]stamp
	version uint64

	mu      sync.RWMutex
	entries map[string]*entry
	broken  map[string]error // by file
}

// New opens the book of a home and loads its files. Broken files are no error; see Broken.
func New(cfg Config, deps Deps) (*Book, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	deps.Log = cmp.Or(deps.Log, slog.New(slog.DiscardHandler))
	m, err := newCounts(deps.Metrics)
	if err != nil {
		return nil, err
	}
	b := &Book{cfg: cfg, deps: deps, dir: cfg.Dir, metrics: m, cache: newCache(cfg.CacheBytes), changes: make(chan struct{}, 1),
		stamps: map[string]stamp{}, entries: map[string]*entry{}, broken: map[string]error{}}
	if !filepath.IsAbs(b.dir) {
		b.dir = filepath.Join(deps.Home, b.dir)
	}
	if b.deps.Open == nil {
		b.deps.Open = b.open
	}
	b.life, b.end = context.WithCancel(context.Background())
	if err := b.Reload(); err != nil {
		b.end()
		m.Unregister(deps.Metrics)
		return nil, err
	}
	b.work.Go(b.poll)
	return b, nil
}

func (b *Book) open(s Source) (kind.Upstream, error) {
	return kind.Open(s.Upstream, kind.Env{Log: b.deps.Log.With("source", s.Name), Dir: b.deps.Home, Work: b.dir, RPC: b.deps.RPC, MaxBytes: s.Limits.Bytes})
}

// Close ends everything that the book started, and waits for it. Requests under way fail.
func (b *Book) Close() error {
	b.end()
	b.loading.Lock() // a load under way ends first, and none begins after it
	b.mu.Lock()
	entries := b.entries
	b.entries = map[string]*entry{}
	b.mu.Unlock()
	b.loading.Unlock()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		errs = append(errs, entries[name].retire())
	}
	b.work.Wait()
	b.metrics.Unregister(b.deps.Metrics)
	return errors.Join(errs...)
}

// Changes returns a channel that reports changed cards. It may report several changes once.
func (b *Book) Changes() <-chan struct{} { return b.changes }

// Cards returns the cards of all sources, by name.
func (b *Book) Cards() []Card {
	b.mu.RLock()
	defer b.mu.RUnlock()
	cards := make([]Card, 0, len(b.entries))
	for _, name := range slices.Sorted(maps.Keys(b.entries)) {
		cards = append(cards, b.entries[name].Card())
	}
	return cards
}

// Card returns the card of one source.
func (b *Book) Card(name string) (Card, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	e, ok := b.entries[name]
	if !ok {
		return Card{}, false
	}
	return e.Card(), true
}

// Broken returns the unusable files with their errors. A source that was good stays.
func (b *Book) Broken() map[string]error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return maps.Clone(b.broken)
}

// Failing returns the sources whose last call failed, and those without a usable file, each with
// fixed words about it. A request that cannot be answered is no fault of its source.
func (b *Book) Failing() map[string]string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := map[string]string{}
	for file := range b.broken {
		out[strings.TrimSuffix(filepath.Base(file), suffix)] = "its file cannot be used"
	}
	for name, e := range b.entries {
		if why := e.fault.Load(); why != nil {
			out[name] = *why
		}
	}
	return out
}

// Describe asks for the upstream's own description, or returns errors.ErrUnsupported.
func (b *Book) Describe(ctx context.Context, name string) (kind.Tool, error) {
	e, upstream, err := b.use(name)
	if err != nil {
		return kind.Tool{}, err
	}
	defer e.release()
	d, ok := upstream.(kind.Describer)
	if !ok {
		return kind.Tool{}, errors.ErrUnsupported
	}
	ctx, cancel := context.WithTimeout(ctx, e.Limits.Timeout())
	defer cancel()
	stop := context.AfterFunc(b.life, cancel)
	defer stop()
	return d.Describe(ctx)
}

// use holds a source and opens its upstream.
func (b *Book) use(name string) (*entry, kind.Upstream, error) {
	b.mu.RLock()
	e, ok := b.entries[name]
	b.mu.RUnlock()
	if !ok || !e.hold() {
		return nil, nil, fmt.Errorf("%w: %.64q", ErrUnknown, name)
	}
	upstream, err := e.open(b.deps.Open)
	if err != nil {
		e.release()
		return nil, nil, err
	}
	return e, upstream, nil
}

// Answer asks a source outside of any case.
func (b *Book) Answer(ctx context.Context, name string, request []byte) (Answer, error) {
	return b.AnswerIn(ctx, casefile.Address{}, name, request)
}

// AnswerIn asks a source for a case; the zero task is none. Equal requests of one case at the same
// time cause one call of the upstream, and an answer that is fresh by the source's promise is
// returned again. What was asked for elsewhere is not: whoever asked first, such as a party of the
// case, would choose the moment of the judges' answer. If ctx ends, the call goes on within the
// source's own limit, because others may wait for it. Errors are of the classes of this package, or
// ctx's.
func (b *Book) AnswerIn(ctx context.Context, task casefile.Address, name string, request []byte) (Answer, error) {
	b.mu.RLock()
	e, ok := b.entries[name]
	b.mu.RUnlock()
	if !ok {
		return Answer{}, fmt.Errorf("%w: %.64q", ErrUnknown, name)
	}
	answer, err := b.ask(ctx, e, task, request)
	b.metrics.answered(name, answer, err)
	return answer, err
}

func (b *Book) ask(ctx context.Context, e *entry, task casefile.Address, raw []byte) (Answer, error) {
	request, err := e.shape.Request(ctx, raw)
	if err != nil {
		return Answer{}, err
	}
	hash := casefile.HashOf(request)
	key := fmt.Sprintf("%d/%x/%x", e.version, task, hash)
	if answer, ok := b.cache.get(key); ok {
		return answer, nil
	}
	result := b.flights.DoChan(key, func() (any, error) { return b.fetch(e, key, request, task == casefile.Address{}) })
	select {
	case r := <-result:
		if r.Err != nil {
			return Answer{}, r.Err
		}
		return r.Val.(Answer), nil
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// fetch asks the upstream once for all askers of the same request.
func (b *Book) fetch(e *entry, key string, request json.RawMessage, outside bool) (Answer, error) {
	if !e.hold() {
		return Answer{}, fmt.Errorf("%w: the source was changed or removed", ErrDown)
	}
	defer e.release()
	if answer, ok := b.cache.get(key); ok { // it came meanwhile
		return answer, nil
	}
	upstream, err := e.open(b.deps.Open)
	if err != nil {
		e.note(err)
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(b.life, e.Limits.Timeout())
	defer cancel()
	start := time.Now()
	answer, err := e.fetch(ctx, upstream, request, outside)
	b.metrics.called(e.Name, time.Since(start))
	e.note(err)
	if err != nil {
		b.deps.Log.Warn("source did not answer", "source", e.Name, "err", err)
		return Answer{}, err
	}
	b.cache.put(key, answer, time.Duration(e.Terms.Promises.FreshnessSeconds)*time.Second)
	return answer, nil
}

// poll reloads the folder periodically.
func (b *Book) poll() {
	tick := time.NewTicker(b.cfg.PollInterval)
	defer tick.Stop()
	told := ""
	for {
		select {
		case <-b.life.Done():
			return
		case <-tick.C:
		}
		err := b.Reload()
		if b.life.Err() != nil {
			return // it was closed meanwhile
		}
		if text := strings.TrimSpace(fmt.Sprint(err)); err != nil && text != told {
			b.deps.Log.Error("sources not read", "err", err)
			told = text
		} else if err == nil {
			told = ""
		}
	}
}
