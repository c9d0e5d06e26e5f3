package bank_test

import (
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/failure"
)

// TestAgeOverRestarts: at its 150th block a blockhash is valid, and at the 151st it is not. A
// landed transaction does not land again at any height, with or without a restart of the chain.
func TestAgeOverRestarts(t *testing.T) {
	config := bank.DefaultConfig()
	config.Dir = t.TempDir()
	c := reopen(t, config, nil)
	c.seal()
	var hash solana.Hash
	var end uint64 // the last block that accepts it
	c.Read(bank.Processed, func(v *bank.View) { hash, end = v.Blockhash() })
	height := func() (h uint64) {
		c.Read(bank.Processed, func(v *bank.View) { h = v.Height() })
		return h
	}
	sent := transfer(t, "payer", address("alice"), 1, hash)
	c.must(sent)
	for restarts := 0; height() < end; c.seal() {
		if c.refused(sent, failure.ErrAlreadyProcessed); height()%50 == 0 && restarts < 3 && height()+3 < end {
			c, restarts = c.restart(config), restarts+1
		}
	}
	c.refused(sent, failure.ErrAlreadyProcessed)
	last := transfer(t, "payer", address("alice"), 2, hash)
	c.must(last) // in the 150th block
	c.refused(last, failure.ErrAlreadyProcessed)
	c.seal()
	for range 2 {
		c.refused(sent, failure.ErrBlockhashNotFound)
		c.refused(last, failure.ErrBlockhashNotFound)
		c.refused(transfer(t, "payer", address("alice"), 3, hash), failure.ErrBlockhashNotFound)
		c = c.restart(config)
	}
}

// TestLocks: 64 accounts can be locked, 65 cannot, and one account cannot be locked twice.
func TestLocks(t *testing.T) {
	c := open(t, nil)
	with := func(n int) *solana.Transaction {
		metas := []*solana.AccountMeta{solana.Meta(address("payer")).WRITE().SIGNER(), solana.Meta(address("alice")).WRITE()}
		for i := range n - 3 { // and the System program
			metas = append(metas, solana.Meta(solana.PublicKey{1, byte(i)}))
		}
		data, err := system.NewTransferInstruction(1, address("payer"), address("alice")).Build().Data()
		if err != nil {
			t.Fatal(err)
		}
		return signed(t, c.blockhash(), "payer", solana.NewInstruction(solana.SystemProgramID, metas, data))
	}
	if got := c.must(with(64)); got.Err != nil {
		t.Error(got.Err)
	}
	c.refused(with(65), failure.ErrTooManyAccountLocks)
	twice := with(10)
	twice.Message.AccountKeys[5] = twice.Message.AccountKeys[4]
	k := key("payer")
	if _, err := twice.Sign(func(solana.PublicKey) *solana.PrivateKey { return &k }); err != nil {
		t.Fatal(err)
	}
	c.refused(twice, failure.ErrAccountLoadedTwice)
}
