package devnet_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/rpc"
	"github.com/gagliardetto/solana-go/rpc/ws"
	"go.uber.org/goleak"

	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
)

// serveDir is the environment variable with the chain that the test binary must serve as a child
// until it is killed.
const serveDir = "OJUD_TEST_SERVE_DIR"

// TestMain runs the child of TestKilledServer instead of the tests if serveDir is set.
func TestMain(m *testing.M) {
	if dir := os.Getenv(serveDir); dir != "" {
		if err := serveChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func onDisk(dir string) devnet.Config {
	c := devnet.DefaultConfig()
	c.RPC, c.WS, c.Chain.Dir = "127.0.0.1:0", "127.0.0.1:0", dir
	c.Chain.SlotTime = 20 * time.Millisecond
	return c
}

// serveChild serves a chain and prints its address.
func serveChild(dir string) error {
	s, err := devnet.New(onDisk(dir), devnet.Deps{Logger: quiet(), Genesis: genesis()})
	if err != nil {
		return err
	}
	return s.Serve(context.Background(), func(rpc, _ net.Addr) { fmt.Println(rpc) })
}

// TestKilledServer kills a server under load. Every transaction that it acknowledged, with a
// signature and then a status, must be there after the restart.
func TestKilledServer(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[solana.Signature]uint64{}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		killServer(t, dir, acknowledged)
	}
	s, err := devnet.New(onDisk(dir), devnet.Deps{Logger: quiet(), Genesis: genesis(), Manual: true})
	if err != nil {
		t.Fatal(err)
	}
	for signature, slot := range acknowledged {
		got, ok, err := s.Bank().Status(signature)
		if err != nil || !ok || got.Transaction.Slot != slot || got.Transaction.Err != nil {
			t.Fatalf("%s of slot %d is lost or another: %+v %v %v", signature, slot, got, ok, err)
		}
	}
	t.Logf("%d acknowledged transactions in %d kills, none lost", len(acknowledged), rounds)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func killServer(t *testing.T, dir string, acknowledged map[solana.Signature]uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c := rpc.New("http://" + strings.TrimSpace(address))
	enough := len(acknowledged) + 20 + rand.IntN(150)
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for {
				signature, slot, err := acknowledge(c, solana.PublicKey{byte(100 + worker)})
				if err != nil {
					return // the server is dead; unacknowledged transactions may be lost
				}
				mu.Lock()
				acknowledged[signature] = slot
				if len(acknowledged) >= enough {
					if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
						t.Error(err)
					}
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the child was not killed: %v", err)
	}
}

func acknowledge(c *rpc.Client, to solana.PublicKey) (solana.Signature, uint64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	signature, err := c.RequestAirdrop(ctx, to, sol, rpc.CommitmentProcessed)
	if err != nil {
		return signature, 0, err
	}
	got, err := c.GetSignatureStatuses(ctx, false, signature)
	if err != nil {
		return signature, 0, err
	}
	if got.Value[0] == nil {
		return signature, 0, errors.New("acknowledged, but there is no status")
	}
	return signature, got.Value[0].Slot, nil
}

// TestServeStops stops a server that has clients: Serve returns without error, and no goroutine
// stays.
func TestServeStops(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s, err := devnet.New(onDisk(t.TempDir()), devnet.Deps{Logger: quiet(), Genesis: genesis()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	up, done := make(chan [2]net.Addr, 1), make(chan error, 1)
	go func() { done <- s.Serve(ctx, func(rpc, ws net.Addr) { up <- [2]net.Addr{rpc, ws} }) }()
	at := <-up
	c := rpc.New("http://" + at[0].String())
	nodes, err := c.GetClusterNodes(ctx)
	if err != nil || len(nodes) != 1 || nodes[0].RPC == nil || *nodes[0].RPC != at[0].String() {
		t.Errorf("nodes %+v %v", nodes, err)
	}
	for _, a := range at { // both ports accept websockets
		w, err := ws.Connect(ctx, "ws://"+a.String())
		if err != nil {
			t.Fatal(err)
		}
		sub, err := w.SlotSubscribe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sub.Recv(ctx); err != nil {
			t.Fatal(err)
		}
		defer w.Close()
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

func TestPortsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, change := range map[string]func(*devnet.Config){
		"rpc": func(c *devnet.Config) { c.RPC = l.Addr().String() },
		"ws":  func(c *devnet.Config) { c.WS = l.Addr().String() },
	} {
		config := devnet.DefaultConfig()
		config.RPC, config.WS = "127.0.0.1:0", "127.0.0.1:0"
		change(&config)
		s, err := devnet.New(config, devnet.Deps{Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Serve(context.Background(), nil); err == nil {
			t.Errorf("%s: served on a port that is taken", name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestServeEndsWithTheChain closes the chain under a running server.
func TestServeEndsWithTheChain(t *testing.T) {
	config := onDisk("")
	s, err := devnet.New(config, devnet.Deps{Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Serve(context.Background(), func(net.Addr, net.Addr) {
		if err := s.Bank().Close(); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, bank.ErrClosed) {
		t.Errorf("serve: %v", err)
	}
}
