package ledger

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	oju "ojud/programs/oju"
	"ojud/voting"
)

const sol = onchain.LamportsPerSOL

// deployer may upgrade, and so initialise, the program of a test chain.
func deployer() *Keypair { return keypair(100) }

// programID is where a test chain has the program.
func programID() onchain.Address { return keypair(101).Address() }

// testGenesis deploys the real program.
func testGenesis(seed string) bank.Genesis {
	sum := sha256.Sum256([]byte(seed))
	return bank.Genesis{Seed: sum[:], Programs: []bank.Program{bank.Upgradeable(programID(), deployer().Address(), oju.ELF())}}
}

// devChain is the embedded chain in this process and a client of it.
type devChain struct {
	t      *testing.T
	server *devnet.Server
	client *Client
	sender *Sender
	p      program.Program
}

// newDevChain starts a chain that runs until the test ends. wrap goes between client and chain.
func newDevChain(t *testing.T, change func(*Config), wrap func(http.RoundTripper) http.RoundTripper) *devChain {
	t.Helper()
	server, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: testGenesis(t.Name())})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, server.Close()); err != nil {
			t.Error(err)
		}
	})
	cfg := testConfig()
	cfg.WS = "ws://node.test:8900"
	if change != nil {
		change(&cfg)
	}
	transport := server.Transport()
	if wrap != nil {
		transport = wrap(transport)
	}
	c, err := New(cfg, programID(), Deps{Transport: transport, Metrics: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	d := &devChain{t: t, server: server, client: c, p: c.Program()}
	if d.sender, err = OpenSender(t.Context(), c, &MemoryOutbox{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.sender.Close)
	return d
}

// fund has the faucet send a key 100 SOL.
func (d *devChain) fund(keys ...*Keypair) {
	d.t.Helper()
	for _, k := range keys {
		sig, err := d.client.Airdrop(d.t.Context(), k.Address(), 100*sol)
		if err != nil {
			d.t.Fatal(err)
		}
		if _, err := d.client.Await(d.t.Context(), sig); err != nil {
			d.t.Fatal(err)
		}
	}
}

// do submits instructions that have to land, and returns the program's events.
func (d *devChain) do(payer *Keypair, instructions ...onchain.Instruction) []program.Event {
	d.t.Helper()
	out, err := d.sender.Submit(d.t.Context(), instructions, SubmitOptions{Payer: payer})
	if err != nil || out.Class != Landed || !out.Complete {
		d.t.Fatalf("%+v, %v", out, err)
	}
	return out.Events
}

// init initialises the program with short times and panels of three.
func (d *devChain) init() {
	d.t.Helper()
	d.fund(deployer())
	genesis, err := d.client.Genesis(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.client.CheckChain(d.t.Context(), genesis); !errors.Is(err, ErrNoConfig) {
		d.t.Fatalf("before init_config: %v", err)
	}
	params := program.DefaultParams()
	params.CoverBps = 0 // a small court
	params.PanelSeats, params.MinSeats = 3, 3
	params.CommitSeconds, params.RevealSeconds, params.EvidenceSeconds = 60, 30, 120
	d.do(deployer(), d.p.InitConfig(deployer().Address(), program.InitConfig{Network: voting.Hash(genesis), Params: params}))
	if err := d.client.CheckChain(d.t.Context(), genesis); err != nil {
		d.t.Fatal(err)
	}
}

// judge is a judge of a test chain.
type judge struct {
	*Keypair
	node    ed25519.PrivateKey
	opening voting.Opening
}

func (d *devChain) domain() voting.Domain {
	genesis, err := d.client.Genesis(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return voting.Domain{Network: voting.Hash(genesis), Program: voting.Key(d.p.ID())}
}

// join makes judges of keys 1..n.
func (d *devChain) join(n int) (all []*judge) {
	d.t.Helper()
	for i := range n {
		j := &judge{Keypair: keypair(byte(1 + i)), node: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{byte(50 + i)}, 32))}
		d.fund(j.Keypair)
		proof := voting.Signature(ed25519.Sign(j.node, d.domain().JoinProof(voting.Key(j.Address()))))
		peer := voting.Key(j.node.Public().(ed25519.PublicKey))
		d.do(j.Keypair, d.p.JoinRoster(j.Address(), program.FirstRules, d.domain().Network, proof, program.JoinRoster{Peer: peer, Withdraw: j.Address(), Stake: 2 * sol})...)
		all = append(all, j)
	}
	d.do(all[0].Keypair, d.p.BeginSeason(program.FirstRules))
	return all
}

// dispute brings a task of a creator and a worker before the court.
func (d *devChain) dispute(creator, worker *Keypair) onchain.Address {
	d.t.Helper()
	d.fund(creator, worker)
	for _, k := range []*Keypair{creator, worker} {
		d.do(k, d.p.RegisterAgent(k.Address(), program.RegisterAgent{}), d.p.Deposit(k.Address(), k.Address(), program.Deposit{Amount: 5 * sol}))
	}
	task := d.p.Task(creator.Address(), 0)
	hash := voting.Hash{1}
	d.do(creator, d.p.CreateTask(creator.Address(), 0, program.FirstRules, program.CreateTask{
		TaskHash: hash, Seal: voting.Hash{1}, RewardMin: sol, RewardMax: sol, WorkSeconds: 3600, OnUndecided: voting.SplitEscrow,
	}))
	d.do(worker, d.p.ClaimTask(worker.Address(), task, program.FirstRules, program.ClaimTask{MinReward: sol}),
		d.p.StartTask(worker.Address(), task), d.p.SubmitResult(worker.Address(), creator.Address(), task, program.FirstRules, program.SubmitResult{ResultHash: hash}))
	d.do(creator, d.p.Object(creator.Address(), task, program.FirstRules, program.Object{ObjectionHash: hash}))
	d.do(worker, d.p.CounterObject(worker.Address(), task, program.FirstRules, program.CounterObject{CounterHash: hash}))
	return task
}

// TestCourt: a whole case on the real program and the embedded chain, sent by the Sender, seen by
// the Watcher, read back by History and Sealed.
func TestCourt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevChain(t, nil, nil)
		w := watched(t, d.client, Cursor{})
		d.init()
		judges := d.join(3)
		creator, worker := keypair(20), keypair(21)
		task := d.dispute(creator, worker)
		time.Sleep(2 * time.Second) // the seed slot
		events := d.do(judges[0].Keypair, d.p.Draw(task))
		if drawn, ok := events[0].(*program.Drawn); !ok || len(drawn.Seats) != 3 {
			t.Fatalf("drawn: %+v", events)
		}
		commitments := d.commit(task, judges)
		d.reveal(task, judges)
		d.do(judges[1].Keypair, d.p.Settle(task, creator.Address(), worker.Address()))
		time.Sleep(3 * time.Second)

		out, err := d.sender.Submit(t.Context(), []onchain.Instruction{d.p.Draw(task)}, SubmitOptions{Payer: judges[2].Keypair})
		if err != nil || out.Class != Rejected || !errors.Is(out.Rejection, program.ErrWrongStatus) || out.Voting(err) != voting.Moot {
			t.Errorf("a second draw: %+v, %v", out, err)
		}

		if h := w.Health(); !h.Socket || len(h.Problems()) > 0 {
			t.Errorf("the watcher is not well: %+v", h)
		}
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		d.checkLooks(w, task)
		d.checkHistory(w, task)
		for i, j := range judges {
			sealed, err := d.client.Sealed(t.Context(), task, j.Address(), 1, commitments[i])
			if err != nil || len(sealed) != voting.SealedSize || sealed[0] != byte(i) {
				t.Errorf("sealed opening of judge %d: %x, %v", i, sealed, err)
			}
		}
	})
}

func (d *devChain) commit(task onchain.Address, judges []*judge) (all []voting.Hash) {
	for i, j := range judges {
		j.opening = voting.Opening{Choice: voting.Accept, Opinion: voting.Hash{byte(i)}, Salt: voting.Hash{9, byte(i)}}
		c := d.domain().Commitment(voting.Key(task), 1, voting.Key(j.Address()), j.opening)
		sealed := append([]byte{byte(i)}, make([]byte, voting.SealedSize-1)...)
		d.do(j.Keypair, d.p.Commit(j.Address(), task, program.Commit{Round: 1, Commitment: c, Sealed: sealed}))
		all = append(all, c)
	}
	return all
}

func (d *devChain) reveal(task onchain.Address, judges []*judge) {
	for _, j := range judges {
		d.do(judges[0].Keypair, d.p.Reveal(task, j.Address(), 1, j.opening))
	}
}

// checkLooks: the looks show every state of the case in its order, and the peers of the judges.
func (d *devChain) checkLooks(w *watch, task onchain.Address) {
	d.t.Helper()
	seen := map[voting.Status]bool{}
	last := voting.Status(0)
	committed := 0
	for _, l := range w.of(task) {
		v := l.Event().(voting.CaseSeen).Case
		if v.Status < last {
			d.t.Errorf("%v after %v", v.Status, last)
		}
		last, seen[v.Status] = v.Status, true
		committed = max(committed, int(l.Case.Committed))
		for _, s := range v.Seats {
			if s.Peer.IsZero() {
				d.t.Error("a seat without a peer")
			}
		}
		if l.Task == nil || l.Roster == nil || l.Unix == 0 {
			d.t.Errorf("look %+v", l)
		}
	}
	for s := voting.AwaitingDraw; s <= voting.Decided; s++ {
		if !seen[s] {
			d.t.Errorf("no look shows %v", s)
		}
	}
	if committed != 3 {
		d.t.Errorf("%d committed", committed)
	}
}

// checkHistory: the history tells the life of the task, and the stream told the same.
func (d *devChain) checkHistory(w *watch, task onchain.Address) {
	d.t.Helper()
	all, err := d.client.History(d.t.Context(), task)
	if err != nil {
		d.t.Fatal(err)
	}
	var names string
	at := map[onchain.Signature]uint64{}
	for i, o := range all {
		at[o.Signature] = o.Slot
		if !o.Complete || o.Time == 0 || i > 0 && o.Slot < all[i-1].Slot {
			d.t.Errorf("%+v", o)
		}
		for _, e := range o.Events {
			names += e.EventName() + " "
		}
	}
	want := "TaskMoved TaskMoved TaskMoved TaskMoved TaskMoved TaskMoved CaseOpened Drawn " +
		"Committed Committed Committed Revealed Revealed Revealed RoundSettled"
	if len(names) < len(want) || names[:len(want)] != want {
		d.t.Errorf("history: %s", names)
	}
	for _, o := range w.occurred {
		if slot, ok := at[o.Signature]; ok && slot == o.Slot {
			delete(at, o.Signature)
		}
	}
	if len(at) != 0 {
		d.t.Errorf("%d transactions of the history were not in the stream", len(at))
	}
}
