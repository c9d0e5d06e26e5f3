package ledger

import (
	"context"
	"log/slog"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/providers"
)

// Watcher follows the program: a stream of what occurred (Events), and looks at every case that
// changed (Looks). The stream may miss transactions, repeat them across restarts, or show some that
// are undone later. The looks show the present state. Decide by looks.
//
// It uses the node's websocket but does not trust it: it polls live cases, and lists the program's
// transactions every Watch.Sweep to find gaps. It also works without a websocket.
type Watcher struct {
	client  *Client
	cfg     Watch
	log     *slog.Logger
	metrics *metrics
	judges  []onchain.Address

	feed    *feed
	stream  *stream
	reader  *caseReader
	scanner *scanner
	box     *looks.Mailbox
	pace    *looks.Pace // of polls without a websocket

	events chan Occurred
	looks  chan Look
	up     atomic.Bool // the websocket is subscribed
}

// NewWatcher makes a watcher that begins after a cursor of an earlier watcher, or now if the cursor
// is zero. It follows all cases with a seat of one of the judges (their authorities).
// Watch.MaxCases bounds the other cases.
func NewWatcher(c *Client, from Cursor, judges ...onchain.Address) *Watcher {
	w := &Watcher{
		judges: judges, client: c, cfg: c.cfg.Watch, log: c.log, metrics: c.metrics,
		events: make(chan Occurred), looks: make(chan Look), box: looks.NewMailbox(), pace: looks.NewPace(),
	}
	w.feed = newFeed(w)
	w.stream = newStream(w, from)
	w.reader = newCaseReader(w)
	w.scanner = newScanner(w)
	return w
}

// Events gives out what occurred, in the order of slots as far as it is known, each transaction
// once. The caller must receive them. Otherwise at most Watch.Buffer are held, and the rest is
// listed again later.
func (w *Watcher) Events() <-chan Occurred { return w.events }

// Looks gives out a look at every case that changed, when the watcher starts at every case that is
// not over, and the chain's time at least every Watch.Poll. A newer look at a case replaces one
// that was not taken yet.
func (w *Watcher) Looks() <-chan Look { return w.looks }

// Follow has the case of a task looked at now.
func (w *Watcher) Follow(task onchain.Address) { w.reader.touch(task, 0) }

// Hint has a case looked at that somebody else knows of, unless the watcher follows it already.
// Peers may lie, so hints are bounded: all of them together cause one request in some seconds, and
// hints that find no room are dropped.
func (w *Watcher) Hint(task onchain.Address) { w.reader.hint(task) }

// Run works until ctx ends, then closes both channels. It returns an error only for another chain
// (ErrOtherChain), and waits for a node that is out of reach.
func (w *Watcher) Run(ctx context.Context) error {
	defer close(w.events)
	defer close(w.looks)
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{w.feed.run, w.stream.run, w.reader.run, w.scanner.run, w.deliver} {
		group.Go(func() error { return part(ctx) })
	}
	return group.Wait()
}

func (w *Watcher) deliver(ctx context.Context) error {
	w.box.Run(ctx, w.looks)
	return nil
}

// Health says which reads of a watcher succeed at present.
type Health struct {
	Socket bool   // the websocket is subscribed; without it the watcher polls
	Events string // why transactions cannot be listed; empty if they can
	Looks  string // why cases cannot be read; empty if they can
	Lists  string // why the list of all cases cannot be read, and what to do; empty if it can
	// Providers are the RPC nodes, and Doubts says which are left out or contradict each other.
	Providers []providers.Provider
	Doubts    []string
}

// Problems returns everything that an operator should know, as sentences. It is empty if all reads
// work.
func (h Health) Problems() (out []string) {
	for _, why := range []string{h.Events, h.Looks, h.Lists} {
		if why != "" {
			out = append(out, why)
		}
	}
	return append(out, h.Doubts...)
}

// Health returns what the watcher can read at present.
func (w *Watcher) Health() Health {
	h := Health{
		Socket: w.up.Load(), Events: w.stream.state.Text(), Looks: w.reader.state.Text(), Lists: w.scanner.state.Text(),
		Providers: w.client.caller.List(), Doubts: w.client.caller.Problems(),
	}
	if h.Lists != "" {
		h.Lists += "; until then the node finds cases by the program's transactions, " +
			"and may miss a case that was opened before it started"
	}
	return h
}
