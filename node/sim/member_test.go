package sim

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/node"
	"ojud/p2p/identity"
	"ojud/p2p/p2ptest"
	"ojud/sim/fault"
	"ojud/voting"
)

// restartAfter is how long a supervisor waits before it restarts a stopped node.
const restartAfter = 10 * time.Second

// member is a judge with its node.
type member struct {
	w    *world
	i    int
	who  adversary
	key  ed25519.PrivateKey // of the node
	home node.Home
	cfg  node.Config
	deps node.Deps
	link *link

	mu        sync.Mutex
	node      *node.Node // nil while it does not run
	stop      context.CancelFunc
	over      chan struct{} // closed when the run that stop ends is over
	up        bool          // should run
	wake      chan struct{}
	homes     int
	disk      fault.Kind    // diskFull or failedSync, while it holds
	sprung    string        // a copy of its disk from the moment when it first showed a statement to others
	trapLate  bool          // it springs after some have heard the statement
	trap      func()        // runs once when the node shows a statement
	away      spans         // without a process
	off       time.Duration // of its machine's clock to the others'
	starts    int
	hushed    bool          // it was taken off the network for its spam
	fooled    spans         // with an RPC node that lies
	mute      spans         // with an RPC node that does not answer, or takes no transactions
	forgot    map[seat]bool // rounds when it showed a statement before it lost its disk
	otherDisk bool          // it was started with an empty or an older disk
}

// spans are times of trouble.
type spans struct {
	past []span
	open time.Time
	deep int
}

type span struct{ from, to time.Time }

func (s *spans) begin() {
	if s.deep == 0 {
		s.open = time.Now()
	}
	s.deep++
}

func (s *spans) end() {
	s.deep--
	if s.deep == 0 {
		s.past = append(s.past, span{s.open, time.Now()})
	}
}

// all returns the spans until now.
func (s *spans) all() []span {
	if s.deep > 0 {
		return append(s.past[:len(s.past):len(s.past)], span{s.open, time.Now()})
	}
	return s.past
}

func (w *world) member(i int) *member {
	seed := sha256.Sum256(fmt.Appendf(nil, "node %d %d", w.plan.seed, i))
	id, err := identity.FromSeed(seed)
	if err != nil {
		w.t.Fatal(err)
	}
	m := &member{w: w, i: i, who: w.plan.who[i], key: ed25519.NewKeyFromSeed(seed[:]), wake: make(chan struct{}, 1), forgot: map[seat]bool{}}
	m.link = newLink(w.chain, w.cov, &w.work, w.plan.seed*100+uint64(i))
	m.home = node.Home{Dir: filepath.Join(w.dir, fmt.Sprint(i), "0"), Keys: node.NewKeys(id, keypair(w.t, "judge", w.plan.seed, i)), Descriptor: w.descriptor()}
	if err := makeDir(m.home.Dir); err != nil {
		w.t.Fatal(err)
	}
	m.cfg = node.DefaultConfig()
	m.cfg.P2P, m.cfg.Ledger, m.cfg.API.Listen = p2ptest.Config(i), chainConfig(), "off"
	m.cfg.Journal.Disk = m.fails
	if w.plan.patience > 0 {
		m.cfg.Sync.Timeout = w.plan.patience
	}
	if w.plan.uncarried {
		m.cfg.Habits.MaxRelayed = 0
	}
	m.deps = node.Deps{Logger: w.log.With("node", i), Transport: m.link, Libp2p: []libp2p.Option{w.net.Transport()}, Judge: thinker{m}}
	m.deps.WrapBroadcaster = func(c node.Broadcaster) node.Broadcaster { return m.broadcaster(c) }
	m.deps.Heard, m.deps.Now = m.heard, m.clock
	return m
}

func chainConfig() ledger.Config {
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS = "http://node.test:8899", "ws://node.test:8900"
	cfg.Calls.Rate = 0
	return cfg
}

// errSync is the error of a device that could not write.
var errSync = errors.New("sim: input/output error")

// fails implements journal.Config.Disk.
func (m *member) fails(synced bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.disk == diskFull && !synced:
		m.w.cov.effect(string(diskFull))
		return fmt.Errorf("%w: planned", journal.ErrDiskFull)
	case m.disk == failedSync && synced:
		m.w.cov.effect(string(failedSync))
		m.disk = ""
		return errSync
	}
	return nil
}

// thinker has the member's opinion. It words the opinion differently each time, so that two votes
// of one judge never have the same commitment.
type thinker struct{ m *member }

// Evaluate implements judge.Judge.
func (j thinker) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	mind := j.m.w.plan.minds[j.m.i]
	if !pause(ctx, mind.takes) {
		return casefile.Opinion{}, ctx.Err()
	}
	return casefile.Opinion{
		Choice: casefile.Choice(mind.choice), Summary: fmt.Sprintf("judge %d thought at %d", j.m.i, time.Now().UnixNano()),
		Findings: []casefile.Finding{}, Model: casefile.CodeChecks,
	}, nil
}

// keep runs the node again and again until ctx ends.
func (m *member) keep(ctx context.Context) {
	for ctx.Err() == nil {
		m.mu.Lock()
		up := m.up
		m.mu.Unlock()
		if !up {
			select {
			case <-m.wake:
			case <-ctx.Done():
			}
			continue
		}
		m.run(ctx)
	}
}

// clock returns the time of the member's machine.
func (m *member) clock() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Add(m.off)
}

// setClock sets the machine's clock up to five minutes wrong, differently at each start, if clocks
// are wrong in this plan.
func (m *member) setClock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starts++
	if m.w.plan.skew == 0 {
		return
	}
	r := rand.New(rand.NewPCG(m.w.plan.seed, uint64(m.i)<<16|uint64(m.starts)))
	m.off = time.Duration(r.IntN(600)-300) * time.Second
	m.w.cov.ended("starts with another clock than others")
}

// run is one life of the node.
func (m *member) run(ctx context.Context) {
	m.setClock()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan struct{})
	defer close(over)
	n, err := node.New(ctx, m.home, m.cfg, m.deps)
	if err == nil {
		m.mu.Lock()
		if m.up {
			m.node, m.stop, m.over = n, stop, over
			m.away.end()
		}
		lives := m.node == n
		m.mu.Unlock()
		if lives {
			err = n.Run(ctx)
			m.mu.Lock()
			m.node = nil
			m.away.begin()
			m.mu.Unlock()
		}
		err = errors.Join(err, n.Close())
	}
	if err != nil {
		m.w.stopped(m, err)
		pause(ctx, restartAfter)
	}
}

// arm sets a trap for the moment when the node shows a statement that it signed. It waits until the
// trap springs, at most until the last fault.
func (m *member) arm(late bool) bool {
	sprung := make(chan struct{})
	m.mu.Lock()
	m.trap, m.trapLate = func() { close(sprung) }, late
	m.mu.Unlock()
	select {
	case <-sprung:
		return true
	case <-time.After(lastFault):
	case <-m.w.ctx.Done():
	}
	m.mu.Lock()
	m.trap = nil
	m.mu.Unlock()
	return false
}

// These are the effects of a trap.
const (
	none  = iota // there is none
	dumb         // nothing leaves the node any more, not even the statement
	heard        // the statement reaches some others, then nothing leaves
)

// spring springs a trap.
func (m *member) spring() (how int) {
	m.mu.Lock()
	trap, late := m.trap, m.trapLate
	m.trap = nil
	m.mu.Unlock()
	if trap == nil {
		return none
	}
	m.link.cut(true)
	if !late {
		m.w.wire.silence(m.i, true)
		trap()
		return dumb
	}
	m.sprung = m.backup("sprung-" + time.Now().Format("150405.000"))
	m.w.work.Go(func() {
		time.Sleep(300 * time.Millisecond)
		m.w.wire.silence(m.i, true)
		trap()
	})
	return heard
}

// running returns the node if it runs.
func (m *member) running() *node.Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.node
}

// want starts the node, or lets it end.
func (m *member) want(up bool) {
	m.mu.Lock()
	m.up = up
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// backup copies the home as it is.
func (m *member) backup(name string) string {
	to := filepath.Join(m.w.dir, fmt.Sprint(m.i), name)
	if err := copyDir(m.home.Dir, to); err != nil {
		m.w.t.Error(err)
	}
	return to
}

// forget notes the rounds for which others have its statement. With another disk the node never
// signs in them again, and it cannot know the statement unless that is on the chain. The caller
// holds mu.
func (m *member) forget() {
	m.w.tape.mu.Lock()
	defer m.w.tape.mu.Unlock()
	for s := range m.w.tape.signed {
		if s.judge == m.home.Keys.Judge() {
			m.forgot[s] = true
		}
	}
}

// kill stops the node in the middle of its work. From this moment on all its work is lost and
// unseen. It comes back with its disk, or with another or empty one.
//
// A node whose trap was sprung is silent already.
func (m *member) kill(kind fault.Kind, other string, down time.Duration, silent bool) bool {
	if silent {
		defer func() {
			m.w.wire.silence(m.i, false)
			m.link.cut(false)
		}()
	}
	m.mu.Lock()
	stop, over := m.stop, m.over
	if m.node == nil || !m.up {
		m.mu.Unlock()
		return false
	}
	m.up = false
	m.homes++
	if kind != crash {
		m.otherDisk = true
		m.forget()
	}
	dir := filepath.Join(m.w.dir, fmt.Sprint(m.i), fmt.Sprint(m.homes))
	m.mu.Unlock()
	m.w.wire.silence(m.i, true)
	m.link.cut(true)
	m.w.trace("node %d is killed", m.i)
	var err error
	switch {
	case kind == crash && other == "":
		err = copyDir(m.home.Dir, dir)
	case kind == lostDisk:
		err = makeDir(dir)
	default:
		dir = other
	}
	if err != nil {
		m.w.t.Error(err)
	}
	stop()
	<-over
	m.home.Dir = dir
	time.Sleep(down)
	m.w.wire.silence(m.i, false)
	m.link.cut(false)
	m.w.trace("node %d starts again", m.i)
	m.want(true)
	return true
}

var _ slog.Handler = (*tracer)(nil)

// vote returns the signed vote object of an opening by this member's node.
func (m *member) vote(task voting.Key, round uint8, o voting.Opening) (voting.Vote, error) {
	doc, err := casefile.NewVote(m.w.domain, m.key, casefile.Ballot{Task: task, Round: round, Judge: m.home.Keys.Judge(), Opening: o, Model: casefile.CodeChecks, DataAccessed: []casefile.Access{}})
	if err != nil {
		return voting.Vote{}, err
	}
	return casefile.ParseNotice(doc.Raw)
}
