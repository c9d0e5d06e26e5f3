package main

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestJoinStakesLast checks that join finds every obstacle for the node before it stakes. join
// itself asks the chain at --rpc or OJUD_LEDGER__RPC.
func TestJoinStakesLast(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(0).Fast()
	c := startCourt(t, cfg)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := taken.Close(); err != nil {
			t.Error(err)
		}
	}()
	rpc, busy := c.Chain().RPC(), taken.Addr().String()
	_, port, err := net.SplitHostPort(busy)
	if err != nil {
		t.Fatal(err)
	}
	dead := deadNetwork(t, rpc)
	home := ""
	join := func(environ []string, args ...string) (int, string) {
		home = filepath.Join(t.TempDir(), "home")
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		code, out, errs := lineIn(t.Context(), append([]string{"HOME=" + t.TempDir(), "OJUD_HOME=" + home}, environ...),
			append([]string{"join", "--no-run", "--listen", "/ip4/127.0.0.1/tcp/0"}, args...)...)
		return code, out + errs
	}
	judges := func() int {
		code, out, errs := lineIn(t.Context(), []string{"HOME=" + t.TempDir()}, "judge", "list", "--json", "--network", rpc)
		if code != cli.ExitOK {
			t.Fatal(errs)
		}
		return strings.Count(out, "\n")
	}
	for name, c := range map[string]struct {
		says string
		args []string
	}{
		"api port in use":   {"--api", []string{rpc, "--api", busy}},
		"p2p port in use":   {"--listen", []string{rpc, "--listen", "/ip4/127.0.0.1/tcp/" + port}},
		"no multiaddr":      {"no multiaddr", []string{rpc, "--listen", "nonsense"}},
		"no setting":        {"nope", []string{rpc, "--set", "nope.nope=1"}},
		"a dead model":      {"model", []string{rpc, "--model-url", "http://127.0.0.1:1/v1", "--model", "m"}},
		"a dead chain":      {"nothing was staked", []string{dead}},
		"a dead chain, set": {"nothing was staked", []string{rpc, "--rpc", "http://127.0.0.1:1"}},
		"a large stake":     {"at most 10 SOL", []string{rpc, "--stake", "5000sol"}},
		"a small stake":     {"too small, this court wants at least", []string{rpc, "--stake", "0.1sol"}},
		"no network.json":   {"web page, not the network.json of a court", []string{webPage(t)}},
	} {
		if code, said := join(nil, c.args...); code == cli.ExitOK || !strings.Contains(said, c.says) {
			t.Errorf("%s: exit %d, %s", name, code, said)
		}
		// A node that has started announces a judge to the whole court, and keeps a registry.
		if _, err := os.Stat(filepath.Join(home, "registry.json")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a node was started: %v", name, err)
		}
	}
	if n := judges(); n != 0 {
		t.Errorf("%d judges staked although no node could run", n)
	}
	if code, said := join(nil, dead, "--rpc", rpc); code != cli.ExitOK {
		t.Errorf("--rpc: exit %d, %s", code, said)
	}
	if code, said := join([]string{"OJUD_LEDGER__RPC=" + rpc}, dead); code != cli.ExitOK {
		t.Errorf("OJUD_LEDGER__RPC: exit %d, %s", code, said)
	}
	if code, said := join(nil, strings.TrimPrefix(rpc, "http://")); code != cli.ExitOK {
		t.Errorf("without http://: exit %d, %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(home, "registry.json")); err != nil {
		t.Errorf("a node that starts keeps no judges, so this test shows nothing: %v", err)
	}
	if n := judges(); n != 3 {
		t.Errorf("%d judges, want 3", n)
	}
	// A signature that says nothing about the court keeps a judge from staking, and none that has
	// its stake from judging: it would lose some of it for each absence.
	network, signer := signedNetwork(t, rpc)
	if code, said := join(nil, network); code == cli.ExitOK || !strings.Contains(said, "(signature), so nothing was staked") {
		t.Errorf("signed by somebody: exit %d, %s", code, said)
	}
	if code, said := join(nil, network, "--signed-by", signer); code != cli.ExitOK {
		t.Errorf("signed by a known key: exit %d, %s", code, said)
	}
	if code, out, errs := lineIn(t.Context(), []string{"HOME=" + t.TempDir(), "OJUD_HOME=" + home}, "join", network, "--no-run", "--listen", "/ip4/127.0.0.1/tcp/0"); code != cli.ExitOK {
		t.Errorf("with its stake: exit %d, %s%s", code, out, errs)
	}
}

// signedNetwork writes a network.json of the court that a key without power over it has signed.
func signedNetwork(t *testing.T, rpc string) (path, signer string) {
	t.Helper()
	d, err := client.LoadNetwork(t.Context(), rpc, nil)
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := client.LoadOrCreateKey(filepath.Join(t.TempDir(), "somebody.json"))
	if err != nil {
		t.Fatal(err)
	}
	if d, err = d.SignedBy(key, time.Now()); err != nil {
		t.Fatal(err)
	}
	raw, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return fileOf(t, "network.json", raw), key.Address().String()
}

// deadNetwork writes a network.json of the court with an RPC node that does not answer.
func deadNetwork(t *testing.T, rpc string) string {
	t.Helper()
	d, err := client.LoadNetwork(t.Context(), rpc, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.RPC, d.WS = "http://127.0.0.1:1", "ws://127.0.0.1:1"
	raw, err := d.Encode()
	if err != nil || !json.Valid(raw) {
		t.Fatal(err)
	}
	return fileOf(t, "network.json", raw)
}

func webPage(t *testing.T) string {
	t.Helper()
	return fileOf(t, "page.json", []byte("<!doctype html>\n<p>404"))
}

func fileOf(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
