package bank_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/failure"
)

// TestRandomTransactionsKeepLamports sends random transactions: good and bad, old and repeated.
// After each, no lamport was made or lost, balances match the outcomes, and nothing lands twice.
func TestRandomTransactionsKeepLamports(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomRun(t, rand.New(rand.NewPCG(seed, 1)), 400) })
	}
}

func randomRun(t *testing.T, r *rand.Rand, steps int) {
	c := open(t, func(c *bank.Config) { c.FinalityBlocks = 1 + r.IntN(4) })
	total := c.capitalization()
	names := []string{"payer", "alice", "bob", "carol", "dave"}
	var who []solana.PublicKey
	for _, n := range names {
		who = append(who, address(n))
	}
	landed := map[solana.Signature]bool{}
	var old []*solana.Transaction
	var stale []solana.Hash
	for range steps {
		tx := randomTransaction(t, r, c, names, stale)
		if len(old) > 0 && r.IntN(4) == 0 {
			tx = old[r.IntN(len(old))]
		}
		before := balances(c, who)
		got, rejected, err := c.Process(tx)
		if err != nil {
			t.Fatal(err)
		}
		if rejected == nil && landed[got.Signature()] {
			t.Fatal("a transaction landed twice")
		}
		checkOutcome(t, before, balances(c, who), tx, got, rejected)
		if rejected == nil {
			landed[got.Signature()] = true
			old = append(old, tx)
		}
		if now := c.capitalization(); now != total {
			t.Fatalf("lamports were %d, are %d", total, now)
		}
		for r.IntN(3) == 0 {
			stale = append(stale, c.blockhash())
			c.seal()
		}
	}
	for _, level := range []bank.Level{bank.Processed, bank.Confirmed, bank.Finalized} {
		c.Read(level, func(v *bank.View) {
			if v.Capitalization() != total {
				t.Errorf("%v: lamports were %d, are %d", level, total, v.Capitalization())
			}
		})
	}
}

func randomTransaction(t *testing.T, r *rand.Rand, c *chain, names []string, stale []solana.Hash) *solana.Transaction {
	from, to := names[r.IntN(len(names))], names[r.IntN(len(names))]
	amount := r.Uint64N(3 * solana.LAMPORTS_PER_SOL)
	if r.IntN(5) == 0 {
		amount = r.Uint64() // far too much
	}
	hash := c.blockhash()
	if len(stale) > 0 && r.IntN(3) == 0 {
		hash = stale[r.IntN(len(stale))]
	}
	instructions := []solana.Instruction{system.NewTransferInstruction(amount, address(from), address(to)).Build()}
	if r.IntN(4) == 0 {
		instructions = append(instructions, solana.NewInstruction(solana.SystemProgramID, nil, []byte{byte(r.IntN(20))}))
	}
	tx := signed(t, hash, from, instructions...)
	if r.IntN(10) == 0 {
		tx.Signatures[0][r.IntN(64)] ^= 1
	}
	return tx
}

func balances(c *chain, who []solana.PublicKey) map[solana.PublicKey]uint64 {
	out := map[solana.PublicKey]uint64{}
	for _, k := range who {
		out[k] = c.balance(bank.Processed, k)
	}
	return out
}

// checkOutcome compares balances with the outcome: without landing nothing moves, and a failure
// costs the payer only the fee.
func checkOutcome(t *testing.T, before, after map[solana.PublicKey]uint64, tx *solana.Transaction, got *bank.Transaction, rejected *failure.TransactionError) {
	t.Helper()
	payer := tx.Message.AccountKeys[0]
	for who, had := range before {
		want := had
		switch {
		case rejected != nil:
		case got.Err != nil:
			if who == payer {
				want -= got.Fee
			}
		default:
			want = after[who] // checked by capitalization and by svm's own tests
		}
		if after[who] != want {
			t.Fatalf("%s had %d, has %d, want %d (rejected %v)", who, had, after[who], want, rejected)
		}
	}
}
