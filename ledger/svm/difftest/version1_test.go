package difftest_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

// version1Cases are transactions of version 1 (SIMD-0385): what they may use stands in the message,
// and a limit that is not set is 0.
func version1Cases(t *testing.T) []difftest.Case {
	payer, to, other := difftest.Address("payer"), difftest.Address("to"), difftest.Address("other")
	pay := system([]*solana.AccountMeta{meta(payer, "ws"), meta(to, "w")}, uint32(2), sol)
	enough := solana.TransactionConfig{}.WithComputeUnitLimit(100_000).WithLoadedAccountsDataSizeLimit(1 << 20)
	out := []difftest.Case{}
	add := func(name string, c solana.TransactionConfig, change func(*solana.Message), ixs ...solana.Instruction) {
		tx, err := solana.NewTransaction(ixs, accounts.DefaultEnvironment().Blockhash, solana.TransactionPayer(payer))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Message.SetVersion(solana.MessageVersionV1); err != nil {
			t.Fatal(err)
		}
		tx.Message.TransactionConfig = c
		if change != nil {
			change(&tx.Message)
		}
		made, err := difftest.Finish(tx, difftest.Key("payer"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made.Watch = []solana.PublicKey{to, other}
		if limit := c.LoadedAccountsDataSizeLimit; limit != nil && *limit >= 1000 { // below, see Deviations
			made.Watch = append(made.Watch, payer)
		}
		out = append(out, withPrograms(difftest.Case{
			Name: "v1-" + name, Accounts: append(transactionAccounts(), difftest.Wallet(other, sol)), Verify: true,
			Transactions: []difftest.Transaction{made},
		}))
	}
	add("enough", enough, nil, pay)
	add("nothing", solana.TransactionConfig{}, nil, pay)
	add("no-units", solana.TransactionConfig{}.WithLoadedAccountsDataSizeLimit(1<<20), nil, pay)
	add("no-data", solana.TransactionConfig{}.WithComputeUnitLimit(100_000), nil, pay)
	for _, units := range []uint32{0, 149, 150, 151, 299, 300, 450, 1_400_000, 1_400_001, math.MaxUint32} {
		add(fmt.Sprint("units-", units), enough.WithComputeUnitLimit(units), nil, pay)
		add(fmt.Sprint("units-program-", units), enough.WithComputeUnitLimit(units), nil, run("reader"), pay)
	}
	for _, bytes := range []uint32{0, 1, 141, 142, 143, 1000, 64 << 20, 65 << 20, math.MaxUint32} {
		add(fmt.Sprint("data-", bytes), enough.WithLoadedAccountsDataSizeLimit(bytes), nil, pay)
		add(fmt.Sprint("data-program-", bytes), enough.WithLoadedAccountsDataSizeLimit(bytes), nil, run("reader"))
	}
	for _, fee := range []uint64{0, 1, 5000, 999 * sol, 1000 * sol, math.MaxUint64} {
		add(fmt.Sprint("fee-", fee), enough.WithPriorityFee(fee), nil, pay)
	}
	for _, heap := range []uint32{0, 1024, 32767, 32768, 33792, 65536, 262144, 262145, 263168, math.MaxUint32} {
		add(fmt.Sprint("heap-", heap), enough.WithHeapSize(heap), nil, run("heap", uint64(heap-8)), pay)
		add(fmt.Sprint("heap-beyond-", heap), enough.WithHeapSize(heap), nil, run("heap", uint64(heap)), pay)
	}
	for tag := range byte(6) {
		add(fmt.Sprint("budget-", tag), enough, nil, budget(tag, uint64(1<<16)), pay)
		add(fmt.Sprint("budget-twice-", tag), enough, nil, budget(tag, uint32(5)), budget(tag, uint32(5)), pay)
	}
	add("budget-price", enough, nil, budget(3, uint64(math.MaxUint64)), pay)
	add("budget-alone", enough.WithComputeUnitLimit(150), nil, budget(2, uint32(7)))
	add("failing", enough, nil, pay, run("failing", 9))
	add("instructions", enough, nil, solana.NewInstruction(difftest.Address("reader"),
		[]*solana.AccountMeta{meta(solana.SysVarInstructionsPubkey, ""), meta(payer, "ws")}, data("some data")))
	for n := 60; n <= 66; n++ {
		add(fmt.Sprint("keys-", n), enough, func(m *solana.Message) { addKeys(m, n) }, pay)
		var ixs []solana.Instruction
		for range n {
			ixs = append(ixs, pay)
		}
		add(fmt.Sprint("instructions-", n), enough, nil, ixs...)
	}
	large := func(n int) solana.Instruction { return run("failing", uint64(0), make([]byte, n)) }
	add("large", enough, nil, large(3500))
	for name, change := range map[string]func(*solana.Message){
		"key-twice":          func(m *solana.Message) { m.AccountKeys = append(m.AccountKeys, payer) },
		"program-is-payer":   func(m *solana.Message) { m.Instructions[0].ProgramIDIndex = 0 },
		"program-outside":    func(m *solana.Message) { m.Instructions[0].ProgramIDIndex = 9 },
		"account-outside":    func(m *solana.Message) { m.Instructions[0].Accounts[0] = 9 },
		"payer-read-only":    func(m *solana.Message) { m.Header.NumReadonlySignedAccounts = 1 },
		"too-many-read-only": func(m *solana.Message) { m.Header.NumReadonlyUnsignedAccounts = 9 },
		"more-signers":       func(m *solana.Message) { m.Header.NumRequiredSignatures = 2 },
		"13-signers": func(m *solana.Message) {
			addKeys(m, 20)
			m.Header.NumRequiredSignatures = 13
			m.Header.NumReadonlyUnsignedAccounts = 1
		},
		"no-instructions": func(m *solana.Message) { m.Instructions = nil },
		"255-accounts":    func(m *solana.Message) { m.Instructions[0].Accounts = append([]uint16{0, 1}, make([]uint16, 253)...) },
	} {
		add(name, enough, change, pay)
	}
	return out
}
