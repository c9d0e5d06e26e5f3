package founding_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/client"
	"ojud/node/founding"
	oju "ojud/programs/oju"
)

func key(t *testing.T, n byte) *client.Keypair {
	t.Helper()
	k, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The programs of the chain: ours, a changed one, one with room to grow, and one that nobody may
// upgrade.
const (
	ours, changed, roomy, frozen = 101, 102, 103, 104
	founder                      = 100
)

// cluster is a chain with programs and no court.
func cluster(t *testing.T) *devnet.Server {
	t.Helper()
	authority, seed := key(t, founder).Address(), sha256.Sum256([]byte(t.Name()))
	other := oju.ELF()
	other[len(other)-1] ^= 1
	at := func(n byte) [32]byte { return key(t, n).Address() }
	server, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: bank.Genesis{Seed: seed[:], Programs: []bank.Program{
		bank.Upgradeable(at(ours), authority, oju.ELF()), bank.Upgradeable(at(changed), authority, other),
		bank.Upgradeable(at(roomy), authority, append(oju.ELF(), make([]byte, 4096)...)), bank.Upgradeable(at(frozen), [32]byte{}, oju.ELF()),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, server.Close()); err != nil {
			t.Error(err)
		}
	})
	return server
}

// wish is a good one.
func wish(t *testing.T, server *devnet.Server) founding.Wish {
	t.Helper()
	w := founding.Wish{Ledger: ledger.DefaultConfig(), Program: key(t, ours).Address(), Key: key(t, founder), Name: "test", Params: program.DefaultParams(), Faucet: true, Transport: server.Transport()}
	w.Ledger.RPC, w.Ledger.WS, w.Ledger.Calls.Rate = "http://node.test:8899", "ws://node.test:8900", 0
	return w
}

// fund gives the founder some SOL.
func fund(t *testing.T, w founding.Wish, lamports uint64) {
	t.Helper()
	c, err := ledger.New(w.Ledger, w.Program, ledger.Deps{Transport: w.Transport})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sig, err := c.Airdrop(t.Context(), w.Key.Address(), lamports)
	if err == nil {
		_, err = c.Await(t.Context(), sig)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFound: a court is founded once. Then parties find it by what network.json says.
func TestFound(t *testing.T) {
	t.Parallel()
	server := cluster(t)
	w := wish(t, server)
	w.Listed = true
	if c, err := founding.Look(t.Context(), w); err != nil || c.Result != "would be founded" || c.Upgrade != w.Key.Address().String() || c.Signature != "" {
		t.Fatalf("%+v, %v", c, err)
	}
	if _, err := founding.Found(t.Context(), w); err == nil || !strings.Contains(err.Error(), "not enough SOL") {
		t.Errorf("without money: %v", err)
	}
	fund(t, w, onchain.LamportsPerSOL)
	stranger := w
	stranger.Key = key(t, 9)
	if _, err := founding.Found(t.Context(), stranger); !errors.Is(err, founding.ErrNotAllowed) || !strings.Contains(err.Error(), w.Key.Address().String()) {
		t.Errorf("a stranger: %v", err)
	}
	c, err := founding.Found(t.Context(), w)
	if err != nil || c.Result != "founded" || c.Signature == "" || c.Paid == 0 || !c.Listed || c.Authority != w.Key.Address().String() {
		t.Fatalf("%+v, %v", c, err)
	}
	if next := strings.Join(c.Next("n.json"), "\n"); !strings.Contains(next, "ojud join n.json") || !strings.Contains(next, "court admit") {
		t.Error(next)
	}
	again, err := founding.Found(t.Context(), w)
	if err != nil || again.Result != "stands already" || again.Signature != "" || !again.Listed {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := founding.Found(t.Context(), stranger); !errors.Is(err, founding.ErrNotAllowed) || !strings.Contains(err.Error(), w.Key.Address().String()) {
		t.Errorf("a stranger, when the court stands: %v", err)
	}
	other := w
	other.Params.MinStake *= 2
	if _, err := founding.Found(t.Context(), other); err == nil || !strings.Contains(err.Error(), "ojud court rules propose") {
		t.Errorf("other rules than those of the court: %v", err)
	}
	for n, want := range map[byte]bool{founder: true, 9: false} {
		signed, err := c.Network.SignedBy(key(t, n), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if f := founding.Signature(t.Context(), w, signed); f.OK != want || !strings.Contains(f.Detail, key(t, n).Address().String()) || strings.Contains(f.Detail, "no power") == want {
			t.Errorf("signed by %d: %+v", n, f)
		}
	}
	valued := c.Network
	valued.Faucet = false
	if f := founding.Signature(t.Context(), w, valued); !f.OK || !f.Notice || !strings.Contains(f.Detail, "nobody signed") {
		t.Errorf("%+v", f)
	}
	cfg := client.DefaultConfig()
	party, err := client.Open(t.Context(), c.Network, key(t, 7), cfg, client.Deps{Transport: server.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	if judges, err := party.Judges(t.Context()); err != nil || len(judges) != 0 {
		t.Error(judges, err)
	}
	if err := party.Close(); err != nil {
		t.Error(err)
	}
}

// TestRoom: a program with room to grow, as a deployment leaves it, is the same program.
func TestRoom(t *testing.T) {
	t.Parallel()
	w := wish(t, cluster(t))
	w.Program = key(t, roomy).Address()
	if c, err := founding.Look(t.Context(), w); err != nil || c.Result != "would be founded" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestBadWishes: what cannot become a court is refused before anything is sent.
func TestBadWishes(t *testing.T) {
	t.Parallel()
	server := cluster(t)
	for name, c := range map[string]struct {
		change func(*founding.Wish)
		want   string
	}{
		"no program":     {func(w *founding.Wish) { w.Program = key(t, 1).Address() }, "there is no program"},
		"a wallet":       {func(w *founding.Wish) { w.Program = w.Key.Address() }, "there is no program"},
		"other program":  {func(w *founding.Wish) { w.Program = key(t, changed).Address() }, "another program"},
		"frozen program": {func(w *founding.Wish) { w.Program = key(t, frozen).Address() }, "nobody may upgrade"},
		"rules":          {func(w *founding.Wish) { w.Params.PanelSeats = 200 }, "panel_seats"},
		"name":           {func(w *founding.Wish) { w.Name = "My Court" }, "name"},
		"bootstrap":      {func(w *founding.Wish) { w.Bootstrap = []string{"/ip4/1.2.3.4"} }, "bootstrap[0]"},
	} {
		w := wish(t, server)
		c.change(&w)
		if _, err := founding.Look(t.Context(), w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
