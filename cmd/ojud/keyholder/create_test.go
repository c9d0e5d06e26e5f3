package keyholder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/founding"
	oju "ojud/programs/oju"
	"ojud/test/longtest"
)

// typed runs a command line.
func typed(t *testing.T, command func(*cli.App) *cobra.Command, args ...string) (string, error) {
	t.Helper()
	var out, told bytes.Buffer
	cmd := command(cli.New(nil, &out, &told))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestCreateFlags: a wrong command line is refused before the cluster is asked, and names the fix.
func TestCreateFlags(t *testing.T) {
	t.Parallel()
	const program = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
	file := filepath.Join(t.TempDir(), "network.json")
	for _, c := range []struct{ args, want string }{
		{"", "needs --rpc"}, {"--rpc http://127.0.0.1:9", "name its file with --payer"}, {"--rpc http://127.0.0.1:9 --program x", "--program"},
		{"--rpc http://127.0.0.1:9 --program " + program, "name its file with --payer"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --key nowhere.json", "nowhere.json"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --dry-run --set min_stake", "has no value"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --dry-run --set panel_seats=200", "panel_seats"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --dry-run --set colour=red", "colour"},
		{"--rpc http://127.0.0.1:9 --program " + program + " --program-key p.json", "leave one of them out"},
		{"--rpc http://127.0.0.1:9 --room 9000 --payer k.json", "not between 0 and 8192"},
		{"--rpc http://127.0.0.1:9 --payer k.json --rules nowhere.txt", "nowhere.txt"},
	} {
		if _, err := typed(t, newCreate, append(strings.Fields(c.args), "--file", file)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a refused command wrote a file", err)
	}
}

// TestProgram: the program is written as it is in this ojud, and no file is written over.
func TestProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "oju.so")
	out, err := typed(t, newProgram, file)
	raw, broken := os.ReadFile(file)
	if err != nil || broken != nil || !bytes.Equal(raw, oju.ELF()) || !strings.Contains(out, founding.SHA256()) {
		t.Error(out, err, broken)
	}
	if _, err := typed(t, newProgram, file); err == nil {
		t.Error("it wrote over a file")
	}
}

// dying is a way to a chain on which a command that was killed sends nothing any more.
type dying struct {
	http.RoundTripper
	mu   sync.Mutex
	left int // transactions; negative: it does not die
	dies context.CancelFunc
}

// RoundTrip implements http.RoundTripper.
func (d *dying) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	d.mu.Lock()
	defer d.mu.Unlock()
	if bytes.Contains(raw, []byte(`"sendTransaction"`)) {
		if d.left == 0 {
			d.dies()
			return nil, errors.New("killed")
		}
		d.left--
	}
	return d.RoundTripper.RoundTrip(r)
}

// founded returns a chain, and a folder with the key of a founder. The key has 10 SOL.
type founded struct {
	t    *testing.T
	way  *dying
	dir  string
	self *ledger.Keypair
}

func newFounded(t *testing.T) *founded {
	t.Helper()
	server, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{Logger: slog.New(slog.DiscardHandler), Genesis: bank.Genesis{Seed: bytes.Repeat([]byte{1}, 32)}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-over, server.Close()); err != nil {
			t.Error(err)
		}
	})
	f := &founded{t: t, way: &dying{RoundTripper: server.Transport(), left: -1}, dir: t.TempDir()}
	if f.self, _, err = client.LoadOrCreateKey(filepath.Join(f.dir, "id.json")); err != nil {
		t.Fatal(err)
	}
	c := f.client()
	sig, err := c.Airdrop(t.Context(), f.self.Address(), 10*onchain.LamportsPerSOL)
	if err == nil {
		_, err = c.Await(t.Context(), sig)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *founded) client() *ledger.Client {
	f.t.Helper()
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Calls.Rate = "http://127.0.0.1:8899", "ws://127.0.0.1:8900", 0
	c, err := ledger.New(cfg, onchain.ClockAccount(), ledger.Deps{Transport: f.way})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

func (f *founded) balance() uint64 {
	f.t.Helper()
	n, _, err := f.client().Balance(f.t.Context(), f.self.Address())
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// create types what docs/courts.md says, with more words, and is killed after some transactions.
func (f *founded) create(after int, more ...string) (string, error) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	f.way.mu.Lock()
	f.way.left, f.way.dies = after, cancel
	f.way.mu.Unlock()
	defer func() {
		f.way.mu.Lock()
		f.way.left = -1
		f.way.mu.Unlock()
	}()
	var out, told bytes.Buffer
	app := cli.New(nil, &out, &told)
	app.Transport = f.way
	cmd := newCreate(app)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{
		"--rpc", "http://127.0.0.1:8899", "--payer", filepath.Join(f.dir, "id.json"), "--name", "my-court", "--faucet", "--file", filepath.Join(f.dir, "network.json"),
	}, more...))
	err := cmd.ExecuteContext(ctx)
	return out.String(), err
}

// TestRefund types what docs/courts.md says about a court that is abandoned: a dry run says what
// would come back and sends nothing, and then it comes back.
func TestRefund(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFounded(t)
	if _, err := f.create(4); err == nil {
		t.Fatal("it was not killed")
	}
	// A run that may send nothing fails if it sends.
	if out, err := f.create(0, "--rules", "gone.txt", "--refund", "--dry-run"); err != nil || !strings.Contains(out, "SOL would come back") || strings.Contains(out, " 0 SOL") {
		t.Errorf("a dry refund: %q, %v", out, err)
	}
	out, err := f.create(-1, "--rules", "gone.txt", "--refund")
	if err != nil || !strings.Contains(out, "refunded") || f.balance() < 9_900_000_000 {
		t.Errorf("%q, %v, %d", out, err, f.balance())
	}
	if out, err := f.create(0, "--refund"); err != nil || !strings.Contains(out, "0 SOL") {
		t.Errorf("again: %q, %v", out, err)
	}
}

// TestFormerFile: a file in the place of network.json is looked at before anything is paid.
func TestFormerFile(t *testing.T) {
	t.Parallel()
	f := newFounded(t)
	before, file := f.balance(), filepath.Join(f.dir, "network.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.create(0); err == nil || !strings.Contains(err.Error(), "is no network.json") {
		t.Errorf("a damaged file: %v", err)
	}
	old := node.Descriptor{
		Format: node.DescriptorFormat, Name: "other", Network: strings.Repeat("a", 64), Program: onchain.Address{9}.String(),
		RPC: "http://127.0.0.1:8899", WS: "ws://127.0.0.1:8900", Bootstrap: []string{},
	}
	raw, err := old.Encode()
	if err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.create(0); err == nil || !strings.Contains(err.Error(), "that of another court") || f.balance() != before {
		t.Errorf("the file of another court: %v, %d of %d", err, f.balance(), before)
	}
}
