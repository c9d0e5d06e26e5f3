package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// teller follows the chain's events and describes them in plain words, in the order of the chain.
type teller struct {
	client  *ledger.Client
	watcher *ledger.Watcher
	stop    context.CancelFunc
	work    sync.WaitGroup
	err     error // of the watcher, after work

	mu     sync.Mutex
	tell   func(Line)
	names  map[onchain.Address]string
	honest map[onchain.Address]bool // judges of this cluster whose nodes should vote
	panels map[onchain.Address]*panel

	starting bool                                  // the cluster's own judges stake
	playing  bool                                  // Play reports the actions of the parties
	voice    func(*program.Revealed) (Voice, bool) // nil if judges' reasons are not shown
	ears     []func(ledger.Occurred)               // functions of Play that get each event
}

// panel holds the teller's data about a case's round.
type panel struct {
	judges              []onchain.Address // by seat; zero if not known
	committed, revealed int
}

// newTeller starts at the slot of the call, so that it misses no action of the cluster.
func newTeller(ctx context.Context, c *Cluster, tell func(Line)) (*teller, error) {
	now, err := c.treasury.client.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("cluster: read the chain's clock: %w", err)
	}
	if tell == nil {
		tell = func(Line) {}
	}
	t := &teller{
		client: c.treasury.client, watcher: ledger.NewWatcher(c.treasury.client, ledger.Cursor{Slot: now.Slot}), tell: tell,
		names: map[onchain.Address]string{}, honest: map[onchain.Address]bool{}, panels: map[onchain.Address]*panel{},
	}
	if c.cfg.Story == StoryJudges {
		t.voice = c.voice
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	t.stop = stop
	t.work.Go(func() {
		if t.err = t.watcher.Run(life); t.err != nil {
			c.end(fmt.Errorf("cluster: %w", t.err))
		}
	})
	t.work.Go(func() { t.drain() })
	t.work.Go(func() { t.listen(life) })
	return t, nil
}

// drain discards the looks, which are for nodes.
func (t *teller) drain() {
	for range t.watcher.Looks() {
		continue
	}
}

func (t *teller) listen(ctx context.Context) {
	for o := range t.watcher.Events() {
		t.take(ctx, o)
	}
}

func (t *teller) take(ctx context.Context, o ledger.Occurred) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range o.Events {
		for _, l := range t.lines(ctx, o, e) {
			t.tell(l)
		}
	}
	for _, hear := range t.ears {
		hear(o)
	}
}

// hear calls f with each later event, after its line.
func (t *teller) hear(f func(ledger.Occurred)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ears = append(t.ears, f)
}

// name sets the name of an address for people.
func (t *teller) name(who onchain.Address, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.names[who] = name
}

// judging notes a judge of this cluster.
func (t *teller) judging(m *Member) {
	t.name(m.Authority(), m.Name())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.honest[m.Authority()] = m.Part == Honest || m.Part == Contrary
}

// starts marks the start or the end of the cluster's own staking.
func (t *teller) starts(now bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting = now
}

// plays notes that Play runs.
func (t *teller) plays() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.playing = true
}

// line writes a line about something that is not on the chain.
func (t *teller) line(l Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell(l)
}

func (t *teller) close() error {
	t.stop()
	t.work.Wait()
	if errors.Is(t.err, context.Canceled) {
		return nil
	}
	return t.err
}

// say writes a line about an action of the cluster.
func (c *Cluster) say(format string, args ...any) {
	c.teller.line(Line{Event: EventNote, Text: fmt.Sprintf(format, args...)})
}

// who returns the name of an address. The caller holds mu.
func (t *teller) who(address onchain.Address) string {
	if name, ok := t.names[address]; ok {
		return name
	}
	if address.IsZero() {
		return "somebody"
	}
	return short(address)
}

// short returns the two ends of an address.
func short(a onchain.Address) string {
	text := a.String()
	return text[:4] + "..." + text[len(text)-4:]
}
