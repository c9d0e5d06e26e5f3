package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/ledger/journal/blob"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/voting"
)

// Run judges until ctx ends, and then returns nil. Any other error is final: ErrTwin, an error that
// names a wrong chain (ledger.ErrOtherChain and others), or a failed disk.
func (n *Node) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer n.work.Wait()
	defer stop()
	if err := n.reach(ctx); err != nil {
		return ended(ctx, err)
	}
	if err := n.begin(ctx); err != nil {
		return ended(ctx, err)
	}
	n.work.Start(ctx, n.jobs...)
	select {
	case <-ctx.Done():
		return nil
	case err := <-n.work.Failed():
		return advised(err)
	}
}

// ended returns nil if the caller wanted the end.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return advised(err)
}

// advised adds the remedy to an error of a wrong chain.
func advised(err error) error {
	if next := status.WrongChain(err); next != "" {
		return fmt.Errorf("%w; %s", err, next)
	}
	return err
}

// begin reads the chain's clock, the outbox and the journal, and wakes the machine.
func (n *Node) begin(ctx context.Context) error {
	now, err := n.firstTime(ctx)
	if err != nil {
		return err
	}
	cursor, err := n.journal.Cursor()
	if err != nil {
		return err
	}
	if cursor == (ledger.Cursor{}) {
		cursor.Slot = now.Slot
	}
	if err := n.chain.open(ctx, n.journal.Outbox(), cursor); err != nil {
		return err
	}
	records, err := n.journal.Records()
	if err != nil {
		return err
	}
	keys := n.home.Keys
	n.loop.machine, err = voting.New(voting.Config{
		Domain: n.domain, Judge: keys.Judge(), Peer: keys.Peer(), Sign: keys.Sign, Seal: n.seal, Params: n.cfg.Habits,
	})
	if err != nil {
		return err
	}
	if err := n.loop.step(ctx, voting.Restored{At: now.Unix, Records: records, Fresh: n.journal.Fresh()}); err != nil {
		return err
	}
	return n.resume(records)
}

// seal returns the sealed opening for the judges that this node asks to commit for it.
func (n *Node) seal(task voting.Key, round uint8, o voting.Opening) []byte {
	sealed, err := n.home.Keys.seal(n.domain, task, round, o)
	if err != nil {
		n.log.Error("the opening is not sealed: it is lost if this disk is", "case", address(task), "round", round, "err", err)
		return nil
	}
	return sealed
}

// resume makes the watcher look at every case that the journal knows. By itself it would show only
// open cases.
func (n *Node) resume(records []voting.Record) error {
	known, err := n.journal.Events().Cases()
	if err != nil {
		return err
	}
	for _, r := range records {
		known = append(known, voting.Key(r.Key()[:32]))
	}
	n.cases.Restore(records)
	seen := map[voting.Key]bool{{}: true}
	for _, task := range known {
		if !seen[task] {
			seen[task] = true
			n.cases.Open(task)
			n.chain.watcher.Follow(address(task))
		}
	}
	return nil
}

// stepMachine runs the loop.
func (n *Node) stepMachine(ctx context.Context) error {
	waiting := func() []voting.Event { return n.cases.Unplaced(maxBatch) }
	return n.loop.run(ctx, n.chain.watcher.Looks(), n.learn, n.cfg.Sync.Every, waiting)
}

// learn takes a look at the chain before the machine does.
func (n *Node) learn(l ledger.Look) error {
	if l.Roster != nil && n.roster.Learn(l.Slot, l.Roster) {
		n.host.Directory().Prune()
	}
	if l.ID.IsZero() {
		return nil
	}
	n.cases.See(l)
	return n.decisions.See(l)
}

// reportBlindness tells the machine that this node does not see the chain, while that lasts.
func (n *Node) reportBlindness(ctx context.Context) error {
	for work.Pause(ctx, blindEvery) {
		if n.chain.age() >= status.BlindAfter {
			n.loop.offer(func(at int64) voting.Event { return voting.Tick{At: at, Blind: true} })
		}
	}
	return nil
}

// WhyStopped explains from the disk of a home that no node runs on. A zero judge is the home's own.
// The error is journal.ErrLocked if a node runs on the home.
func WhyStopped(home Home, cfg Config, task, judge voting.Key, log *slog.Logger) (a why.Explanation, err error) {
	cfg = home.fill(cfg)
	own := &why.Own{}
	f := why.Facts{Case: casefile.Address(task), Judge: casefile.Address(judge), Source: "what is on the disk of " + home.Dir}
	if judge.IsZero() || judge == home.Keys.Judge() {
		f.Judge, f.Own = casefile.Address(home.Keys.Judge()), own
	}
	if _, err := os.Stat(cfg.Journal.Dir); errors.Is(err, fs.ErrNotExist) {
		return why.Explain(f), nil // no node ever ran here, and a question must not make a journal
	}
	domain, err := home.Descriptor.Domain()
	if err != nil {
		return a, err
	}
	j, err := journal.Open(cfg.Journal, journal.Identity{Network: domain.Network, Program: domain.Program}, log, nil)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	blobs, err := blob.Open(cfg.Blobs, log, nil)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	if *own, err = status.ReadOwn(j, task); err != nil {
		return a, err
	}
	return record.WhyArchived(domain, home.Keys.node, task, j.Events(), blobs, f)
}
