package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/journal"
	"ojud/ledger/journal/blob"
	"ojud/megabrain/arbiter"
	"ojud/node/evidence"
	"ojud/node/network"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// Node is one judiciary node: the loop, and the parts that it connects.
type Node struct {
	*record.Reader // of all cases that are recorded here

	home   Home
	cfg    Config
	domain voting.Domain
	log    *slog.Logger

	work    *work.Group
	jobs    []work.Job
	closers []func() error // in the order of opening

	journal   *journal.Journal
	blobs     *blob.Store
	chain     *chain
	host      *p2p.Host
	roster    *network.Roster
	cases     *record.Cases
	decisions *record.Decisions
	evidence  *evidence.Evidence
	notices   *notices
	loop      *loop
	reporter  *status.Reporter
	api       *status.API
}

// New opens the home, joins the network and is ready to Run. It does not ask the chain yet.
func New(ctx context.Context, home Home, cfg Config, deps Deps) (n *Node, err error) {
	cfg = home.fill(cfg)
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.Metrics == nil {
		deps.Metrics = prometheus.NewRegistry()
	}
	n = &Node{home: home, cfg: cfg, log: deps.Logger, work: work.NewGroup(), roster: &network.Roster{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	if n.domain, err = home.Descriptor.Domain(); err != nil {
		return n, err
	}
	if err := n.openStores(deps); err != nil {
		return n, err
	}
	return n, n.assemble(ctx, deps)
}

// onClose makes Close call f before the functions of everything opened earlier.
func (n *Node) onClose(f func() error) { n.closers = append(n.closers, f) }

func (n *Node) openStores(deps Deps) (err error) {
	id := journal.Identity{Network: n.domain.Network, Program: n.domain.Program}
	if n.journal, err = journal.Open(n.cfg.Journal, id, n.log, deps.Metrics); err != nil {
		if errors.Is(err, journal.ErrLocked) {
			return fmt.Errorf("%w: %w", ErrTwin, err)
		}
		return err
	}
	n.onClose(n.journal.Close)
	if n.blobs, err = blob.Open(n.cfg.Blobs, n.log, deps.Metrics); err != nil {
		return err
	}
	n.onClose(n.blobs.Close)
	if n.decisions, err = record.OpenDecisions(n.journal.Rounds()); err != nil {
		return err
	}
	if n.chain, err = openChain(n.cfg.Ledger, n.domain, n.home.Keys.Authority, deps, n.offered, n.work.Fail); err != nil {
		return err
	}
	n.onClose(n.chain.Close)
	return nil
}

func (n *Node) openJudge(deps Deps) (*chair.Chair, *judge.Runner, error) {
	filled := &chair.Chair{Judge: deps.Judge, Family: n.cfg.Judge.Kind}
	if deps.Judge == nil {
		var err error
		filled, err = chair.Fill(n.cfg.chair(), chair.Deps{
			Dir: n.home.Dir, Log: n.log, Metrics: deps.Metrics, Transport: deps.Models, Authority: casefile.Address(n.home.Keys.Judge()),
		})
		if err != nil {
			return nil, nil, err
		}
	}
	n.onClose(filled.Close)
	code := judge.NewCode(n.cfg.Judge.Limits)
	n.onClose(func() error { return code.Prover().Close(context.Background()) })
	filled.Judge = arbiter.Arbiter{Chain: n.chain, Program: brain.Devnet().ID(), Others: filled.Judge, Code: code, Nodes: among(n.cfg.Ledger.VisitPrivate, 0)}
	runner, err := judge.NewRunner(filled.Judge, n.cfg.Judge, n.log)
	if err != nil {
		return nil, nil, err
	}
	n.onClose(runner.Close)
	return filled, runner, nil
}

// openSources returns the book of the home's sources, and the log of the requests for them.
func (n *Node) openSources(deps Deps) (*datasource.Book, *exchange.Log, error) {
	book, err := datasource.New(n.cfg.Sources, datasource.Deps{
		Log: n.log, Metrics: deps.Metrics, Home: n.home.Dir, RPC: n.cfg.Ledger.RPC, Open: deps.Upstream,
	})
	if err != nil {
		return nil, nil, err
	}
	n.onClose(book.Close)
	asked, err := exchange.OpenLog(n.home.Path(exchange.LogFile), n.cfg.Data.Log, n.log)
	if err != nil {
		return nil, nil, err
	}
	n.onClose(asked.Close)
	return book, asked, nil
}

// Home returns the home that the node was opened with.
func (n *Node) Home() Home { return n.home }

// Addrs returns the addresses at which others can reach this node, for their bootstrap lists.
func (n *Node) Addrs() ([]string, error) {
	addrs, err := n.host.Addrs()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(addrs))
	for i, a := range addrs {
		out[i] = a.String()
	}
	return out, nil
}

// Peers returns how many nodes are connected, and how many judges the directory knows.
func (n *Node) Peers() (connected, registered int) {
	return len(n.host.Peers()), n.host.Directory().Len()
}

// Close stops what New started. Run must have returned.
func (n *Node) Close() error {
	var errs []error
	for _, f := range slices.Backward(n.closers) {
		errs = append(errs, f())
	}
	n.closers = nil
	return errors.Join(errs...)
}

// Status returns the state of the node.
func (n *Node) Status() status.Status { return n.reporter.Status() }

// content says how much content is kept.
func (n *Node) content() status.Content {
	s := n.blobs.Stats()
	return status.Content{Bytes: s.Bytes, Quota: s.Quota, Cases: s.Cases, Refused: s.Refused}
}

// Payments returns the payments for data. It reads the chain.
func (n *Node) Payments(ctx context.Context) (evidence.Payments, error) {
	return n.evidence.Payments(ctx)
}

// Wake asks an own source for its shape, so that a server that starts on demand runs before the
// first judge asks.
func (n *Node) Wake(ctx context.Context, source string) error { return n.evidence.Wake(ctx, source) }

// reach waits until the chain answers and checks that it is the right one. A node may start before
// its RPC node.
func (n *Node) reach(ctx context.Context) error {
	for garbled := 0; ; {
		err := n.chain.CheckChain(ctx)
		if errors.Is(err, ledger.ErrForeign) && garbled < maxGarbled {
			garbled++
		} else if err == nil || !transient(err) {
			return err
		}
		n.log.Warn("waiting for the RPC node", "err", err)
		if !work.Pause(ctx, n.cfg.Sync.Every) {
			return ctx.Err()
		}
	}
}

// maxGarbled is how often a wrong account is read again before the node gives up, because an RPC
// node may have garbled it.
const maxGarbled = 24

// firstTime reads the chain's clock. It waits while the RPC node cannot answer.
func (n *Node) firstTime(ctx context.Context) (ledger.Moment, error) {
	now, err := n.chain.Now(ctx)
	for err != nil && transient(err) && work.Pause(ctx, n.cfg.Sync.Every) {
		now, err = n.chain.Now(ctx)
	}
	return now, err
}

const blindEvery = 3 * time.Second

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
	if err := n.loop.step(ctx, voting.Restored{At: now.Unix, Records: records, Fresh: n.journal.Fresh()}); err != nil {
		return err
	}
	return n.resume(records)
}

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

func (n *Node) stepMachine(ctx context.Context) error {
	waiting := func() []voting.Event { return n.cases.Unplaced(maxBatch) }
	return n.loop.run(ctx, n.chain.watcher.Looks(), n.learn, n.cfg.Sync.Every, waiting)
}

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
