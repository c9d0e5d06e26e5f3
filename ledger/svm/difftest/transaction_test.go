package difftest_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

func budget(tag byte, fields ...any) solana.Instruction {
	return solana.NewInstruction(solana.ComputeBudget, nil, data(append([]any{tag}, fields...)...))
}

// reader logs the data of its first account and the whole header of the second.
const reader = `
	ldxdw r3, [r1+88]
	stxdw [r10-24], r3
	add64 r1, 96
	stxdw [r10-32], r1
	mov64 r1, r10
	sub64 r1, 32
	mov64 r2, 1
	call sol_log_data
	mov64 r0, 0
	exit
`

// heapEnd writes to the last word of a heap. Its data is the heap's size in KiB.
const heapEnd = `
	ldxdw r3, [r2]
	lddw r4, 0x300000000
	add64 r4, r3
	stdw [r4-8], 7
	stdw [r4], 7
	mov64 r0, 0
	exit
`

// failing returns the first word of its data.
const failing = `
	ldxdw r0, [r2]
	exit
`

// transactionCases covers the checks around the instructions. Every transaction has its own chain.
func transactionCases(t *testing.T) []difftest.Case {
	payer := difftest.Address("payer")
	var out []difftest.Case
	for _, table := range []map[string][]solana.Instruction{budgetTable(payer), orderTable(payer), sysvarTable(payer)} {
		for _, c := range oneEach(t, accounts.DefaultEnvironment(), payer, transactionAccounts(), table) {
			out = append(out, withPrograms(c))
		}
	}
	return append(append(append(out, payerCases(t)...), messageCases(t)...), signatureCases(t)...)
}

func transactionAccounts() []accounts.Keyed {
	return []accounts.Keyed{
		difftest.Wallet(difftest.Address("payer"), 1000*sol),
		difftest.Owned(difftest.Address("data"), difftest.Address("reader"), sol, []byte("some data")),
	}
}

func withPrograms(c difftest.Case) difftest.Case {
	for name, source := range map[string]string{"reader": reader, "heap": heapEnd, "failing": failing} {
		c.Programs = append(c.Programs, difftest.Deployment{ID: difftest.Address(name), ELF: asm.MustELF(source, sbpf.V3)})
	}
	return c
}

func run(program string, fields ...any) solana.Instruction {
	return solana.NewInstruction(difftest.Address(program), []*solana.AccountMeta{meta(difftest.Address("data"), "w")}, data(fields...))
}

func budgetTable(payer solana.PublicKey) map[string][]solana.Instruction {
	pay := system([]*solana.AccountMeta{meta(payer, "ws"), meta(difftest.Address("to"), "w")}, uint32(2), sol)
	out := map[string][]solana.Instruction{}
	for _, units := range []uint32{0, 1, 149, 150, 151, 299, 300, 301, 450, 1_400_000, 1_400_001, math.MaxUint32} {
		out[fmt.Sprint("limit-", units)] = []solana.Instruction{budget(2, units), pay}
		out[fmt.Sprint("limit-last-", units)] = []solana.Instruction{pay, budget(2, units)}
		out[fmt.Sprint("limit-program-", units)] = []solana.Instruction{budget(2, units), run("reader"), pay}
	}
	for _, price := range []uint64{0, 1, 4, 5, 999_999, 1_000_000, 1_000_001, 123_456_789, 1 << 40, 1 << 50, math.MaxUint64} {
		out[fmt.Sprint("price-", price)] = []solana.Instruction{budget(3, price), pay}
		out[fmt.Sprint("price-program-", price)] = []solana.Instruction{budget(3, price), run("reader"), pay}
		out[fmt.Sprint("price-limit-", price)] = []solana.Instruction{budget(3, price), pay, budget(2, uint32(777))}
	}
	for _, heap := range []uint32{0, 1024, 32767, 32768, 32769, 33792, 65536, 66560, 262144, 262145, 263168, math.MaxUint32} {
		out[fmt.Sprint("heap-", heap)] = []solana.Instruction{run("heap", uint64(heap)), budget(1, heap)}
		out[fmt.Sprint("heap-less-", heap)] = []solana.Instruction{run("heap", uint64(heap-8)), budget(1, heap), pay}
		out[fmt.Sprint("heap-poor-", heap)] = []solana.Instruction{run("heap", uint64(heap-8)), budget(1, heap), budget(2, uint32(153))}
	}
	for _, bytes := range []uint32{0, 1 << 20, 64 << 20, 65 << 20, math.MaxUint32} {
		out[fmt.Sprint("loaded-", bytes)] = []solana.Instruction{budget(4, bytes), run("reader")}
	}
	for tag := range byte(6) {
		out[fmt.Sprint("tag-short-", tag)] = []solana.Instruction{pay, budget(tag, uint16(0), byte(1))}
		out[fmt.Sprint("tag-long-", tag)] = []solana.Instruction{pay, budget(tag, uint32(1<<16), uint32(0), uint32(0))}
		out[fmt.Sprint("tag-twice-", tag)] = []solana.Instruction{pay, budget(tag, uint64(1<<16)), budget(tag, uint64(1<<16))}
		out[fmt.Sprint("tag-bad-heap-twice-", tag)] = []solana.Instruction{budget(1, uint32(5)), budget(tag, uint64(1<<16)), budget(tag, uint64(1<<16))}
	}
	out["tag-255"] = []solana.Instruction{budget(255, 0)}
	out["tag-none"] = []solana.Instruction{pay, solana.NewInstruction(solana.ComputeBudget, nil, nil)}
	out["accounts"] = []solana.Instruction{solana.NewInstruction(solana.ComputeBudget, []*solana.AccountMeta{meta(payer, "ws")}, data(byte(2), uint32(500)))}
	out["all"] = []solana.Instruction{budget(1, uint32(64<<10)), budget(2, uint32(5000)), budget(3, uint64(77)), budget(4, uint32(1<<20)), run("reader"), pay}
	return out
}

// orderTable has several instructions, and one of them fails.
func orderTable(payer solana.PublicKey) map[string][]solana.Instruction {
	pay := system([]*solana.AccountMeta{meta(payer, "ws"), meta(difftest.Address("to"), "w")}, uint32(2), sol)
	incinerate := system([]*solana.AccountMeta{meta(payer, "ws"), meta(solana.MustPublicKeyFromBase58("1nc1nerator11111111111111111111111111111111"), "w")}, uint32(2), 5)
	out := map[string][]solana.Instruction{
		"one":              {pay},
		"two":              {pay, run("reader")},
		"fail-first":       {run("failing", 6001), pay},
		"fail-last":        {pay, pay, run("failing", 6001)},
		"fail-middle":      {pay, run("failing", 9), pay},
		"succeed":          {pay, run("failing", 0), pay},
		"incinerator":      {incinerate},
		"to-program":       {system([]*solana.AccountMeta{meta(payer, "ws"), meta(difftest.Address("reader"), "w")}, uint32(2), 5), run("reader")},
		"to-other-program": {system([]*solana.AccountMeta{meta(payer, "ws"), meta(difftest.Address("reader"), "w")}, uint32(2), 5)},
		"to-sysvar":        {system([]*solana.AccountMeta{meta(payer, "ws"), meta(solana.SysVarClockPubkey, "w")}, uint32(2), 5)},
		"to-system":        {system([]*solana.AccountMeta{meta(payer, "ws"), meta(solana.SystemProgramID, "w")}, uint32(2), 5)},
	}
	for n := range 34 {
		var ixs []solana.Instruction
		for range n {
			ixs = append(ixs, pay)
		}
		out[fmt.Sprintf("pay-%02d", 2*n)] = append(ixs, ixs...)
	}
	delete(out, "pay-00")
	delete(out, "pay-66") // more than 64 instructions are refused elsewhere
	for v := range uint64(30) {
		out[fmt.Sprint("builtin-error-", v)] = []solana.Instruction{run("failing", v<<32)}
	}
	return out
}

// sysvarTable passes sysvars as accounts.
func sysvarTable(payer solana.PublicKey) map[string][]solana.Instruction {
	read := func(key solana.PublicKey, flags string, more ...any) solana.Instruction {
		return solana.NewInstruction(difftest.Address("reader"), []*solana.AccountMeta{meta(key, flags), meta(payer, "ws")}, data(more...))
	}
	ixs := solana.SysVarInstructionsPubkey
	pay := system([]*solana.AccountMeta{meta(payer, "ws"), meta(difftest.Address("to"), "w")}, uint32(2), sol)
	out := map[string][]solana.Instruction{
		"instructions":          {read(ixs, "", "some data")},
		"instructions-writable": {read(ixs, "w")},
		"instructions-second":   {pay, read(ixs, ""), pay, read(ixs, "", byte(1)), run("reader")},
		"instructions-no-more":  {read(ixs, ""), run("failing", 5)},
		"instructions-budget":   {budget(2, uint32(50_000)), budget(3, uint64(5)), read(ixs, "")},
		"instructions-transfer": {system([]*solana.AccountMeta{meta(payer, "ws"), meta(ixs, "w")}, uint32(2), sol)},
	}
	for name, key := range map[string]solana.PublicKey{
		"clock": solana.SysVarClockPubkey, "rent": solana.SysVarRentPubkey, "slot-hashes": solana.SysVarSlotHashesPubkey,
		"schedule": solana.SysVarEpochSchedulePubkey, "last-restart": solana.MustPublicKeyFromBase58("SysvarLastRestartS1ot1111111111111111111111"),
		"rewards": solana.MustPublicKeyFromBase58("SysvarEpochRewards1111111111111111111111111"),
		"system":  solana.SystemProgramID, "loader": solana.BPFLoaderUpgradeableProgramID, "program": difftest.Address("reader"),
		"absent": difftest.Address("absent"), "to-itself": payer,
	} {
		out[name] = []solana.Instruction{read(key, "")}
		out[name+"-writable"] = []solana.Instruction{read(key, "w")}
	}
	return out
}

// payerCases has payers that cannot pay, or can only just pay.
func payerCases(t *testing.T) []difftest.Case {
	env := accounts.DefaultEnvironment()
	exempt := env.Rent.MinimumBalance(0)
	key, to := difftest.Address("fee payer"), difftest.Address("to")
	nonce := make([]byte, 80)
	nonce[0], nonce[4] = 1, 1
	nonceExempt := env.Rent.MinimumBalance(80)
	table := map[string]accounts.Account{
		"absent":       {},
		"program":      {Lamports: sol, Owner: difftest.Address("someone")},
		"data":         {Lamports: sol, Data: []byte{1, 2, 3}},
		"empty-nonce":  {Lamports: sol, Data: make([]byte, 80)},
		"nonce":        {Lamports: sol, Data: nonce},
		"nonce-poor":   {Lamports: nonceExempt + 4999, Data: nonce},
		"nonce-enough": {Lamports: nonceExempt + 5000, Data: nonce},
		"nonce-79":     {Lamports: sol, Data: nonce[:79]},
	}
	for _, l := range []uint64{1, 4999, 5000, 5001, exempt - 1, exempt, exempt + 1, exempt + 4999, exempt + 5000, exempt + 5001, 2 * exempt} {
		table[fmt.Sprint("lamports-", l)] = accounts.Account{Lamports: l, RentEpoch: math.MaxUint64}
	}
	var out []difftest.Case
	for _, name := range sortedKeys(table) {
		a := table[name]
		c := difftest.Case{Name: "payer-" + name, Accounts: []accounts.Keyed{difftest.Wallet(to, sol)}}
		if a.Lamports > 0 {
			c.Accounts = append(c.Accounts, accounts.Keyed{Key: key, Account: a})
		}
		for i, ix := range []solana.Instruction{
			system([]*solana.AccountMeta{meta(to, "ws"), meta(difftest.Address("new"), "w")}, uint32(2), sol/2),
			system([]*solana.AccountMeta{meta(key, "ws"), meta(to, "w")}, uint32(2), 1),
		} {
			c := c
			c.Name += fmt.Sprint("-", i)
			c.Transactions = []difftest.Transaction{build(t, env, key, ix)}
			out = append(out, c)
		}
	}
	return out
}

// messageCases changes a good message.
func messageCases(t *testing.T) []difftest.Case {
	payer, to, other := difftest.Address("payer"), difftest.Address("to"), difftest.Address("other")
	table := map[string]func(*solana.Message){
		"as-is":               func(*solana.Message) {},
		"program-is-payer":    func(m *solana.Message) { m.Instructions[0].ProgramIDIndex = 0 },
		"program-outside":     func(m *solana.Message) { m.Instructions[0].ProgramIDIndex = 9 },
		"account-outside":     func(m *solana.Message) { m.Instructions[0].Accounts[0] = 9 },
		"payer-read-only":     func(m *solana.Message) { m.Header.NumReadonlySignedAccounts = 1 },
		"too-many-read-only":  func(m *solana.Message) { m.Header.NumReadonlyUnsignedAccounts = 9 },
		"all-read-only":       func(m *solana.Message) { m.Header.NumReadonlyUnsignedAccounts = uint8(len(m.AccountKeys) - 1) },
		"no-signers":          func(m *solana.Message) { m.Header.NumRequiredSignatures = 0 },
		"more-signers":        func(m *solana.Message) { m.Header.NumRequiredSignatures = 2 },
		"signers-beyond-keys": func(m *solana.Message) { m.Header.NumRequiredSignatures = 99 },
		"key-twice":           func(m *solana.Message) { m.AccountKeys = append(m.AccountKeys, payer) },
		"program-twice":       func(m *solana.Message) { m.AccountKeys = append(m.AccountKeys, solana.SystemProgramID) },
		"64-keys":             func(m *solana.Message) { addKeys(m, 64) },
		"65-keys":             func(m *solana.Message) { addKeys(m, 65) },
		"200-keys":            func(m *solana.Message) { addKeys(m, 200) },
		"repeated-account":    func(m *solana.Message) { m.Instructions[0].Accounts = []uint16{0, 1, 1, 0, 2} },
		"no-accounts":         func(m *solana.Message) { m.Instructions[0].Accounts = nil },
		"255-accounts":        func(m *solana.Message) { m.Instructions[0].Accounts = append([]uint16{0, 1}, make([]uint16, 253)...) },
		"no-instructions":     func(m *solana.Message) { m.Instructions = nil },
		"version-0":           func(m *solana.Message) { m.SetVersion(solana.MessageVersionV0) },
		"version-0-lookup": func(m *solana.Message) {
			m.SetVersion(solana.MessageVersionV0)
			m.AddressTableLookups = solana.MessageAddressTableLookupSlice{{AccountKey: other, WritableIndexes: []uint8{0}}}
		},
		"version-0-lookup-system": func(m *solana.Message) {
			m.SetVersion(solana.MessageVersionV0)
			m.AddressTableLookups = solana.MessageAddressTableLookupSlice{{AccountKey: payer, ReadonlyIndexes: []uint8{1}}}
		},
		"version-0-lookup-empty": func(m *solana.Message) {
			m.SetVersion(solana.MessageVersionV0)
			m.AddressTableLookups = solana.MessageAddressTableLookupSlice{{AccountKey: payer}}
		},
	}
	env := accounts.DefaultEnvironment()
	var out []difftest.Case
	for _, name := range sortedKeys(table) {
		tx, err := solana.NewTransaction([]solana.Instruction{
			system([]*solana.AccountMeta{meta(payer, "ws"), meta(to, "w")}, uint32(2), sol),
		}, env.Blockhash, solana.TransactionPayer(payer))
		if err != nil {
			t.Fatal(err)
		}
		table[name](&tx.Message)
		made, err := difftest.Finish(tx)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made.Watch = []solana.PublicKey{payer, to, other}
		out = append(out, difftest.Case{
			Name: "message-" + name, Accounts: append(transactionAccounts(), difftest.Wallet(other, sol)), Transactions: []difftest.Transaction{made},
		})
	}
	return out
}

func addKeys(m *solana.Message, n int) {
	for i := len(m.AccountKeys); i < n; i++ {
		m.AccountKeys = append(m.AccountKeys, difftest.Address(fmt.Sprint("key", i)))
		m.Header.NumReadonlyUnsignedAccounts++
	}
}

// signatureCases checks signatures.
func signatureCases(t *testing.T) []difftest.Case {
	payer, to := difftest.Key("payer"), difftest.Key("to")
	env := accounts.DefaultEnvironment()
	ix := system([]*solana.AccountMeta{meta(payer.PublicKey(), "ws"), meta(to.PublicKey(), "ws")}, uint32(0), sol, 5, difftest.Address("owner"))
	var out []difftest.Case
	add := func(name string, change func([]byte), keys ...solana.PrivateKey) {
		tx, err := difftest.Build(env, payer.PublicKey(), []solana.Instruction{ix}, keys...)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(tx.Raw)
		}
		out = append(out, difftest.Case{Name: "signature-" + name, Accounts: transactionAccounts(), Verify: true, Transactions: []difftest.Transaction{tx}})
	}
	add("good", nil, payer, to)
	add("none", nil)
	add("one", nil, payer)
	add("other", nil, to)
	add("message-changed", func(b []byte) { b[len(b)-1] ^= 1 }, payer, to)
	add("signature-changed", func(b []byte) { b[1+40] ^= 1 }, payer, to)
	add("swapped", func(b []byte) {
		first := append([]byte(nil), b[1:65]...)
		copy(b[1:], b[65:129])
		copy(b[65:], first)
	}, payer, to)
	add("extra", nil, payer, to)
	add("missing", nil, payer, to)
	out[len(out)-2].Transactions[0].Raw = append([]byte{3}, append(make([]byte, 64), out[0].Transactions[0].Raw[1:]...)...)
	out[len(out)-1].Transactions[0].Raw = append([]byte{1}, out[0].Transactions[0].Raw[65:]...)
	return out
}
