package bank_test

import (
	"errors"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

func TestTransferReachesEachLevel(t *testing.T) {
	c := open(t, nil)
	before := c.balance(bank.Finalized, address("alice"))
	got := c.must(transfer(t, "payer", address("alice"), 7, c.blockhash()))
	if got.Err != nil || got.Fee != 5000 || got.Slot != 1 || !got.Ran {
		t.Fatalf("record %+v", got)
	}
	want := []struct{ processed, confirmed, finalized uint64 }{{7, 0, 0}, {7, 7, 0}, {7, 7, 0}, {7, 7, 7}}
	levels := []bank.Level{bank.Processed, bank.Confirmed, bank.Confirmed, bank.Finalized}
	for i, w := range want {
		for level, add := range map[bank.Level]uint64{
			bank.Processed: w.processed, bank.Confirmed: w.confirmed, bank.Finalized: w.finalized,
		} {
			if got := c.balance(level, address("alice")); got != before+add {
				t.Errorf("after %d seals %v balance %d, want %d", i, level, got, before+add)
			}
		}
		s, ok, err := c.Status(got.Signature())
		if err != nil || !ok || s.Level != levels[i] || !s.Recent {
			t.Errorf("after %d seals status %+v %v %v, want %v", i, s, ok, err, levels[i])
		}
		c.seal()
	}
}

func TestRepeatedAndForged(t *testing.T) {
	c := open(t, nil)
	tx := transfer(t, "payer", address("alice"), 7, c.blockhash())
	c.must(tx)
	c.refused(tx, failure.ErrAlreadyProcessed)
	forged := *tx
	forged.Signatures = []solana.Signature{{1, 2, 3}}
	c.refused(&forged, failure.ErrSignatureFailure)
	c.seal()
	c.refused(tx, failure.ErrAlreadyProcessed)
}

func TestFailedTransactionPaysAndIsRecorded(t *testing.T) {
	c := open(t, nil)
	before := c.balance(bank.Processed, address("alice"))
	got := c.must(transfer(t, "alice", address("bob"), before, c.blockhash()))
	if got.Err == nil || got.Err.Code != failure.ErrInstructionError {
		t.Fatalf("error %v", got.Err)
	}
	if after := c.balance(bank.Processed, address("alice")); after != before-5000 {
		t.Errorf("balance %d, want %d", after, before-5000)
	}
	s, ok, err := c.Status(got.Signature())
	if err != nil || !ok || s.Transaction.Err == nil || s.Transaction.Err.Error() != got.Err.Error() {
		t.Errorf("status %+v %v %v", s, ok, err)
	}
}

func TestBlockhashAge(t *testing.T) {
	c := open(t, nil)
	var hash solana.Hash
	var last uint64
	c.seal()
	c.Read(bank.Confirmed, func(v *bank.View) { hash, last = v.Blockhash() })
	height := func(level bank.Level) (h uint64) {
		c.Read(level, func(v *bank.View) { h = v.Height() })
		return h
	}
	if height(bank.Confirmed)+bank.MaxBlockhashAge != last {
		t.Fatalf("last valid height %d at height %d", last, height(bank.Confirmed))
	}
	for height(bank.Processed) < last {
		c.seal()
	}
	c.must(transfer(t, "payer", address("alice"), 1, hash))
	c.seal()
	c.refused(transfer(t, "payer", address("alice"), 2, hash), failure.ErrBlockhashNotFound)
	c.refused(transfer(t, "payer", address("alice"), 1, hash), failure.ErrBlockhashNotFound)
	c.refused(transfer(t, "payer", address("alice"), 3, solana.Hash{9}), failure.ErrBlockhashNotFound)
	c.Read(bank.Confirmed, func(v *bank.View) {
		if !v.BlockhashValid(hash) {
			t.Error("at its last valid height the confirmed level refuses it")
		}
	})
	c.Read(bank.Processed, func(v *bank.View) {
		if v.BlockhashValid(hash) {
			t.Error("past its last valid height the processed level takes it")
		}
	})
}

func TestSixtyFourLocks(t *testing.T) {
	c := open(t, nil)
	// 1,232 bytes hold about 35 addresses, so only a transaction that the wire would refuse can
	// reach the limit.
	metas := []*solana.AccountMeta{solana.Meta(address("payer")).WRITE().SIGNER()}
	for i := range 64 {
		metas = append(metas, solana.Meta(solana.PublicKey{1, byte(i)}))
	}
	tx := signed(t, c.blockhash(), "payer", solana.NewInstruction(solana.SystemProgramID, metas, nil))
	c.refused(tx, failure.ErrTooManyAccountLocks)
}

func TestAirdropsAreDifferentTransactions(t *testing.T) {
	c := open(t, nil)
	total := c.capitalization()
	var seen []solana.Signature
	for range 3 {
		got, rejected, err := c.Airdrop(address("new"), solana.LAMPORTS_PER_SOL, solana.Hash{})
		if err != nil || rejected != nil || got.Err != nil {
			t.Fatal(rejected, err)
		}
		seen = append(seen, got.Signature())
	}
	if seen[0] == seen[1] || seen[1] == seen[2] {
		t.Error("airdrops share a signature")
	}
	if got := c.balance(bank.Processed, address("new")); got != 3*solana.LAMPORTS_PER_SOL {
		t.Errorf("balance %d", got)
	}
	if got := c.Dispensed(); got != 3*(solana.LAMPORTS_PER_SOL+5000) {
		t.Errorf("dispensed %d", got)
	}
	if c.capitalization() != total {
		t.Error("lamports were made or lost")
	}
}

func TestEmptyFaucet(t *testing.T) {
	c := open(t, func(c *bank.Config) { c.FaucetLamports = solana.LAMPORTS_PER_SOL })
	if _, _, err := c.Airdrop(address("new"), solana.LAMPORTS_PER_SOL, solana.Hash{}); !errors.Is(err, bank.ErrFaucetEmpty) {
		t.Fatalf("error %v", err)
	}
}

func TestFeesGoToTheIdentity(t *testing.T) {
	c := open(t, nil)
	before := c.balance(bank.Processed, c.Identity())
	c.must(transfer(t, "payer", c.Identity(), 11, c.blockhash()))
	if got := c.balance(bank.Processed, c.Identity()); got != before+5011 {
		t.Errorf("identity has %d, want %d", got, before+5011)
	}
	c.seal()
	block, list, _, err := c.Block(1, true)
	if err != nil || block.Fees != 5000 || block.IdentityBalance != before+5011 || len(list) != 1 || block.Count != 1 {
		t.Errorf("block %+v %d %v", block, len(list), err)
	}
}

func TestSimulateChangesNothing(t *testing.T) {
	c := open(t, nil)
	tx := transfer(t, "payer", address("alice"), 7, c.blockhash())
	before := c.balance(bank.Processed, address("alice"))
	c.Read(bank.Processed, func(v *bank.View) {
		r, err := v.Simulate(tx, true)
		if err != nil || r.Err != nil || r.Units != 150 {
			t.Errorf("simulate %+v %v", r, err)
		}
	})
	if c.balance(bank.Processed, address("alice")) != before {
		t.Error("a simulation moved lamports")
	}
	c.must(tx)
	c.Read(bank.Processed, func(v *bank.View) {
		if r, err := v.Simulate(tx, true); err != nil || r.Err == nil || r.Err.Code != failure.ErrAlreadyProcessed {
			t.Errorf("simulate again: %v %v", r.Err, err)
		}
	})
	c.Read(bank.Confirmed, func(v *bank.View) {
		if r, err := v.Simulate(tx, true); err != nil || r.Err != nil {
			t.Errorf("simulate where it is not yet: %v %v", r.Err, err)
		}
	})
}

func TestCreatedAndDeletedAccounts(t *testing.T) {
	c := open(t, nil)
	created := key("created")
	ix := system.NewCreateAccountInstruction(10_000_000, 8, address("owner"), address("payer"), created.PublicKey()).Build()
	tx, err := solana.NewTransaction([]solana.Instruction{ix}, c.blockhash(), solana.TransactionPayer(address("payer")))
	if err != nil {
		t.Fatal(err)
	}
	payer := key("payer")
	if _, err := tx.Sign(func(k solana.PublicKey) *solana.PrivateKey {
		if k == created.PublicKey() {
			return &created
		}
		return &payer
	}); err != nil {
		t.Fatal(err)
	}
	c.must(tx)
	owned := func(level bank.Level) (n int) {
		c.Read(level, func(v *bank.View) {
			n = len(v.ProgramAccounts(address("owner"), func(accounts.Account) bool { return true }))
		})
		return n
	}
	if owned(bank.Processed) != 1 || owned(bank.Confirmed) != 0 {
		t.Errorf("owned %d processed, %d confirmed", owned(bank.Processed), owned(bank.Confirmed))
	}
	all := c.balance(bank.Processed, address("alice"))
	c.must(transfer(t, "alice", address("bob"), all-5000, c.blockhash()))
	for range 4 {
		c.Read(bank.Processed, func(v *bank.View) {
			if _, ok := v.Account(address("alice")); ok {
				t.Error("an account without lamports is still there")
			}
		})
		c.seal()
	}
	if owned(bank.Finalized) != 1 {
		t.Error("the created account is not finalized")
	}
}

// TestGivenAwayAccounts moves an account from one owner to another and asks for the accounts of
// both at each level.
func TestGivenAwayAccounts(t *testing.T) {
	c := open(t, nil)
	owned := func(level bank.Level, owner solana.PublicKey) (found bool) {
		c.Read(level, func(v *bank.View) {
			for _, a := range v.ProgramAccounts(owner, func(accounts.Account) bool { return true }) {
				found = found || a.Key == address("alice")
			}
		})
		return found
	}
	c.must(signed(t, c.blockhash(), "alice", system.NewAssignInstruction(address("owner"), address("alice")).Build()))
	for i := range 4 {
		for level := bank.Processed; level <= bank.Finalized; level++ {
			moved := i >= map[bank.Level]int{bank.Processed: 0, bank.Confirmed: 1, bank.Finalized: 3}[level]
			if owned(level, address("owner")) != moved || owned(level, solana.SystemProgramID) == moved {
				t.Errorf("after %d seals, %v: the account is not (only) where it belongs", i, level)
			}
		}
		c.seal()
	}
}
