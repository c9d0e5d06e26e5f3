package assay

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/batches"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// started is a court with a proctor, and an allowance for a batch.
func started(t *testing.T, cfg Measure, judges int) *court {
	t.Helper()
	b, err := NewBench(cfg, judges)
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.DefaultConfig().Sized(judges).Fast().Golden(cfg.Share)
	c.Dir, c.Chain.RPC, c.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	c.Node.Crank.Budget = 0 // the test applies and closes
	running, err := cluster.Start(t.Context(), c, cluster.Deps{Judge: b.Judge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
	w, err := b.open(t.Context(), running, c.Dir, t.Logf)
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	r := b.report(running)
	for _, step := range []func() error{func() error { return err }, func() error { return w.admit(t.Context()) }, func() error { return w.earn(t.Context(), &r) }} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestInterrupted: a proctor is stopped again and again at any moment, and starts again each time.
// No task is created twice, no lamport is lost, the batch is opened once all cases are over and not
// before, and everything that is done again moves nothing.
func TestInterrupted(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := DefaultMeasure(3)
	cfg.Share, cfg.Leaves, cfg.Rejecters, cfg.Copiers, cfg.AtOnce = maxShare, 2, 0, 0, 4
	w := started(t, cfg, 3)
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "batch")
	made, err := w.make(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, leaf := range made.Leaves() {
		w.learn(leaf.Task, leaf.Result, leaf.Answer)
	}
	load := func() *batches.Life {
		life, err := batches.Load(dir, w.proctor)
		if err != nil {
			t.Fatal(err)
		}
		return life
	}
	again(t, func(ctx context.Context) error { _, err := load().Commit(ctx, 0); return err })
	purse := w.purse(t)
	again(t, func(ctx context.Context) error {
		_, err := load().Post(ctx, batches.Posting{Creators: w.creators, Workers: w.workers, Span: time.Second, Poll: poll})
		return err
	})
	for i, c := range w.creators {
		if a, err := c.Agent(ctx, onchain.Address{}); err != nil || a.TasksCreated != 1 {
			t.Errorf("creator %d created %d tasks, %v", i+1, a.TasksCreated, err)
		}
	}
	for {
		_, err := load().Open(ctx, false)
		if err == nil {
			break
		}
		if !errors.Is(err, batches.ErrWaiting) {
			t.Fatal(err)
		}
		time.Sleep(poll)
	}
	again(t, func(ctx context.Context) error { _, err := load().Open(ctx, false); return err })
	if _, err := load().Apply(ctx); !errors.Is(err, batches.ErrWaiting) {
		t.Errorf("applied while it may be challenged: %v", err)
	}
	if _, err := load().Close(ctx); err == nil {
		t.Error("closed before it was applied")
	}
	s, err := load().Show(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.Chain().Server().Warp(time.Duration(s.ApplyFrom-s.Now+1) * time.Second); err != nil {
		t.Fatal(err)
	}
	again(t, func(ctx context.Context) error { _, err := load().Apply(ctx); return err })
	again(t, func(ctx context.Context) error { _, err := load().Close(ctx); return err })
	s, err = load().Show(ctx)
	if err != nil || s.Phase != "closed" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := load().Commit(ctx, 0); err == nil {
		t.Error("a closed batch is committed again")
	}
	// The deposit is back, with the fees of two leaves as far as the Pot had them.
	if got := w.purse(t); got < purse+s.Costs.Deposit-sol/100 {
		t.Errorf("the proctor had %s after the commitment, and has %s", purse, got)
	}
	office := client.OfficeOf(w.proctor)
	for _, leaf := range made.Leaves() {
		k, err := read(ctx, office, office.Program().Case(onchain.Address(leaf.Address)), program.DecodeCase)
		if err != nil || k.Applied != 1 || k.Golden != leaf.Answer {
			t.Errorf("%+v, %v", k, err)
		}
	}
}

func (w *court) purse(t *testing.T) client.Lamports {
	t.Helper()
	b, err := w.proctor.Balance(t.Context(), onchain.Address{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// again does something until it is done, and stops it after ever longer times. What a busy chain
// refuses is done again, too, as a proctor would. Then it does it once more.
func again(t *testing.T, do func(context.Context) error) {
	t.Helper()
	const most = 20 // tries
	after := 50 * time.Millisecond
	for try := 1; ; try++ {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		err := do(ctx)
		cancel()
		if err == nil {
			break
		}
		if try == most {
			t.Fatal(err)
		}
		after += after/2 + 13*time.Millisecond
	}
	if err := do(t.Context()); err != nil {
		t.Fatalf("again: %v", err)
	}
}
