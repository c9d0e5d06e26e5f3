package difftest_test

import (
	"encoding/binary"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

// data encodes integers, keys and texts as bincode does.
func data(fields ...any) []byte {
	var out []byte
	for _, f := range fields {
		switch v := f.(type) {
		case byte:
			out = append(out, v)
		case uint16:
			out = binary.LittleEndian.AppendUint16(out, v)
		case uint32:
			out = binary.LittleEndian.AppendUint32(out, v)
		case int:
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		case uint64:
			out = binary.LittleEndian.AppendUint64(out, v)
		case solana.PublicKey:
			out = append(out, v[:]...)
		case string:
			out = binary.LittleEndian.AppendUint64(out, uint64(len(v)))
			out = append(out, v...)
		case []byte:
			out = append(out, v...)
		}
	}
	return out
}

func system(metas []*solana.AccountMeta, fields ...any) solana.Instruction {
	return solana.NewInstruction(solana.SystemProgramID, metas, data(fields...))
}

const sol = 1_000_000_000

// systemCases covers every System instruction and its errors. Each transaction has its own chain.
func systemCases(t *testing.T) []difftest.Case {
	env := accounts.DefaultEnvironment()
	env.Blockhash = solana.Hash(difftest.Address("blockhash"))
	payer, to, other := difftest.Address("payer"), difftest.Address("to"), difftest.Address("other")
	owner := difftest.Address("owner")
	seeded, err := solana.CreateWithSeed(payer, "seed", owner)
	if err != nil {
		t.Fatal(err)
	}
	seededWallet, err := solana.CreateWithSeed(payer, "seed", solana.SystemProgramID)
	if err != nil {
		t.Fatal(err)
	}
	m := meta
	pair := []*solana.AccountMeta{m(payer, "ws"), m(to, "ws")}
	pairUnsigned := []*solana.AccountMeta{m(payer, "ws"), m(to, "w")}
	one := []*solana.AccountMeta{m(to, "ws")}
	withSeed := []*solana.AccountMeta{m(payer, "ws"), m(seeded, "w"), m(payer, "s")}
	marker := solana.PublicKeyFromBytes([]byte("01234567890ProgramDerivedAddress"))
	all := []accounts.Keyed{
		difftest.Wallet(payer, 100*sol), difftest.Wallet(other, 5*sol),
		difftest.Owned(difftest.Address("rich"), owner, sol, make([]byte, 10)),
		difftest.Owned(difftest.Address("data"), solana.SystemProgramID, sol, make([]byte, 10)),
		difftest.Wallet(seededWallet, sol),
	}
	rich, full := difftest.Address("rich"), difftest.Address("data")
	table := map[string][]solana.Instruction{
		"create":                  {system(pair, uint32(0), 2*sol, 100, owner)},
		"create-empty":            {system(pair, uint32(0), 0, 0, owner)},
		"create-unsigned":         {system(pairUnsigned, uint32(0), 2*sol, 100, owner)},
		"create-from-unsigned":    {system([]*solana.AccountMeta{m(other, "w"), m(to, "ws")}, uint32(0), 2*sol, 100, owner)},
		"create-twice":            {system(pair, uint32(0), 2*sol, 100, owner), system(pair, uint32(0), 2*sol, 100, owner)},
		"create-existing":         {system([]*solana.AccountMeta{m(payer, "ws"), m(other, "ws")}, uint32(0), 1, 1, owner)},
		"create-too-large":        {system(pair, uint32(0), sol, 10<<20+1, owner)},
		"create-huge":             {system(pair, uint32(0), 99*sol, 10<<20, owner)},
		"create-poor":             {system(pair, uint32(0), 200*sol, 1, owner)},
		"create-rent-paying":      {system(pair, uint32(0), 1000, 1, owner)},
		"create-missing-account":  {system([]*solana.AccountMeta{m(payer, "ws")}, uint32(0), 1, 1, owner)},
		"create-readonly":         {system([]*solana.AccountMeta{m(payer, "ws"), m(to, "s")}, uint32(0), 1, 1, owner)},
		"create-short":            {system(pair, uint32(0), 1, 1)},
		"create-self":             {system([]*solana.AccountMeta{m(payer, "ws"), m(payer, "ws")}, uint32(0), 1, 1, owner)},
		"assign":                  {system(pair[:1], uint32(1), owner)},
		"assign-same":             {system([]*solana.AccountMeta{m(to, "w")}, uint32(1), solana.SystemProgramID)},
		"assign-unsigned":         {system([]*solana.AccountMeta{m(other, "w")}, uint32(1), owner)},
		"assign-foreign":          {system([]*solana.AccountMeta{m(rich, "ws")}, uint32(1), solana.SystemProgramID)},
		"assign-readonly":         {system([]*solana.AccountMeta{m(other, "s")}, uint32(1), owner)},
		"transfer":                {system(pairUnsigned, uint32(2), 3*sol)},
		"transfer-all-but-fee":    {system(pairUnsigned, uint32(2), 100*sol-5000)},
		"transfer-too-much":       {system(pairUnsigned, uint32(2), 100*sol)},
		"transfer-leaves-little":  {system(pairUnsigned, uint32(2), 100*sol-5001)},
		"transfer-self":           {system([]*solana.AccountMeta{m(payer, "ws"), m(payer, "ws")}, uint32(2), sol)},
		"transfer-unsigned":       {system([]*solana.AccountMeta{m(other, "w"), m(to, "w")}, uint32(2), sol)},
		"transfer-data":           {system([]*solana.AccountMeta{m(full, "ws"), m(to, "w")}, uint32(2), 1)},
		"transfer-foreign":        {system([]*solana.AccountMeta{m(difftest.Address("owned-empty"), "ws"), m(to, "w")}, uint32(2), 1)},
		"transfer-to-readonly":    {system([]*solana.AccountMeta{m(payer, "ws"), m(other, "")}, uint32(2), sol)},
		"transfer-rent-paying":    {system(pairUnsigned, uint32(2), 5000)},
		"transfer-trailing":       {system(pairUnsigned, uint32(2), sol, "more")},
		"transfer-short":          {system(pairUnsigned, uint32(2))},
		"seed-create":             {system(withSeed, uint32(3), payer, "seed", sol, 10, owner)},
		"seed-create-wrong":       {system(withSeed, uint32(3), payer, "other", sol, 10, owner)},
		"seed-create-long":        {system(withSeed, uint32(3), payer, "a seed that is longer than 32 bytes", sol, 10, owner)},
		"seed-create-marker":      {system(withSeed, uint32(3), payer, "seed", sol, 10, marker)},
		"seed-create-not-base":    {system([]*solana.AccountMeta{m(other, "ws"), m(seeded, "w")}, uint32(3), payer, "seed", sol, 10, owner)},
		"seed-create-bad-utf8":    {system(withSeed, uint32(3), payer, "\xff", sol, 10, owner)},
		"seed-create-long-length": {system(withSeed, uint32(3), payer, 1<<40, []byte("x"))},
		"allocate":                {system(one, uint32(8), 100), system(pairUnsigned, uint32(2), 5*sol)},
		"allocate-no-rent":        {system(one, uint32(8), 100)},
		"allocate-payer":          {system(pair[:1], uint32(8), 100)},
		"allocate-used":           {system([]*solana.AccountMeta{m(full, "ws")}, uint32(8), 100)},
		"allocate-unsigned":       {system([]*solana.AccountMeta{m(other, "w")}, uint32(8), 100)},
		"allocate-too-large":      {system(one, uint32(8), 10<<20+1)},
		"allocate-readonly":       {system([]*solana.AccountMeta{m(other, "s")}, uint32(8), 10)},
		"allocate-thrice":         {system(one, uint32(8), 10<<20), system([]*solana.AccountMeta{m(other, "ws")}, uint32(8), 10<<20), system([]*solana.AccountMeta{m(owner, "ws")}, uint32(8), 1)},
		"seed-allocate":           {system(withSeed[1:], uint32(9), payer, "seed", 10, owner), system([]*solana.AccountMeta{m(payer, "ws"), m(seeded, "w")}, uint32(2), sol)},
		"seed-allocate-unsigned":  {system([]*solana.AccountMeta{m(seeded, "w")}, uint32(9), other, "seed", 10, owner)},
		"seed-assign":             {system([]*solana.AccountMeta{m(seeded, "w"), m(payer, "s")}, uint32(10), payer, "seed", owner), system([]*solana.AccountMeta{m(payer, "ws"), m(seeded, "w")}, uint32(2), sol)},
		"seed-transfer":           {system([]*solana.AccountMeta{m(seededWallet, "w"), m(payer, "s"), m(to, "w")}, uint32(11), sol, "seed", solana.SystemProgramID)},
		"seed-transfer-wrong":     {system([]*solana.AccountMeta{m(seededWallet, "w"), m(payer, "s"), m(to, "w")}, uint32(11), sol, "sead", solana.SystemProgramID)},
		"seed-transfer-unsigned":  {system([]*solana.AccountMeta{m(seededWallet, "w"), m(other, ""), m(to, "w")}, uint32(11), sol, "seed", solana.SystemProgramID)},
		"seed-transfer-accounts":  {system([]*solana.AccountMeta{m(seededWallet, "w"), m(payer, "s")}, uint32(11), sol, "seed", solana.SystemProgramID)},
		"prefund":                 {system(pairUnsigned, uint32(2), sol), system([]*solana.AccountMeta{m(to, "ws"), m(payer, "ws")}, uint32(13), sol, 50, owner)},
		"prefund-zero":            {system(pairUnsigned, uint32(2), sol), system(one, uint32(13), 0, 50, owner)},
		"prefund-missing":         {system(one, uint32(13), 5, 50, owner)},
		"prefund-none":            {system(nil, uint32(13), 0, 50, owner)},
		"prefund-used":            {system([]*solana.AccountMeta{m(full, "ws"), m(payer, "ws")}, uint32(13), sol, 50, owner)},
		"unknown-14":              {system(pair, uint32(14))},
		"empty":                   {system(pair)},
		"no-accounts":             {system(nil, uint32(2), 1)},
	}
	all = append(all, difftest.Owned(difftest.Address("owned-empty"), owner, sol, nil))
	return oneEach(t, env, payer, all, table)
}

// oneEach makes a case of every entry in a fixed order.
func oneEach(t *testing.T, env *accounts.Environment, payer solana.PublicKey, all []accounts.Keyed, table map[string][]solana.Instruction) []difftest.Case {
	t.Helper()
	var out []difftest.Case
	for _, name := range sortedKeys(table) {
		out = append(out, difftest.Case{
			Name: name, Env: env, Accounts: all,
			Transactions: []difftest.Transaction{build(t, env, payer, table[name]...)},
		})
	}
	return out
}
