package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/voting"
)

// Run judges until ctx ends, and then returns nil. An error is final: ErrTwin, ledger.ErrOtherChain and the like, or a disk that
// failed.
func (n *Node) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer n.tasks.Wait()
	defer stop()
	if err := n.reach(ctx); err != nil {
		return ended(ctx, err)
	}
	if err := n.begin(ctx); err != nil {
		return ended(ctx, err)
	}
	for _, work := range []func(context.Context) error{n.watch, n.listen, n.grope, n.hearWants, n.offerSources, n.payments, n.meets, n.mind, n.occurrences, n.keepFiles, n.keepWatch, n.keepLinks, n.serveAPI} {
		n.spawn(ctx, work)
	}
	n.spawn(ctx, n.loop)
	select {
	case <-ctx.Done():
		return nil
	case err := <-n.fault:
		return advised(err)
	}
}

// doubts is how often an account that is not what it has to be is read again before the node gives up: an RPC node may have garbled it.
const doubts = 24

// reach waits until the chain answers, and makes sure that it is the right one. A node may be started before its RPC node is.
func (n *Node) reach(ctx context.Context) error {
	for garbled := 0; ; {
		err := n.client.CheckChain(ctx, n.genesis())
		if errors.Is(err, ledger.ErrForeign) && garbled < doubts {
			garbled++
		} else if err == nil || !transient(err) {
			return err
		}
		n.log.Warn("waiting for the RPC node", "err", err)
		if !wait(ctx, n.cfg.Sync.Every) {
			return ctx.Err()
		}
	}
}

// transient reports whether the RPC node may do better in a while.
func transient(err error) bool {
	return errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, ledger.ErrRateLimited) || errors.Is(err, ledger.ErrStale) || errors.Is(err, ledger.ErrAnswer)
}

// ended is nil if the caller wanted the end.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return advised(err)
}

// advised adds what to do, as Check says it, to an error over the chain.
func advised(err error) error {
	if next := wrongChain(err); next != "" {
		return fmt.Errorf("%w; %s", err, next)
	}
	return err
}

// spawn runs work until ctx ends; if it fails before, the node does.
func (n *Node) spawn(ctx context.Context, work func(context.Context) error) {
	n.tasks.Go(func() {
		if err := work(ctx); err != nil && ctx.Err() == nil {
			n.fail(err)
		}
	})
}

// begin reads the chain's clock, the outbox and the journal, and wakes the machine.
func (n *Node) begin(ctx context.Context) error {
	now, err := n.client.Now(ctx)
	for err != nil && transient(err) && wait(ctx, n.cfg.Sync.Every) {
		now, err = n.client.Now(ctx)
	}
	if err != nil {
		return err
	}
	if n.sender, err = ledger.OpenSender(ctx, n.client, n.journal.Outbox()); err != nil {
		return err
	}
	cursor, err := n.journal.Cursor()
	if err != nil {
		return err
	}
	if cursor == (ledger.Cursor{}) {
		cursor.Slot = now.Slot
	}
	n.watcher = ledger.NewWatcher(n.client, cursor, n.home.Keys.Authority.Address())
	records, err := n.journal.Records()
	if err != nil {
		return err
	}
	n.machine, err = voting.New(voting.Config{
		Domain: n.domain, Judge: n.home.Keys.Judge(), Peer: n.home.Keys.Peer(), Sign: n.home.Keys.Sign, Seal: n.seal, Params: n.cfg.Habits,
	})
	if err != nil {
		return err
	}
	if err := n.step(ctx, voting.Restored{At: now.Unix, Records: records, Fresh: n.journal.Fresh()}); err != nil {
		return err
	}
	return n.resume(records)
}

// resume has the watcher look at every case that the journal knows: it would show only those that are not over.
func (n *Node) resume(records []voting.Record) error {
	known, err := n.journal.Events().Cases()
	if err != nil {
		return err
	}
	for _, r := range records {
		known = append(known, voting.Key(r.Key()[:32]))
	}
	n.docket.restore(records)
	seen := map[voting.Key]bool{{}: true}
	for _, task := range known {
		if !seen[task] {
			seen[task] = true
			n.docket.open(task)
			n.watcher.Follow(address(task))
		}
	}
	return nil
}

func (n *Node) watch(ctx context.Context) error { return n.watcher.Run(ctx) }

// loop is the one goroutine that steps the machine.
func (n *Node) loop(ctx context.Context) error {
	looks := n.watcher.Looks()
	again := time.NewTicker(n.cfg.Sync.Every)
	defer again.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
			err = n.step(ctx, n.unplaced()...)
		case l, ok := <-looks:
			if !ok {
				return nil
			}
			err = n.see(ctx, l)
		case in := <-n.inputs:
			err = n.step(ctx, n.waiting(in)...)
		}
		if err != nil {
			return err
		}
	}
}

// see takes a look at the chain.
func (n *Node) see(ctx context.Context, l ledger.Look) error {
	if l.Roster != nil {
		n.learnRoster(l.Slot, l.Roster)
	}
	if !l.ID.IsZero() {
		n.docket.see(l)
		if err := n.past.see(l); err != nil {
			return err
		}
	}
	return n.step(ctx, l.Event())
}

// maxBatch bounds the events that share one write.
const maxBatch = 64

// waiting makes events of an input and of those that wait behind it: 27 votes come at once, and a write to disk takes as long for all
// of them as for one.
func (n *Node) waiting(in input) []voting.Event {
	at, _ := n.client.Clock().Last()
	events := []voting.Event{in(at.Unix)}
	for len(events) < maxBatch {
		select {
		case in := <-n.inputs:
			events = append(events, in(at.Unix))
		default:
			return events
		}
	}
	return events
}

// step gives the machine events and does what it wants, in order. Only then others may see what it knows now: what is not on disk
// yet must not leak through an answer to a peer.
func (n *Node) step(ctx context.Context, events ...voting.Event) error {
	if len(events) == 0 {
		return nil
	}
	var all []voting.Effect
	for _, e := range events {
		effects, err := n.machine.Step(e)
		if err != nil {
			n.metrics.refused.Inc()
			n.log.Warn("event refused", "event", fmt.Sprintf("%T", e), "err", err)
		}
		all = append(all, effects...)
	}
	if err := n.execute(ctx, all); err != nil {
		return err
	}
	n.view.Store(n.machine.View())
	return nil
}

// answer hands the loop an event that must not be lost.
func (n *Node) answer(ctx context.Context, in input) {
	select {
	case n.inputs <- in:
	case <-ctx.Done():
	}
}

// offer hands the loop an event that may be lost, and reports whether it was taken.
func (n *Node) offer(in input) bool {
	select {
	case n.inputs <- in:
		return true
	default:
		n.metrics.dropped.Inc()
		return false
	}
}

// twin says whether an error means that another copy of the node is at work.
func twin(err error) bool { return errors.Is(err, journal.ErrWouldEquivocate) }
