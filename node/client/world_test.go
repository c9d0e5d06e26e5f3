package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"

	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/signers"
	"ojud/ledger/transact"
	"ojud/node"
	"ojud/node/library"
	"ojud/p2p/p2ptest"
	oju "ojud/programs/oju"
	signerself "ojud/programs/oju/signers"
	"ojud/voting"
)

const sol Lamports = 1_000_000_000

// keypair returns the n-th Solana key of a test.
func keypair(t testing.TB, n byte) *ledger.Keypair {
	t.Helper()
	k, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// world is a court in one process on fake time: the real program on the embedded chain, a simulated
// wire, and nodes on it.
type world struct {
	t       *testing.T
	server  *devnet.Server
	network node.Descriptor
	net     *p2ptest.Net
	hosts   int // used addresses of the wire
}

// newWorld starts a chain with an initialised program.
func newWorld(t *testing.T, change func(*program.Params)) *world {
	t.Helper()
	w := &world{t: t, net: p2ptest.NewNet(t, 20*time.Millisecond)}
	deployer, id := keypair(t, 100), keypair(t, 101).Address()
	authority, seed := deployer.Address(), sha256.Sum256([]byte(t.Name()))
	var err error
	w.server, err = devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: bank.Genesis{
		Seed: seed[:], Programs: []bank.Program{bank.Upgradeable(id, authority, oju.ELF()), bank.Upgradeable(signers.Devnet(), authority, signerself.ELF())},
	}})
	if err != nil {
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
	w.network = node.Descriptor{
		Format: node.DescriptorFormat, Name: "test", Network: voting.Hash(w.server.Bank().GenesisHash()).String(), Program: id.String(),
		RPC: "http://node.test:8899", WS: "ws://node.test:8900", Bootstrap: []string{}, Faucet: true,
	}
	params := program.DefaultParams()
	params.CoverBps = 0 // a small court
	params.MinSeats, params.PanelSeats = 3, 3
	if change != nil {
		change(&params)
	}
	found := program.InitConfig{Network: voting.Hash(w.server.Bank().GenesisHash()), Params: params}
	w.deploy(func(p program.Program) onchain.Instruction { return p.InitConfig(authority, found) })
	return w
}

// deploy submits an instruction as the deployer. It must land.
func (w *world) deploy(build func(program.Program) onchain.Instruction) {
	w.t.Helper()
	deployer := keypair(w.t, 100)
	c, err := ledger.New(chainConfig(), keypair(w.t, 101).Address(), ledger.Deps{Transport: w.server.Transport()})
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	ctx := w.t.Context()
	sig, err := c.Airdrop(ctx, deployer.Address(), 100*uint64(sol))
	if err == nil {
		_, err = c.Await(ctx, sig)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := ledger.OpenSender(ctx, c, &ledger.MemoryOutbox{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	out, err := s.Submit(ctx, []onchain.Instruction{build(c.Program())}, ledger.SubmitOptions{Payer: deployer})
	if err != nil || out.Class != ledger.Landed {
		w.t.Fatalf("%+v, %v", out, err)
	}
}

func chainConfig() ledger.Config {
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Calls.Rate = "http://node.test:8899", "ws://node.test:8900", 0
	return cfg
}

// client opens a client. A nil key opens one without a key.
func (w *world) client(key *ledger.Keypair) *Client {
	w.t.Helper()
	cfg := DefaultConfig()
	cfg.Content.Listen = p2ptest.Config(w.host()).Listen
	c, err := Open(w.t.Context(), w.network, key, cfg, Deps{Transport: w.server.Transport(), Libp2p: []libp2p.Option{w.net.Transport()}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return c
}

// warp moves the chain's clock, and waits for the block that shows it.
func (w *world) warp(d time.Duration) {
	w.t.Helper()
	if err := w.server.Warp(d); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(time.Second)
}

// host takes the next address of the wire.
func (w *world) host() int {
	w.hosts++
	return w.hosts - 1
}

// agent returns a registered agent with 5 SOL in its vault.
func (w *world) agent(n byte) *Client {
	w.t.Helper()
	c := w.client(keypair(w.t, n))
	if _, err := c.Airdrop(w.t.Context(), onchain.Address{}, 10*sol); err != nil {
		w.t.Fatal(err)
	}
	if _, err := c.Register(w.t.Context(), Profile{}, 5*sol); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// judges starts whole nodes that have joined the court through this package.
func (w *world) judges(n int) {
	w.t.Helper()
	for range n {
		w.judge()
	}
}

func (w *world) judge() *node.Node {
	w.t.Helper()
	i := w.host()
	home, created, err := node.Init(filepath.Join(w.t.TempDir(), strconv.Itoa(i)), w.network)
	if err != nil || !created {
		w.t.Fatal(created, err)
	}
	c := w.client(home.Keys.Authority)
	if _, err := c.Airdrop(w.t.Context(), onchain.Address{}, 3*sol); err != nil {
		w.t.Fatal(err)
	}
	if _, err := c.Join(w.t.Context(), home.Keys, Candidacy{Stake: 2 * sol}); err != nil {
		w.t.Fatal(err)
	}
	if err := w.server.Warp(4 * time.Minute); err != nil { // the season before began 512 slots ago
		w.t.Fatal(err)
	}
	w.deploy(func(p program.Program) onchain.Instruction { return p.BeginSeason(program.FirstRules) })
	cfg := node.DefaultConfig()
	cfg.P2P, cfg.Ledger, cfg.API.Listen = p2ptest.Config(i), chainConfig(), "off"
	ctx, stop := context.WithCancel(context.Background())
	m, err := node.New(ctx, home, cfg, node.Deps{Transport: w.server.Transport(), Libp2p: []libp2p.Option{w.net.Transport()}})
	if err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { err := m.Run(ctx); done <- errors.Join(err, m.Close()) }()
	w.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	addrs, err := m.Addrs()
	if err != nil {
		w.t.Fatal(err)
	}
	w.network.Bootstrap = append(w.network.Bootstrap, addrs...)
	return m
}

// example returns the path of a file of seed 000's example.
func example(name string) string { return "../../examples/eleptiger/" + name + ".json" }

// load reads a document and fails the test on an error.
func load(t testing.TB, read func(string) (library.Document, error), path string) library.Document {
	t.Helper()
	d, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// file writes a file for a test.
func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
