package node

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/p2p/p2ptest"
	oju "ojud/programs/oju"
	"ojud/voting"
)

const sol = onchain.LamportsPerSOL

// keypair returns the n-th Solana key of a test.
func keypair(t testing.TB, n byte) *ledger.Keypair {
	t.Helper()
	k, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// world is a court in one process: the real program on the embedded chain and whole nodes. It runs
// on fake time with a simulated wire (newWorld), or on loopback TCP (newChain alone).
type world struct {
	t      testing.TB
	server *devnet.Server
	client *ledger.Client
	sender *ledger.Sender
	p      program.Program
	net    *p2ptest.Net // nil: loopback TCP
	nodes  []*member
	log    *slog.Logger
	// deployer may initialise the program.
	deployer *ledger.Keypair
	domain   voting.Domain
}

// member is a node of the world.
type member struct {
	*Node
	home Home
	cfg  Config
	deps Deps
	stop context.CancelFunc
	done chan error
}

// newWorld starts a chain and a simulated wire.
func newWorld(t testing.TB, change func(*program.Params), chain ...func(*devnet.Config, *devnet.Deps)) *world {
	t.Helper()
	w := newChain(t, chainConfig(), change, chain...)
	w.net = p2ptest.NewNet(t, 20*time.Millisecond)
	return w
}

// newChain starts a chain and initialises the program. The test itself reaches the chain as cfg
// says.
func newChain(t testing.TB, cfg ledger.Config, change func(*program.Params), chain ...func(*devnet.Config, *devnet.Deps)) *world {
	t.Helper()
	w := &world{t: t, deployer: keypair(t, 100), log: slog.New(slog.DiscardHandler)}
	if os.Getenv("OJUD_TEST_LOG") != "" {
		w.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	authority, seed := w.deployer.Address(), sha256.Sum256([]byte(t.Name()))
	id := keypair(t, 101).Address()
	var err error
	own, deps := devnet.DefaultConfig(), devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: bank.Genesis{
		Seed: seed[:], Programs: []bank.Program{bank.Upgradeable(id, authority, oju.ELF())},
	}}
	for _, c := range chain {
		c(&own, &deps)
	}
	if w.server, err = devnet.New(own, deps); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, w.server.Close()); err != nil {
			t.Error(err)
		}
	})
	if w.client, err = ledger.New(cfg, id, ledger.Deps{Transport: w.server.Transport()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.Close)
	if w.sender, err = ledger.OpenSender(t.Context(), w.client, &ledger.MemoryOutbox{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.sender.Close)
	w.p = w.client.Program()
	w.initialise(change)
	return w
}

func chainConfig() ledger.Config {
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS = "http://node.test:8899", "ws://node.test:8900"
	cfg.Calls.Rate = 0
	return cfg
}

func (w *world) initialise(change func(*program.Params)) {
	w.t.Helper()
	genesis, err := w.client.Genesis(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	w.domain = voting.Domain{Network: voting.Hash(genesis), Program: voting.Key(w.p.ID())}
	params := program.DefaultParams()
	params.CoverBps = 0 // a small court
	params.MinSeats = 3
	params.SeasonSeconds = 1
	if change != nil {
		change(&params)
	}
	w.fund(w.deployer)
	w.do(w.deployer, w.p.InitConfig(w.deployer.Address(), program.InitConfig{Network: voting.Hash(genesis), Params: params}))
}

func (w *world) fund(keys ...*ledger.Keypair) {
	w.t.Helper()
	for _, k := range keys {
		w.must(w.give(k))
	}
}

// give fills a wallet.
func (w *world) give(k *ledger.Keypair) error {
	sig, err := w.client.Airdrop(w.t.Context(), k.Address(), 100*sol)
	if err != nil {
		return err
	}
	_, err = w.client.Await(w.t.Context(), sig)
	return err
}

// do submits instructions, which must land.
func (w *world) do(payer *ledger.Keypair, instructions ...onchain.Instruction) {
	w.t.Helper()
	w.must(w.submit(payer, instructions...))
}

// submit gets instructions into the chain.
func (w *world) submit(payer *ledger.Keypair, instructions ...onchain.Instruction) error {
	out, err := w.sender.Submit(w.t.Context(), instructions, ledger.SubmitOptions{Payer: payer})
	if err == nil && out.Class != ledger.Landed {
		err = fmt.Errorf("%+v", out)
		if out.Rejection != nil {
			err = out.Rejection
		}
	}
	return err
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// join adds judges and their nodes, which run until the test ends or stops them.
func (w *world) join(n int, j func(i int) judge.Judge) {
	w.t.Helper()
	for range n {
		m := &member{}
		if j != nil {
			m.deps.Judge = j(len(w.nodes))
		}
		w.admit(m, nil)
	}
	w.season()
}

// joinWith adds one judge. change is applied to its node before it starts.
func (w *world) joinWith(change func(*member)) {
	w.t.Helper()
	w.admit(&member{}, change)
	w.season()
}

// admit makes a home, stakes and starts.
func (w *world) admit(m *member, change func(*member)) {
	w.t.Helper()
	w.equip(m)
	w.must(w.stake(m.home.Keys))
	if change != nil {
		change(m)
	}
	w.start(m)
}

// equip makes a home and tells the node how to reach the chain and, through the first node, the
// others.
func (w *world) equip(m *member) {
	w.t.Helper()
	i := len(w.nodes)
	d := Descriptor{
		Format: DescriptorFormat, Name: "test", Network: w.domain.Network.String(), Program: w.p.ID().String(),
		RPC: chainConfig().RPC, WS: chainConfig().WS, Bootstrap: []string{},
	}
	var err error
	if i > 0 {
		d.Bootstrap, err = w.nodes[0].Addrs()
		w.must(err)
	}
	m.home, _, err = Init(filepath.Join(w.t.TempDir(), fmt.Sprint(i)), d)
	w.must(err)
	m.cfg = DefaultConfig()
	m.cfg.P2P, m.cfg.Ledger, m.cfg.API.Listen = p2ptest.Config(i), chainConfig(), "off"
	m.deps.Logger, m.deps.Transport = w.log.With("node", i), w.server.Transport()
	if w.net != nil {
		m.deps.Libp2p = []libp2p.Option{w.net.Transport()}
	} else {
		m.cfg.P2P.Listen = []string{"/ip4/127.0.0.1/tcp/0"}
	}
	w.nodes = append(w.nodes, m)
}

// stake puts a judge on the Roster.
func (w *world) stake(k Keys) error {
	if err := w.give(k.Authority); err != nil {
		return err
	}
	self := k.Authority.Address()
	proof := k.Sign(w.domain.JoinProof(voting.Key(self)))
	return w.submit(k.Authority, w.p.JoinRoster(self, program.FirstRules, w.domain.Network, proof, program.JoinRoster{Peer: k.Peer(), Withdraw: self, Stake: 2 * sol})...)
}

// season gives all judges their weights. The season before lasts a second.
func (w *world) season() {
	w.t.Helper()
	p2ptest.Eventually(w.t, time.Minute, "a season begins", func() bool {
		err := w.submit(w.deployer, w.p.BeginSeason(program.FirstRules))
		if err != nil && !errors.Is(err, program.ErrSeasonRuns) {
			w.t.Fatal(err)
		}
		return err == nil
	})
}

func (w *world) start(m *member) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	m.deps.Metrics = prometheus.NewRegistry()
	node, err := New(ctx, m.home, m.cfg, m.deps)
	if err != nil {
		cancel()
		w.t.Fatal(err)
	}
	m.Node, m.stop, m.done = node, cancel, make(chan error, 1)
	go func() {
		err := node.Run(ctx)
		m.done <- errors.Join(err, node.Close())
	}()
	w.t.Cleanup(func() { w.halt(m) })
}

// halt stops a node; it may be stopped already.
func (w *world) halt(m *member) {
	w.t.Helper()
	if m.stop == nil {
		return
	}
	m.stop()
	m.stop = nil
	if err := <-m.done; err != nil {
		w.t.Errorf("node: %v", err)
	}
}

// papers are the documents of a dispute.
type papers struct{ task, result, objection, counter string }

// eleptiger returns the dispute of seed 000, with a result that is right.
func eleptiger(t testing.TB) papers {
	t.Helper()
	read := func(name string) string {
		raw, err := os.ReadFile("../examples/eleptiger/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	return papers{read("eleptiger.task"), read("good.result"), read("untrue.objection"), read("counter")}
}

// dispute brings a task before the court and puts its papers on the first node.
func (w *world) dispute(p papers) voting.Key {
	w.t.Helper()
	creator, worker := w.parties()
	return w.bring(creator, worker, 0, sol, p)
}

// parties registers a creator and a worker with full vaults.
func (w *world) parties() (creator, worker *ledger.Keypair) {
	w.t.Helper()
	creator, worker = keypair(w.t, 20), keypair(w.t, 21)
	w.fund(creator, worker)
	for _, k := range []*ledger.Keypair{creator, worker} {
		w.do(k, w.p.RegisterAgent(k.Address(), program.RegisterAgent{}), w.p.Deposit(k.Address(), k.Address(), program.Deposit{Amount: 5 * sol}))
	}
	return creator, worker
}

// bring starts a dispute of two parties over the creator's n-th task, and puts the papers on the
// first node.
func (w *world) bring(creator, worker *ledger.Keypair, n, reward uint64, p papers) voting.Key {
	w.t.Helper()
	task, counter := w.plead(creator, worker, n, reward, p)
	counter()
	return task
}

// plead is bring up to the objection. counter makes a case of it.
func (w *world) plead(creator, worker *ledger.Keypair, n, reward uint64, p papers) (id voting.Key, counter func()) {
	w.t.Helper()
	hash := func(text string) voting.Hash {
		raw, err := canon.JSON([]byte(text), casefile.MaxDocument)
		w.must(err)
		h, err := w.nodes[0].blobs.Put(raw)
		w.must(err)
		return h
	}
	task := w.p.Task(creator.Address(), n)
	w.do(creator, w.p.CreateTask(creator.Address(), n, program.FirstRules, program.CreateTask{
		TaskHash: hash(p.task), Seal: voting.Hash{2}, RewardMin: reward, RewardMax: reward, WorkSeconds: 3600, OnUndecided: voting.SplitEscrow,
	}))
	w.do(worker, w.p.ClaimTask(worker.Address(), task, program.FirstRules, program.ClaimTask{MinReward: reward}),
		w.p.StartTask(worker.Address(), task), w.p.SubmitResult(worker.Address(), creator.Address(), task, program.FirstRules, program.SubmitResult{ResultHash: hash(p.result)}))
	w.do(creator, w.p.Object(creator.Address(), task, program.FirstRules, program.Object{ObjectionHash: hash(p.objection)}))
	return voting.Key(task), func() {
		w.t.Helper()
		w.do(worker, w.p.CounterObject(worker.Address(), task, program.FirstRules, program.CounterObject{CounterHash: hash(p.counter)}))
	}
}

// until waits until a condition holds on the chain.
func (w *world) until(limit time.Duration, what string, task voting.Key, ok func(*program.Case) bool) *program.Case {
	w.t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(500 * time.Millisecond) {
		c, _, err := w.client.Case(w.t.Context(), address(task))
		if err != nil {
			w.t.Fatal(err)
		}
		if ok(c) {
			return c
		}
		if time.Now().After(end) {
			w.t.Fatalf("not in %s: %s; the case is %v, round %d, %d committed, %d revealed of %d", limit, what, c.Status, c.Round, c.Committed, c.Revealed, len(c.Seats))
		}
	}
}

// capital returns the sum of all lamports.
func (w *world) capital() (sum uint64) {
	w.server.Bank().Read(bank.Confirmed, func(v *bank.View) { sum = v.Capitalization() })
	return sum
}
