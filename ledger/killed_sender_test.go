package ledger_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/journal"
	"ojud/test/longtest"
	"ojud/voting"
)

// payerDir in the environment makes the test binary a sender with its journal in that folder, on
// the chain at chainRPC, that makes payments until it is killed. With forgetOutbox it keeps
// nothing: the control of the test.
const payerDir, forgetOutbox = "OJUD_TEST_PAYER_DIR", "OJUD_TEST_FORGET_OUTBOX"

// payments is how many payments are made. The payment to Payee(i) is Amount(i), so that a second
// one shows.
const payments = 24

// payAll submits all payments, over and over as a node would after each start, and says so when all
// of them landed.
func payAll(dir string) error {
	ctx := context.Background()
	c, err := quickClient(os.Getenv(chainRPC), os.Getenv(chainWS))
	if err != nil {
		return err
	}
	genesis, err := c.Genesis(ctx)
	if err != nil {
		return err
	}
	cfg := journal.DefaultConfig()
	cfg.Dir = dir
	j, err := journal.Open(cfg, journal.Identity{Network: voting.Hash(genesis), Program: voting.Key(ledger.ProgramID())}, nil, nil)
	if err != nil {
		return err
	}
	var box ledger.Outbox = j.Outbox()
	if os.Getenv(forgetOutbox) != "" {
		box = &ledger.MemoryOutbox{}
	}
	s, err := ledger.OpenSender(ctx, c, box)
	if err != nil {
		return err
	}
	fmt.Println("paying")
	if err := payEach(ctx, s); err != nil {
		return err
	}
	s.Close()
	return j.Close()
}

func payEach(ctx context.Context, s *ledger.Sender) error {
	errs := make([]error, payments)
	var group sync.WaitGroup
	for i := range payments {
		group.Go(func() {
			<-time.After(time.Duration(i%8) * 60 * time.Millisecond) // so that a kill finds them at different points
			out, err := s.Submit(ctx, ledger.Payment(ledger.Key(1), i), ledger.SubmitOptions{
				Purpose: ledger.Purpose(fmt.Sprintf("pay/%d", i)), Payer: ledger.Key(1), Once: true,
			})
			if err == nil && out.Class != ledger.Landed {
				err = fmt.Errorf("payment %d: %v", i, out.Class)
			}
			errs[i] = err
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// TestKilledSender kills a sending process with kill -9 again and again, between signing, keeping,
// sending, landing and forgetting. In the end every payment arrived once. Without an outbox on disk
// some arrive more often, which shows that the kills hit.
func TestKilledSender(t *testing.T) {
	longtest.Only(t)
	p := newProcess(t)
	p.start()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := p.client()
	defer c.Close()
	(&spender{t: t, client: c, payer: ledger.Key(1)}).fund(ctx)
	dir := t.TempDir()
	for range 8 {
		p.payer(dir, time.Duration(1+rand.IntN(600))*time.Millisecond)
	}
	p.payer(dir, 0)
	for i := range payments {
		got, _, err := c.Balance(ctx, ledger.Payee(i))
		if err != nil || got != ledger.Amount(i) {
			t.Errorf("payment %d: %d lamports arrived, not %d; %v", i, got, ledger.Amount(i), err)
		}
	}
}

// TestKilledSenderControl: the same without an outbox on disk.
func TestKilledSenderControl(t *testing.T) {
	longtest.Only(t)
	t.Setenv(forgetOutbox, "1")
	p := newProcess(t)
	p.start()
	c := p.client()
	defer c.Close()
	(&spender{t: t, client: c, payer: ledger.Key(1)}).fund(t.Context())
	dir := t.TempDir()
	for range 10 {
		p.payer(dir, 500*time.Millisecond)
		for i := range payments {
			got, _, err := c.Balance(t.Context(), ledger.Payee(i))
			if err != nil {
				t.Fatal(err)
			}
			if got > ledger.Amount(i) {
				return
			}
		}
	}
	t.Error("without an outbox no payment arrived twice: the kills come too early or too late to show anything")
}

// payer runs a sender, and kills it that long after it began to pay; with 0 it ends by itself.
func (p *process) payer(dir string, after time.Duration) {
	p.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), payerDir+"="+dir, chainRPC+"="+p.rpc, chainWS+"="+p.ws)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	if said := bufio.NewScanner(out); !said.Scan() || said.Text() != "paying" {
		p.t.Fatalf("the payer says %q: %v", said.Text(), cmd.Wait())
	}
	if after > 0 {
		<-time.After(after)
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			p.t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil && after == 0 {
		p.t.Fatalf("the payer: %v", err)
	}
}
