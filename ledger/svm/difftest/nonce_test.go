package difftest_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

// recentBlockhashes is a sysvar that the two write differently. Only its address matters.
var recentBlockhashes = solana.SysVarRecentBlockHashesPubkey

// nonceData is the state of a nonce account.
func nonceData(version uint32, authority solana.PublicKey, nonce [32]byte) []byte {
	return data(version, uint32(1), authority, solana.PublicKey(nonce), 5000)
}

// nonceCases covers the instructions about durable nonces.
func nonceCases(t *testing.T) []difftest.Case {
	env := accounts.DefaultEnvironment()
	env.Blockhash = solana.Hash(difftest.Address("blockhash"))
	payer, auth, other := difftest.Address("payer"), difftest.Address("authority"), difftest.Address("other")
	key := func(name string) solana.PublicKey { return difftest.Address("nonce " + name) }
	current := sha256.Sum256(append([]byte("DURABLE_NONCE"), env.Blockhash[:]...))
	old := [32]byte{1, 2, 3}
	states := map[string][]byte{
		"set": nonceData(1, auth, old), "now": nonceData(1, auth, current), "legacy": nonceData(0, auth, old),
		"legacy-now": nonceData(0, auth, current), "empty": make([]byte, 80), "short": make([]byte, 79), "none": nil,
		"bad-version": data(uint32(2), make([]byte, 76)), "bad-state": data(uint32(1), uint32(2), make([]byte, 72)),
		"empty-new": data(uint32(1), make([]byte, 76)),
	}
	all := []accounts.Keyed{
		difftest.Wallet(payer, 100*sol), difftest.Wallet(auth, sol), difftest.Wallet(other, sol),
		difftest.Owned(key("foreign"), other, sol, nonceData(1, auth, old)),
		difftest.Owned(key("poor"), solana.SystemProgramID, env.Rent.MinimumBalance(80)-1, make([]byte, 80)),
	}
	for _, name := range sortedKeys(states) {
		all = append(all, difftest.Owned(key(name), solana.SystemProgramID, sol, states[name]))
	}
	table := map[string][]solana.Instruction{}
	rest := []*solana.AccountMeta{meta(recentBlockhashes, ""), meta(auth, "s")}
	for _, name := range append(sortedKeys(states), "foreign", "poor", "absent") {
		n := meta(key(name), "w")
		table["advance-"+name] = []solana.Instruction{system(append([]*solana.AccountMeta{n}, rest...), uint32(4))}
		table["authorize-"+name] = []solana.Instruction{system([]*solana.AccountMeta{n, meta(auth, "s")}, uint32(7), other)}
		table["initialize-"+name] = []solana.Instruction{system([]*solana.AccountMeta{n, meta(recentBlockhashes, ""), meta(solana.SysVarRentPubkey, "")}, uint32(6), auth)}
		table["upgrade-"+name] = []solana.Instruction{system([]*solana.AccountMeta{n}, uint32(12))}
		for amount, lamports := range map[string]uint64{"some": sol / 2, "all": sol, "more": sol + 1, "most": sol - 1, "to-rent": sol - env.Rent.MinimumBalance(80)} {
			table["withdraw-"+amount+"-"+name] = []solana.Instruction{system(append([]*solana.AccountMeta{n, meta(other, "w")},
				meta(recentBlockhashes, ""), meta(solana.SysVarRentPubkey, ""), meta(auth, "s"), meta(key(name), "")), uint32(5), lamports)}
		}
	}
	set := meta(key("set"), "w")
	table["advance-unsigned"] = []solana.Instruction{system([]*solana.AccountMeta{set, rest[0], meta(auth, "")}, uint32(4))}
	table["advance-wrong-signer"] = []solana.Instruction{system([]*solana.AccountMeta{set, rest[0], meta(other, "s")}, uint32(4))}
	table["advance-read-only"] = []solana.Instruction{system([]*solana.AccountMeta{meta(key("set"), ""), rest[0], rest[1]}, uint32(4))}
	table["advance-no-sysvar"] = []solana.Instruction{system([]*solana.AccountMeta{set, rest[1]}, uint32(4))}
	table["advance-no-accounts"] = []solana.Instruction{system(nil, uint32(4))}
	table["advance-one-account"] = []solana.Instruction{system([]*solana.AccountMeta{set}, uint32(4))}
	table["advance-twice"] = []solana.Instruction{system(append([]*solana.AccountMeta{set}, rest...), uint32(4)), system(append([]*solana.AccountMeta{set}, rest...), uint32(4))}
	table["authorize-wrong"] = []solana.Instruction{system([]*solana.AccountMeta{set, meta(other, "s")}, uint32(7), other)}
	table["authorize-read-only"] = []solana.Instruction{system([]*solana.AccountMeta{meta(key("set"), ""), meta(auth, "s")}, uint32(7), other)}
	table["authorize-short"] = []solana.Instruction{system([]*solana.AccountMeta{set, meta(auth, "s")}, uint32(7), uint32(1))}
	table["initialize-read-only"] = []solana.Instruction{system([]*solana.AccountMeta{meta(key("empty"), ""), meta(recentBlockhashes, ""), meta(solana.SysVarRentPubkey, "")}, uint32(6), auth)}
	table["initialize-no-rent"] = []solana.Instruction{system([]*solana.AccountMeta{meta(key("empty"), "w"), meta(recentBlockhashes, "")}, uint32(6), auth)}
	table["initialize-swapped"] = []solana.Instruction{system([]*solana.AccountMeta{meta(key("empty"), "w"), meta(solana.SysVarRentPubkey, ""), meta(recentBlockhashes, "")}, uint32(6), auth)}
	table["withdraw-unsigned"] = []solana.Instruction{system([]*solana.AccountMeta{set, meta(other, "w"), rest[0], meta(solana.SysVarRentPubkey, ""), meta(auth, "")}, uint32(5), 1)}
	table["withdraw-one-account"] = []solana.Instruction{system([]*solana.AccountMeta{set}, uint32(5), 1)}
	table["upgrade-read-only"] = []solana.Instruction{system([]*solana.AccountMeta{meta(key("legacy"), "")}, uint32(12))}
	table["create-and-initialize"] = []solana.Instruction{
		system([]*solana.AccountMeta{meta(payer, "ws"), meta(key("fresh"), "ws")}, uint32(0), sol, 80, solana.SystemProgramID),
		system([]*solana.AccountMeta{meta(key("fresh"), "w"), meta(recentBlockhashes, ""), meta(solana.SysVarRentPubkey, "")}, uint32(6), payer),
		system([]*solana.AccountMeta{meta(key("fresh"), "w"), meta(recentBlockhashes, ""), meta(payer, "s")}, uint32(4)),
	}
	out := oneEach(t, env, payer, all, table)
	for i := range out {
		tx := &out[i].Transactions[0]
		tx.Watch = slices.DeleteFunc(tx.Watch, func(k solana.PublicKey) bool { return k == recentBlockhashes })
	}
	return out
}
