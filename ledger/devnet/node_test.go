package devnet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// noNode is the environment variable that skips the JavaScript clients.
const noNode = "OJUD_NO_NODE"

// TestNodeClients drives the server with @solana/web3.js and @solana/kit, as users' programs do. If
// they are missing, it installs the versions of e2e/package.json. If that is impossible, the log
// says so, and in CI (the environment variable CI is set) the test fails. TestSolanaGo, TestGolden
// and the tests of sockets check the same protocol without JavaScript.
func TestNodeClients(t *testing.T) {
	if os.Getenv(noNode) == "1" {
		t.Logf("NOT RUN: %s=1, the JavaScript clients were not tried", noNode)
		return
	}
	node, err := nodeClients(t)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("the JavaScript clients are missing, and CI must try them (or set %s=1): %v", noNode, err)
	}
	if err != nil {
		t.Logf("NOT RUN: THE JAVASCRIPT CLIENTS WERE NOT TRIED. Install Node.js 20 or later with npm, and let npm reach its registry: %v", err)
		return
	}
	for _, script := range []string{"web3.mjs", "kit.mjs"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			runClient(t, node, script)
		})
	}
}

// nodeClients returns the path of node when the packages of e2e/package.json are installed. If
// necessary, npm installs them: not with `npm ci`, because that insists on lock entries for other
// platforms' builds, and with --no-save, which leaves the lock file alone.
func nodeClients(t *testing.T) (node string, err error) {
	t.Helper()
	if node, err = exec.LookPath("node"); err != nil {
		return "", err
	}
	if there, err := installed("e2e"); err != nil || there {
		return node, err
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = "e2e"
	t.Log("installing the JavaScript clients: ", cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w: %s", cmd, err, out)
	}
	return node, nil
}

// installed reports whether the packages of a package.json are beside it, in its versions.
func installed(dir string) (bool, error) {
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	raw, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(raw, &wanted)
	}
	if err != nil {
		return false, err
	}
	for name, version := range wanted.Dependencies {
		var found struct {
			Version string `json:"version"`
		}
		raw, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json"))
		if err != nil || json.Unmarshal(raw, &found) != nil || found.Version != version {
			return false, nil
		}
	}
	return true, nil
}

// nodeGenesis has a program that fails with error 7, and three of its accounts for the filters.
func nodeGenesis() bank.Genesis {
	g := genesis()
	g.Programs = []bank.Program{{ID: address("program"), ELF: asm.MustELF("mov64 r0, 7\nexit\n", sbpf.V3)}}
	for i, data := range [][]byte{{0, 0, 0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 2, 0, 0, 0, 0}, {0, 0, 0, 0, 2}} {
		g.Accounts = append(g.Accounts, accounts.Keyed{
			Key:     solana.PublicKey{1, byte(i)},
			Account: accounts.Account{Lamports: sol, Data: data, Owner: address("program"), RentEpoch: ^uint64(0)},
		})
	}
	return g
}

// TestSolders drives the server with solders, whose types are those of Agave's RPC. `make clients`
// names a Python that has it.
func TestSolders(t *testing.T) {
	python := os.Getenv("SOLDERS_PYTHON")
	if python == "" {
		t.Log("NOT RUN: SOLDERS_PYTHON names no Python with solders; make clients does")
		return
	}
	runClient(t, python, "solders_client.py")
}

// runClient runs a program of e2e against a server.
func runClient(t *testing.T, program, script string) {
	s, http, ws := serveNextPort(t, func(c *devnet.Config, d *devnet.Deps) {
		c.Chain.SlotTime = 25 * time.Millisecond // 150 blocks, a blockhash's life, in 4 s
		d.Genesis = nodeGenesis()
		withLibrary(t)(c, d)
	})
	chain, err := json.Marshal(map[string]string{
		"rpc": http, "ws": ws, "program": address("program").String(), "genesis": s.Bank().GenesisHash().String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, script)
	cmd.Dir = "e2e"
	cmd.Env = append(os.Environ(), "OJUD_E2E="+string(chain))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// serveNextPort is serve with the websocket on the port after the RPC's, where web3.js looks for
// it. If another process takes one of the two ports first, it tries two others.
func serveNextPort(t *testing.T, change func(*devnet.Config, *devnet.Deps)) (s *devnet.Server, http, ws string) {
	t.Helper()
	var err error = syscall.EADDRINUSE
	for try := 0; try < 10 && errors.Is(err, syscall.EADDRINUSE); try++ {
		s, http, ws, err = tryServe(t, func(c *devnet.Config, d *devnet.Deps) {
			change(c, d)
			c.RPC, c.WS = freePair(t), ""
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, http, ws
}

// freePair returns two neighbouring free ports. They are below those that the system gives to
// programs which ask for any port, so that no other test gets one of them meanwhile.
func freePair(t *testing.T) string {
	t.Helper()
	for range 50 {
		at := 16_000 + 2*rand.IntN(8_000)
		first, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(at)))
		if err != nil {
			continue
		}
		second, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(at+1)))
		if err == nil {
			err = second.Close()
		}
		if err = errors.Join(err, first.Close()); err == nil {
			return first.Addr().String()
		}
	}
	t.Fatal("no two neighbouring free ports were found")
	return ""
}
