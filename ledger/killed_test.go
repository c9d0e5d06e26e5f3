package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/journal"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	"ojud/test/longtest"
	"ojud/voting"
)

// chainDir in the environment makes the test binary a chain in that folder, at chainRPC and
// chainWS.
const chainDir, chainRPC, chainWS = "OJUD_TEST_CHAIN_DIR", "OJUD_TEST_CHAIN_RPC", "OJUD_TEST_CHAIN_WS"

// TestMain is a child of the tests instead of the tests when it is asked to.
func TestMain(m *testing.M) {
	for name, child := range map[string]func(string) error{chainDir: serveChain, payerDir: payAll} {
		if dir := os.Getenv(name); dir != "" {
			if err := child(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

func serveChain(dir string) error {
	cfg := devnet.DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Chain.Dir, cfg.Chain.SlotTime = os.Getenv(chainRPC), os.Getenv(chainWS), dir, 100*time.Millisecond
	server, err := devnet.New(cfg, devnet.Deps{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), Genesis: ledger.ChainGenesis("killed")})
	if err != nil {
		return err
	}
	return errors.Join(server.Serve(context.Background(), nil), server.Close())
}

// process is a chain in a process of its own.
type process struct {
	t            *testing.T
	dir, rpc, ws string
	cmd          *exec.Cmd
}

func newProcess(t *testing.T) *process {
	t.Helper()
	p := &process{t: t, dir: t.TempDir()}
	for _, address := range []*string{&p.rpc, &p.ws} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		*address = l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(p.kill)
	return p
}

func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), chainDir+"="+p.dir, chainRPC+"="+p.rpc, chainWS+"="+p.ws)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Error(err)
	}
	if err := p.cmd.Wait(); err == nil {
		p.t.Error("the chain ended by itself")
	}
	p.cmd = nil
}

// TestKilledChain: over real sockets, with a journal on disk, a watcher, and a chain process that
// is killed twice with kill -9 while payments are under way and once while the sender is away,
// every payment arrives once, and the watcher sees the chain again.
func TestKilledChain(t *testing.T) {
	longtest.Only(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	p := newProcess(t)
	p.start()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := p.client()
	defer c.Close()
	genesis, err := c.Genesis(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := ledger.NewWatcher(c, ledger.Cursor{})
	watching, stop := context.WithCancel(ctx)
	var taking sync.WaitGroup
	taking.Go(func() {
		if err := w.Run(watching); err != nil {
			t.Error(err)
		}
	})
	taking.Go(func() { drain(w.Events()) })
	taking.Go(func() { drain(w.Looks()) })
	defer taking.Wait()
	defer stop()

	s := &spender{t: t, client: c, payer: ledger.Key(1)}
	s.fund(ctx)
	jcfg := journal.DefaultConfig()
	jcfg.Dir = filepath.Join(t.TempDir(), "journal")
	const n = 12
	for life := range 3 {
		j, err := journal.Open(jcfg, journal.Identity{Network: voting.Hash(genesis), Program: voting.Key(ledger.ProgramID())}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.sender, err = ledger.OpenSender(ctx, c, j.Outbox()); err != nil {
			t.Fatal(err)
		}
		if life < 2 {
			s.throughDeath(ctx, p, life*n/2, (life+1)*n/2)
		} else { // the last life brings to an end what the others left
			s.settleAll(ctx, n)
		}
		s.sender.Close()
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		p.kill()
		p.start()
	}
	for i := range n {
		got, _, err := c.Balance(ctx, ledger.Payee(i))
		if err != nil || got != ledger.Amount(i) {
			t.Errorf("payment %d: %d lamports arrived, %v", i, got, err)
		}
	}
	for !w.Health().Socket || c.Clock().Age() > time.Second {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the watcher does not see the chain again: %+v, %v", w.Health(), c.Clock().Age())
		}
	}
}

func drain[T any](c <-chan T) {
	for range c {
	}
}

// client speaks to the process over real sockets.
func (p *process) client() *ledger.Client {
	p.t.Helper()
	c, err := quickClient(p.rpc, p.ws)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func quickClient(rpc, ws string) (*ledger.Client, error) {
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.WS, cfg.Calls.Rate = "http://"+rpc, "ws://"+ws, 0
	cfg.Calls.BackoffMax, cfg.Watch.Poll, cfg.Watch.ReconnectMax = 300*time.Millisecond, 300*time.Millisecond, time.Second
	cfg.Send.Status, cfg.Send.Rebroadcast = 100*time.Millisecond, 300*time.Millisecond
	return ledger.New(cfg, ledger.ProgramID(), ledger.Deps{Metrics: prometheus.NewRegistry()})
}

// spender makes payments.
type spender struct {
	t      *testing.T
	client *ledger.Client
	sender *ledger.Sender
	payer  *ledger.Keypair
}

func (s *spender) fund(ctx context.Context) {
	s.t.Helper()
	if _, err := s.client.Genesis(ctx); err != nil { // waits until the node answers, which Airdrop does not
		s.t.Fatal(err)
	}
	sig, err := s.client.Airdrop(ctx, s.payer.Address(), 100*onchain.LamportsPerSOL)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.client.Await(ctx, sig); err != nil {
		s.t.Fatal(err)
	}
}

// throughDeath submits payments, kills the chain while they are under way, and leaves before all of
// them are known to have landed.
func (s *spender) throughDeath(ctx context.Context, p *process, from, to int) {
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	landed := make(chan struct{}, to-from)
	for i := from; i < to; i++ {
		group.Go(func() {
			if out, err := s.pay(life, i); err == nil && out.Class == ledger.Landed {
				landed <- struct{}{}
			}
		})
	}
	for range 2 {
		select {
		case <-landed:
		case <-ctx.Done():
			s.t.Fatal("no payment lands")
		}
		p.kill()
		p.start()
	}
	cancel()
	group.Wait()
}

// pay submits a payment. It is done when the payee has it.
func (s *spender) pay(ctx context.Context, i int) (transact.Outcome, error) {
	return s.sender.Submit(ctx, ledger.Payment(s.payer, i), ledger.SubmitOptions{
		Purpose: ledger.Purpose(fmt.Sprintf("pay/%d", i)), Payer: s.payer, Once: true,
		Done: func(ctx context.Context) (bool, error) {
			got, _, err := s.client.Balance(ctx, ledger.Payee(i))
			return got > 0, err
		},
	})
}

// settleAll submits all payments once more.
func (s *spender) settleAll(ctx context.Context, n int) {
	for i := range n {
		out, err := s.pay(ctx, i)
		if err != nil || out.Class != ledger.Landed && out.Class != ledger.AlreadyDone {
			s.t.Errorf("payment %d: %+v, %v", i, out, err)
		}
	}
}
