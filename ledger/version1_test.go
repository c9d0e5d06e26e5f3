package ledger

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
)

// TestVersion1: what a legacy transaction cannot hold goes in one of version 1, which states what
// it may use, or not at all on a cluster that does not take that.
func TestVersion1(t *testing.T) {
	for _, old := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, nil)
			b.old = old
			s := b.sender(b.box)
			large := append(b.pay(3), onchain.Instruction{Program: b.to, Data: make([]byte, 2000)})
			out, err := s.Submit(t.Context(), large, SubmitOptions{Payer: b.payer})
			if old {
				if !errors.Is(err, transact.ErrTooLarge) || b.lamports(b.to) != 0 {
					t.Errorf("an old cluster: %+v, %v", out, err)
				}
				return
			}
			if err != nil || out.Class != Landed || b.lamports(b.to) != 3 || b.order[0].sig != out.Signature {
				t.Fatalf("%+v, %v", out, err)
			}
			tx, err := solana.TransactionFromBytes(b.order[0].raw)
			if err != nil || tx.Message.GetVersion() != solana.MessageVersionV1 {
				t.Fatal(tx, err)
			}
			c := tx.Message.TransactionConfig
			if c.ComputeUnitLimit == nil || *c.ComputeUnitLimit != 450+leastMargin || c.LoadedAccountsDataSizeLimit == nil || *c.LoadedAccountsDataSizeLimit != 2500+leastLoaded {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestAlong: what may go along with an act goes with it in one transaction, and whatever that comes
// to, the act lands once.
func TestAlong(t *testing.T) {
	done := func(tx *solana.Transaction) (string, []string) {
		return "", []string{"Program 11111111111111111111111111111111 invoke [1]", "Program 11111111111111111111111111111111 success"}
	}
	payments := func(tx *solana.Transaction) int { return len(tx.Message.Instructions) }
	whenOver := func(most int, simulated bool, failure string, logs []string) func(*bench) func(*solana.Transaction) (string, []string) {
		return func(b *bench) func(*solana.Transaction) (string, []string) {
			return func(tx *solana.Transaction) (string, []string) {
				landing := tx.Message.RecentBlockhash != (solana.Hash{})
				if tx.Message.GetVersion() == solana.MessageVersionV1 && payments(tx) > most && (simulated || landing) {
					return failure, logs
				}
				return done(tx)
			}
		}
	}
	refused := `{"InstructionError":[1,{"Custom":6056}]}`
	for name, c := range map[string]struct {
		old    bool
		maxFee uint64
		more   int
		run    func(*bench) func(*solana.Transaction) (string, []string)
		want   uint64 // lamports of what went along
		err    error  // of Along
	}{
		"all":                     {more: 4, want: 4},
		"nothing":                 {},
		"too many for the form":   {more: 80, want: 60},
		"an old cluster":          {old: true, more: 4},
		"refused by a simulation": {more: 4, run: whenOver(1, true, refused, nil)},
		"refused when it lands":   {more: 4, run: whenOver(1, false, refused, nil)},
		"the log is cut":          {more: 4, run: whenOver(3, true, "", []string{"Log truncated"}), want: 2},
		"a fee that is enough":    {more: 4, maxFee: 5000, want: 4},
		"no answer":               {more: 4, err: ErrUnavailable},
		"a read is refused":       {more: 4, err: rpc.ErrRefused},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, nil)
			b.old, b.run = c.old, done
			if c.run != nil {
				b.run = c.run(b)
			}
			s, asked := b.sender(b.box), 0
			along := func(_ context.Context, events []program.Event) (all []onchain.Instruction, err error) {
				asked++
				for range c.more {
					all = append(all, transfer(b.payer.Address(), b.to, 1)...)
				}
				return all, c.err
			}
			for n := range uint64(2) {
				out, err := s.Submit(t.Context(), b.pay(1000), SubmitOptions{Payer: b.payer, MaxFee: c.maxFee, Along: along})
				if err != nil || out.Class != Landed {
					t.Errorf("%s: %+v, %v", name, out, err)
				}
				if got := b.lamports(b.to); got != (n+1)*(1000+c.want) {
					t.Errorf("%s: %d lamports arrived after %d", name, got, n+1)
				}
			}
			if want := map[bool]int{false: 2, true: 1}[c.old]; asked != want {
				t.Errorf("%s: asked %d times", name, asked)
			}
			time.Sleep(oldCluster)
			b.old = false
			if _, err := s.Submit(t.Context(), b.pay(1000), SubmitOptions{Payer: b.payer, Along: along}); err != nil || c.old && b.lamports(b.to) != 3004 {
				t.Errorf("%s: an hour later: %v, %d lamports", name, err, b.lamports(b.to))
			}
		})
	}
}
