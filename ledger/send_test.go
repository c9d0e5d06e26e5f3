package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/voting"
)

// TestTwins: the same instructions for many purposes in one slot are as many transactions.
func TestTwins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		s := b.sender(b.box)
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				out, err := s.Submit(t.Context(), b.pay(3), SubmitOptions{Purpose: Purpose(fmt.Sprint(i)), Payer: b.payer})
				if err != nil || out.Class != Landed {
					t.Errorf("%+v, %v", out, err)
				}
			})
		}
		group.Wait()
		if n := b.lamports(b.to); n != 30 {
			t.Errorf("%d lamports arrived", n)
		}
		if n := b.count("getSignatureStatuses"); n > 12 {
			t.Errorf("%d questions for the statuses of 10 transactions", n)
		}
	})
}

// TestFinalized: a transaction that has to be final has not landed before.
func TestFinalized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		b.finality = 50 // 20 s
		start := time.Now()
		out, err := b.sender(b.box).Submit(t.Context(), b.pay(3), SubmitOptions{Purpose: "x", Payer: b.payer, Once: true})
		if took := time.Since(start); err != nil || out.Class != Landed || took < 20*time.Second || took > 23*time.Second {
			t.Errorf("%+v, %v after %v", out, err, took)
		}
	})
}

// TestExpired: what never lands is signed as often as allowed and no more, and then nothing is
// left.
func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *Config) { c.Send.MaxSignings = 3 })
		b.drop = func(int) bool { return true }
		out, err := b.sender(b.box).Submit(t.Context(), b.pay(3), SubmitOptions{Payer: b.payer})
		if err != nil || out.Class != transact.Expired || b.count("getLatestBlockhash") != 3 || b.pending() != 0 {
			t.Errorf("%+v, %v, signed %d times, %d pending", out, err, b.count("getLatestBlockhash"), b.pending())
		}
	})
}

// TestBudget: the limit of compute units is the simulation's use and the margin; the price is that
// of others, up to the cap; with a price of nothing none is named.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		fee    string
		price  uint64
		budget int // instructions
	}{{"0", 0, 1}, {"777", 777, 2}, {"auto", 1_000_000, 2}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, func(c2 *Config) { c2.Send.PriorityFee = c.fee })
			if out, err := b.sender(b.box).Submit(t.Context(), b.pay(3), SubmitOptions{Payer: b.payer}); err != nil || out.Class != Landed {
				t.Fatal(out, err)
			}
			tx, err := solana.TransactionFromBytes(b.order[0].raw)
			if err != nil {
				t.Fatal(err)
			}
			all := tx.Message.Instructions
			want := transact.Budget{Units: leastMargin + 450, Priced: c.price > 0, Price: c.price}.Instructions()
			if len(all) != c.budget+1 {
				t.Fatalf("%d instructions", len(all))
			}
			for i, w := range want {
				if data := w.Data; string(data) != string(all[i].Data) {
					t.Errorf("instruction %d is %x, want %x", i, []byte(all[i].Data), data)
				}
			}
		})
	}
	s := Send{ComputeMargin: 25}
	for used, want := range map[uint64]uint32{0: 30_000, 10_000: 40_000, 200_000: 250_000, 1_390_000: 1_400_000, 1 << 40: 1_400_000} {
		if got := s.units(used); got != want {
			t.Errorf("units(%d) = %d, want %d", used, got, want)
		}
	}
}

// TestClose: a sender that is closed returns at once, even if transactions are under way, and keeps
// those that may land.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		b.drop = func(int) bool { return true }
		s := b.sender(b.box)
		done := make(chan error, 1)
		go func() {
			_, err := s.Submit(t.Context(), b.pay(3), SubmitOptions{Payer: b.payer})
			done <- err
		}()
		time.Sleep(5 * time.Second)
		start := time.Now()
		s.Close()
		if err := <-done; !errors.Is(err, errClosed) || time.Since(start) > 0 || b.pending() != 1 {
			t.Errorf("%v after %v, %d pending", err, time.Since(start), b.pending())
		}
		if _, err := s.Submit(t.Context(), b.pay(3), SubmitOptions{Payer: b.payer}); !errors.Is(err, errClosed) {
			t.Error(err)
		}
		s.Close()
	})
}

// TestSubmitOptions: what cannot be sent.
func TestSubmitOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		s := b.sender(b.box)
		if _, err := s.Submit(t.Context(), b.pay(3), SubmitOptions{}); err == nil {
			t.Error("without a payer")
		}
		if _, err := s.Submit(t.Context(), b.pay(3), SubmitOptions{Payer: b.payer, Purpose: Purpose(strings.Repeat("x", 129))}); err == nil {
			t.Error("a long purpose")
		}
		if _, err := s.Submit(t.Context(), transfer(keypair(2).Address(), b.to, 1), SubmitOptions{Payer: b.payer}); err == nil || !strings.Contains(err.Error(), "to be signed by "+keypair(2).Address().String()) {
			t.Error("without a signer:", err)
		}
		large := []onchain.Instruction{{Program: b.to, Data: make([]byte, 4000)}}
		if _, err := s.Submit(t.Context(), large, SubmitOptions{Payer: b.payer}); !errors.Is(err, transact.ErrTooLarge) {
			t.Error(err)
		}
		if b.pending() != 0 || b.count("sendTransaction") != 0 {
			t.Error("something was sent")
		}
	})
}

// TestOutcomeVoting: what package voting is told.
func TestOutcomeVoting(t *testing.T) {
	refused := func(code program.Code, ours bool) transact.Outcome {
		return transact.Outcome{Class: Rejected, Rejection: &Rejection{Ours: ours, Failure: program.Failure{HasCustom: true, Custom: uint32(code)}}}
	}
	for _, c := range []struct {
		out  transact.Outcome
		err  error
		want voting.SubmitClass
	}{
		{transact.Outcome{Class: Landed}, nil, voting.Landed}, {transact.Outcome{Class: AlreadyDone}, nil, voting.Moot},
		{transact.Outcome{Class: transact.Expired}, nil, voting.Failed}, {transact.Outcome{Class: transact.GaveUp}, nil, voting.Failed},
		{transact.Outcome{}, ErrNoFunds, voting.Failed}, {refused(program.ErrTooEarly, true), nil, voting.Moot},
		{refused(program.ErrBadEvidence, true), nil, voting.Hopeless}, {refused(program.ErrNotSeated, true), nil, voting.Hopeless},
		{refused(program.ErrNotSeated, false), nil, voting.Failed}, {refused(1, true), nil, voting.Failed},
	} {
		if got := c.out.Voting(c.err); got != c.want {
			t.Errorf("%+v, %v: %v, want %v", c.out, c.err, got, c.want)
		}
	}
}

// sampleEntry is an entry as a sender makes it.
// TestAwait: waiting for what another sent.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		sig := b.happen(1, 0)
		if slot, err := b.client.Await(t.Context(), sig); err != nil || slot != b.order[0].slot {
			t.Error(slot, err)
		}
		b.mu.Lock()
		b.append(&fakeTx{slot: b.slot, sig: onchain.Signature{5}, failure: `"AccountInUse"`})
		b.mu.Unlock()
		if _, err := b.client.Await(t.Context(), onchain.Signature{5}); !errors.Is(err, transact.ErrRejected) {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := b.client.Await(ctx, onchain.Signature{6}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// TestOnce: that something landed is known, and nothing is sent, however often it is submitted, by
// however many senders, whether anybody waited for it or not, until it is forgotten.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		s := b.sender(b.box)
		o := SubmitOptions{Purpose: "x", Payer: b.payer, Once: true}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if out, err := s.Submit(ctx, b.pay(7), o); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(out, err) // it is not final in a second
		}
		if err := s.Forget(t.Context(), "x"); !errors.Is(err, errInFlight) {
			t.Error(err)
		}
		time.Sleep(time.Minute) // nobody waits
		sent := b.count("sendTransaction")
		for range 3 {
			out, err := s.Submit(t.Context(), b.pay(7), o)
			if err != nil || out.Class != Landed || !out.Resumed || out.Slot == 0 || out.Signature.IsZero() {
				t.Errorf("%+v, %v", out, err)
			}
			s.Close()
			s = b.sender(b.box)
		}
		if b.lamports(b.to) != 7 || b.count("sendTransaction") != sent || b.pending() != 1 {
			t.Errorf("%d lamports arrived, %d pending", b.lamports(b.to), b.pending())
		}
		for range 2 {
			if err := s.Forget(t.Context(), "x"); err != nil || b.pending() != 0 {
				t.Errorf("%v, %d pending", err, b.pending())
			}
		}
		if out, err := s.Submit(t.Context(), b.pay(7), o); err != nil || out.Class != Landed || out.Resumed || b.lamports(b.to) != 14 {
			t.Errorf("after it was forgotten: %+v, %v, %d lamports arrived", out, err, b.lamports(b.to))
		}
		if _, err := s.Submit(t.Context(), b.pay(7), SubmitOptions{Payer: b.payer, Once: true}); err == nil {
			t.Error("once, without a purpose")
		}
	})
}
