package sim

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger"
	"ojud/ledger/journal/blob"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

type instruction = onchain.Instruction

// refused is a transaction that did not land.
type refused struct{ out transact.Outcome }

func (r refused) Error() string { return fmt.Sprintf("%+v", r.out) }

func makeDir(dir string) error { return os.MkdirAll(dir, 0o700) }

// world is a court in one process.
type world struct {
	t      testing.TB
	plan   plan
	dir    string
	cov    *coverage
	out    io.Writer // trace; nil: none
	log    *slog.Logger
	began  time.Time
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	chain   *cluster
	net     *p2ptest.Net
	wire    *wire
	client  *ledger.Client
	sender  *ledger.Sender
	p       program.Program
	domain  voting.Domain
	members []*member
	ref     *referee
	tape    tape
	keepers sync.WaitGroup

	mu         sync.Mutex
	twice      int // active duplications
	goroutines int // before the first case

	// The mu of the first member guards these.
	dark spans // the chain itself fails
	torn spans // the network is torn
}

func (w *world) address(task voting.Key) onchain.Address { return onchain.Address(task) }

// trace writes a line with the time since the first case.
func (w *world) trace(format string, args ...any) {
	if w.out == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintf(w.out, "%9.3f  %s\n", time.Since(w.began).Seconds(), fmt.Sprintf(format, args...)); err != nil {
		w.t.Error(err)
	}
}

// tracer copies the log of nodes to the trace.
type tracer struct {
	w    *world
	node string
}

// Enabled implements slog.Handler.
func (h *tracer) Enabled(_ context.Context, l slog.Level) bool {
	return h.w.out != nil && l >= slog.LevelInfo
}

// Handle implements slog.Handler.
func (h *tracer) Handle(_ context.Context, r slog.Record) error {
	var b bytes.Buffer
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		return true
	})
	h.w.trace("node %s: %s%s", h.node, r.Message, b.String())
	return nil
}

// WithAttrs implements slog.Handler.
func (h *tracer) WithAttrs(all []slog.Attr) slog.Handler {
	for _, a := range all {
		if a.Key == "node" {
			return &tracer{h.w, a.Value.String()}
		}
	}
	return h
}

// WithGroup implements slog.Handler.
func (h *tracer) WithGroup(string) slog.Handler { return h }

// run plays a plan and returns which properties are broken. Call it in a bubble of fake time.
func run(t testing.TB, p plan, cov *coverage, out io.Writer) []string {
	t.Helper()
	w := newWorld(t, p, cov, out)
	defer w.close()
	cov.plan(p)
	w.open()
	w.play()
	w.settle()
	w.ref.mu.Lock()
	defer w.ref.mu.Unlock()
	return slices.Clone(w.ref.faults)
}

func newWorld(t testing.TB, p plan, cov *coverage, out io.Writer) *world {
	t.Helper()
	w := &world{t: t, plan: p, dir: t.TempDir(), cov: cov, out: out, began: time.Now()}
	w.tape.signed, w.tape.reached = map[seat]map[voting.Hash]bool{}, map[seat]map[voting.Hash]bool{}
	w.tape.first = map[seat]time.Time{}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.log = slog.New(&tracer{w: w})
	w.ref = &referee{w: w, cases: map[voting.Key]*course{}}
	deployer := keypair(t, "deployer", 0, 0)
	w.chain = newChain(t, p, deployer)
	w.net = p2ptest.NewNet(t, 20*time.Millisecond)
	if p.narrow > 0 {
		w.net.Rate(p.narrow)
	}
	w.wire = newWire(w.net, p, cov)
	var err error
	w.client, err = ledger.New(chainConfig(), w.chain.id, ledger.Deps{Transport: w.chain})
	w.must(err)
	w.sender, err = ledger.OpenSender(w.ctx, w.client, &ledger.MemoryOutbox{})
	w.must(err)
	w.p = w.client.Program()
	w.initialise(deployer)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) initialise(deployer *ledger.Keypair) {
	genesis, err := w.client.Genesis(w.ctx)
	w.must(err)
	w.domain = voting.Domain{Network: voting.Hash(genesis), Program: voting.Key(w.p.ID())}
	params := program.DefaultParams()
	params.CoverBps = 0 // a small court
	params.MinSeats = 3
	params.CommitSeconds, params.RevealSeconds, params.DrawSeconds, params.EvidenceSeconds = commitSeconds, revealSeconds, drawSeconds, evidenceSeconds
	if w.plan.commit > 0 {
		params.CommitSeconds, params.RevealSeconds = w.plan.commit, w.plan.reveal
	}
	w.fund(deployer)
	w.must(w.submit(deployer, w.p.InitConfig(deployer.Address(), program.InitConfig{Network: voting.Hash(genesis), Params: params})))
}

func (w *world) fund(k *ledger.Keypair) {
	sig, err := w.client.Airdrop(w.ctx, k.Address(), 100*onchain.LamportsPerSOL)
	w.must(err)
	_, err = w.client.Await(w.ctx, sig)
	w.must(err)
}

func (w *world) descriptor() node.Descriptor {
	d := node.Descriptor{
		Format: node.DescriptorFormat, Name: "test", Network: w.domain.Network.String(), Program: w.p.ID().String(),
		RPC: chainConfig().RPC, WS: chainConfig().WS, Bootstrap: []string{},
	}
	if len(w.members) > 0 {
		id := w.members[0].home.Keys.Identity.Peer()
		d.Bootstrap = []string{fmt.Sprintf("/ip4/%s/udp/4600/quic-v1/p2p/%s", p2ptest.IP(0), id)}
	}
	return d
}

// open stakes all judges, starts their nodes and waits until they know each other.
func (w *world) open() {
	var group sync.WaitGroup
	for i, stake := range w.plan.stakes {
		m := w.member(i)
		w.members = append(w.members, m)
		group.Go(func() {
			self := m.home.Keys.Authority
			w.fund(self)
			proof := m.home.Keys.Sign(w.domain.JoinProof(voting.Key(self.Address())))
			w.must(w.submit(self, w.p.JoinRoster(self.Address(), program.FirstRules, w.domain.Network, proof, program.JoinRoster{Peer: m.home.Keys.Peer(), Withdraw: self.Address(), Stake: stake})...))
		})
		if i == 0 {
			group.Wait() // so that the Roster grows in a known order
		}
	}
	group.Wait()
	w.must(w.submit(w.members[0].home.Keys.Authority, w.p.BeginSeason(program.FirstRules)))
	w.papers(w.members[:2])
	for _, m := range w.members {
		m.away.begin()
		if m.who == absent || m.who == copier {
			continue
		}
		m.want(true)
		w.keepers.Go(func() { m.keep(w.ctx) })
	}
	time.Sleep(50 * time.Second) // three times the grace for copies of a node
	w.goroutines = runtime.NumGoroutine()
	w.work.Go(w.ref.watch)
}

// papers puts the documents of the dispute on some nodes.
func (w *world) papers(on []*member) {
	for _, m := range on {
		cfg := blob.DefaultConfig()
		cfg.Dir = filepath.Join(m.home.Dir, "blobs")
		s, err := blob.Open(cfg, nil, nil)
		w.must(err)
		for _, name := range []string{"eleptiger.task", "good.result", "untrue.objection", "counter"} {
			_, err := s.Put(paper(w.t, name))
			w.must(err)
		}
		w.must(s.Close())
	}
}

func paper(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../examples/eleptiger/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	raw, err = canon.JSON(raw, casefile.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// play brings the cases and makes the faults happen, each at its time.
func (w *world) play() {
	w.began = time.Now()
	var deeds sync.WaitGroup
	for i, at := range w.plan.cases {
		deeds.Go(func() {
			time.Sleep(at)
			w.bring(i)
		})
	}
	for _, e := range w.plan.events {
		deeds.Go(func() {
			time.Sleep(e.at)
			w.begin(e)
		})
	}
	for _, m := range w.members {
		if m.who != honest {
			w.cov.begun(string(m.who))
		}
		switch m.who {
		case late:
			m.link.hold(&event{kind: lateTx, dose: 3}) // 43 seconds
		}
	}
	if i := w.plan.abandoned; i > 0 {
		m := w.members[i]
		m.want(false)
		m.mu.Lock()
		stop := m.stop
		m.mu.Unlock()
		stop()
		time.Sleep(time.Second)
		m.mu.Lock()
		m.away = spans{}
		m.mu.Unlock()
	}
	deeds.Wait()
}

// bring starts a dispute of two parties.
func (w *world) bring(n int) {
	creator, worker := keypair(w.t, "creator", w.plan.seed, n), keypair(w.t, "worker", w.plan.seed, n)
	do := func(k *ledger.Keypair, all ...instruction) {
		w.must(w.submit(k, all...))
	}
	for _, k := range []*ledger.Keypair{creator, worker} {
		w.fund(k)
		do(k, w.p.RegisterAgent(k.Address(), program.RegisterAgent{}), w.p.Deposit(k.Address(), k.Address(), program.Deposit{Amount: 5 * onchain.LamportsPerSOL}))
	}
	hash := func(name string) voting.Hash { return casefile.HashOf(paper(w.t, name)) }
	task := w.p.Task(creator.Address(), 0)
	do(creator, w.p.CreateTask(creator.Address(), 0, program.FirstRules, program.CreateTask{
		TaskHash: hash("eleptiger.task"), Seal: voting.Hash{2}, RewardMin: 1e9, RewardMax: 1e9, WorkSeconds: 3600, OnUndecided: voting.SplitEscrow,
	}))
	do(worker, w.p.ClaimTask(worker.Address(), task, program.FirstRules, program.ClaimTask{MinReward: 1e9}),
		w.p.StartTask(worker.Address(), task), w.p.SubmitResult(worker.Address(), creator.Address(), task, program.FirstRules, program.SubmitResult{ResultHash: hash("good.result")}))
	do(creator, w.p.Object(creator.Address(), task, program.FirstRules, program.Object{ObjectionHash: hash("untrue.objection")}))
	do(worker, w.p.CounterObject(worker.Address(), task, program.FirstRules, program.CounterObject{CounterHash: hash("counter")}))
	w.ref.follow(voting.Key(task))
	w.cov.ended("cases")
	for _, m := range w.members {
		if m.who == copier {
			w.work.Go(func() { m.copy(voting.Key(task)) })
		}
	}
}

// settle waits for the end of every case, checks all properties, and stops.
func (w *world) settle() {
	limit := voting.MaxRounds*(max(commitSeconds, w.plan.commit)+max(revealSeconds, w.plan.reveal)+60) + drawSeconds
	why, ok := "", false
	for end := time.Now().Add(time.Duration(limit) * time.Second); !ok && time.Now().Before(end); time.Sleep(time.Second) {
		why, ok = w.ref.over()
	}
	if !ok {
		w.ref.broken("every-case-ends", "%s", why)
		return
	}
	for _, task := range w.tasks() {
		w.judgeFiles(task)
		w.judgeRounds(task)
	}
	w.judgeMemory()
	for _, task := range w.tasks() { // evidence may have come after the end
		x := w.ref.of(task)
		for _, s := range x.last.Seats {
			if m := w.byJudge(voting.Key(s.Judge)); m != nil && m.who == honest && s.Flags&program.SeatEquivocated != 0 {
				w.ref.broken("no-innocent-slashed", "judge %d is an equivocator after the end", m.i)
			}
		}
	}
	w.judgeStatements()
}

func (w *world) tasks() []voting.Key {
	w.ref.mu.Lock()
	defer w.ref.mu.Unlock()
	var out []voting.Key
	for task := range w.ref.cases {
		out = append(out, task)
	}
	slices.SortFunc(out, func(a, b voting.Key) int { return slices.Compare(a[:], b[:]) })
	return out
}

func (w *world) byJudge(judge voting.Key) *member {
	for _, m := range w.members {
		if m.home.Keys.Judge() == judge {
			return m
		}
	}
	return nil
}

// stopped notes that a node ended by itself. The planned faults decide which errors are allowed.
func (w *world) stopped(m *member, err error) {
	class := "stopped: other"
	for name, class_ := range stops() {
		if errors.Is(err, class_) {
			class = "stopped: " + name
		}
	}
	w.cov.ended(class)
	w.trace("node %d stopped: %v", m.i, err)
	if class == "stopped: other" {
		w.ref.broken("every-case-ends", "node %d stopped: %v", m.i, err)
	}
}

func (w *world) close() {
	w.cancel()
	w.keepers.Wait()
	w.work.Wait()
	w.sender.Close()
	w.client.Close()
}

// merge sorts spans by their begin.
func merge(all []span) []span {
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from.UnixNano(), b.from.UnixNano()) })
	return all
}
