package loader_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

var record = flag.Bool("record", false, "write the traces in testdata; needs LiteSVM")

const (
	sol  = 1_000_000_000
	slot = 7
)

// data encodes integers, keys and bytes as bincode does.
func data(fields ...any) (out []byte) {
	for _, f := range fields {
		switch v := f.(type) {
		case int: // the kind of an instruction or state, an offset
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		case uint64:
			out = binary.LittleEndian.AppendUint64(out, v)
		case byte:
			out = append(out, v)
		case solana.PublicKey:
			out = append(out, v[:]...)
		case []byte:
			out = append(out, v...)
		}
	}
	return out
}

// The accounts of the cases.
var (
	payer     = difftest.Address("payer")
	authority = difftest.Address("authority")
	other     = difftest.Address("other")
	program   = difftest.Address("program")
	buffer    = difftest.Address("buffer")
	fresh     = difftest.Address("fresh")
	spill     = difftest.Address("spill")
	elf       = asm.MustELF("mov64 r0, 0\nexit", sbpf.V3)
	next      = asm.MustELF("mov64 r0, 5\nexit", sbpf.V3)
)

func dataOf(key solana.PublicKey) solana.PublicKey {
	out, _, err := solana.FindProgramAddress([][]byte{key[:]}, accounts.LoaderV3ID)
	if err != nil {
		panic(err)
	}
	return out
}

// meta names an account: w for writable, s for signer.
func meta(key solana.PublicKey, flags string) *solana.AccountMeta {
	return &solana.AccountMeta{PublicKey: key, IsWritable: bytes.ContainsRune([]byte(flags), 'w'), IsSigner: bytes.ContainsRune([]byte(flags), 's')}
}

func call(metas []*solana.AccountMeta, fields ...any) solana.Instruction {
	return solana.NewInstruction(accounts.LoaderV3ID, metas, data(fields...))
}

// stock is a chain with a buffer, an account that may become a program, and a program with room.
func stock() []accounts.Keyed {
	rent := accounts.DefaultEnvironment().Rent
	owned := func(key solana.PublicKey, raw []byte) accounts.Keyed {
		return difftest.Owned(key, accounts.LoaderV3ID, rent.MinimumBalance(len(raw)), raw)
	}
	old := owned(program, data(2, dataOf(program)))
	old.Account.Executable = true
	return []accounts.Keyed{
		difftest.Wallet(payer, 100*sol), difftest.Wallet(authority, sol), difftest.Wallet(spill, sol),
		owned(buffer, data(1, byte(1), authority, next)), owned(fresh, make([]byte, 36)), old,
		owned(dataOf(program), data(3, uint64(3), byte(1), authority, elf, make([]byte, 100))),
		owned(difftest.Address("blank"), make([]byte, 37+64)),
		owned(difftest.Address("immutable"), data(1, byte(0), make([]byte, 32), next)),
		owned(difftest.Address("short"), data(1, byte(1), authority)),
		owned(difftest.Address("bad"), data(1, byte(1), authority, next[:len(next)-8])),
		owned(difftest.Address("long"), data(1, byte(1), authority, next, make([]byte, 200))),
		difftest.Owned(difftest.Address("alien"), other, sol, data(1, byte(1), authority, next)),
		difftest.Owned(difftest.Address("alien program"), other, sol, data(2, dataOf(program))),
		difftest.Owned(difftest.Address("alien blank"), other, sol, make([]byte, 100)),
		owned(difftest.Address("frozen"), data(3, uint64(3), byte(0), make([]byte, 32), elf)),
	}
}

// with replaces the account at a position.
func with(metas []*solana.AccountMeta, at int, m *solana.AccountMeta) []*solana.AccountMeta {
	out := slices.Clone(metas)
	out[at] = m
	return out
}

func table() map[string][]solana.Instruction {
	blank, immutable, short, bad := difftest.Address("blank"), difftest.Address("immutable"), difftest.Address("short"), difftest.Address("bad")
	long, frozen := difftest.Address("long"), difftest.Address("frozen")
	alien, alienProgram, alienBlank := difftest.Address("alien"), difftest.Address("alien program"), difftest.Address("alien blank")
	write := []*solana.AccountMeta{meta(buffer, "w"), meta(authority, "s")}
	deploy := []*solana.AccountMeta{meta(payer, "ws"), meta(dataOf(fresh), "w"), meta(fresh, "w"), meta(buffer, "w"),
		meta(accounts.RentID, ""), meta(solana.SysVarClockPubkey, ""), meta(solana.SystemProgramID, ""), meta(authority, "s")}
	upgrade := []*solana.AccountMeta{meta(dataOf(program), "w"), meta(program, "w"), meta(buffer, "w"), meta(spill, "w"),
		meta(accounts.RentID, ""), meta(solana.SysVarClockPubkey, ""), meta(authority, "s")}
	hand := []*solana.AccountMeta{meta(dataOf(program), "w"), meta(authority, "s"), meta(other, "")}
	closing := []*solana.AccountMeta{meta(buffer, "w"), meta(spill, "w"), meta(authority, "s")}
	gone := []*solana.AccountMeta{meta(dataOf(program), "w"), meta(spill, "w"), meta(authority, "s"), meta(program, "w")}
	n := uint64(len(next))
	bytes4 := func(at int) []any { return []any{1, at, uint64(4), []byte{9, 8, 7, 6}} }
	return map[string][]solana.Instruction{
		"initialize":               {call([]*solana.AccountMeta{meta(blank, "w"), meta(authority, "")}, 0)},
		"initialize-twice":         {call([]*solana.AccountMeta{meta(buffer, "w"), meta(authority, "")}, 0)},
		"initialize-foreign":       {call([]*solana.AccountMeta{meta(spill, "w"), meta(authority, "")}, 0)},
		"initialize-alone":         {call([]*solana.AccountMeta{meta(blank, "w")}, 0)},
		"initialize-readonly":      {call([]*solana.AccountMeta{meta(blank, ""), meta(authority, "")}, 0)},
		"write":                    {call(write, bytes4(3)...)},
		"write-beyond":             {call(write, bytes4(len(next)-3)...)},
		"write-far":                {call(write, bytes4(-1)...)},
		"write-cut":                {call(write, 1, 0, uint64(9), []byte{1})},
		"write-unsigned":           {call(with(write, 1, meta(authority, "")), bytes4(0)...)},
		"write-stranger":           {call(with(write, 1, meta(payer, "s")), bytes4(0)...)},
		"write-immutable":          {call(with(write, 0, meta(immutable, "w")), bytes4(0)...)},
		"write-blank":              {call(with(write, 0, meta(blank, "w")), bytes4(0)...)},
		"deploy":                   {call(deploy, 2, n)},
		"deploy-room":              {call(deploy, 2, n+500)},
		"deploy-small":             {call(deploy, 2, n-1)},
		"deploy-large":             {call(deploy, 2, uint64(10<<20))},
		"deploy-huge":              {call(deploy, 2, ^uint64(0))},
		"deploy-existing":          {call(with(with(deploy, 2, meta(program, "w")), 1, meta(dataOf(program), "w")), 2, n)},
		"deploy-wrong-data":        {call(with(deploy, 1, meta(dataOf(buffer), "w")), 2, n)},
		"deploy-unsigned":          {call(with(deploy, 7, meta(authority, "")), 2, n)},
		"deploy-stranger":          {call(with(deploy, 7, meta(payer, "s")), 2, n)},
		"deploy-payer-unsigned":    {call(with(deploy, 0, meta(spill, "w")), 2, n)},
		"deploy-no-authority":      {call(deploy[:7], 2, n)},
		"deploy-no-clock":          {call(deploy[:5], 2, n)},
		"deploy-wrong-rent":        {call(with(deploy, 4, meta(solana.SysVarClockPubkey, "")), 2, n)},
		"deploy-short":             {call(with(deploy, 3, meta(short, "w")), 2, n)},
		"deploy-bad":               {call(with(deploy, 3, meta(bad, "w")), 2, n)},
		"deploy-immutable":         {call(with(deploy, 3, meta(immutable, "w")), 2, n)},
		"deploy-no-buffer":         {call(with(deploy, 3, meta(blank, "w")), 2, n)},
		"write-alien":              {call(with(write, 0, meta(alien, "w")), bytes4(0)...)},
		"initialize-alien":         {call([]*solana.AccountMeta{meta(alienBlank, "w"), meta(authority, "")}, 0)},
		"deploy-alien":             {call(with(deploy, 3, meta(alien, "w")), 2, n)},
		"deploy-spill":             {call(with(deploy, 3, meta(spill, "w")), 2, n)},
		"deploy-to-alien":          {call(with(with(deploy, 2, meta(alienBlank, "w")), 1, meta(dataOf(alienBlank), "w")), 2, n)},
		"upgrade-alien":            {call(with(upgrade, 2, meta(alien, "w")), 3)},
		"upgrade-alien-program":    {call(with(upgrade, 1, meta(alienProgram, "w")), 3)},
		"upgrade-alien-data":       {call(with(upgrade, 0, meta(alien, "w")), 3)},
		"hand-over-alien":          {call(with(hand, 0, meta(alien, "w")), 4)},
		"close-alien":              {call(with(closing, 0, meta(alien, "w")), 5)},
		"close-alien-blank":        {call(with(closing, 0, meta(alienBlank, "w"))[:2], 5)},
		"close-alien-program":      {call(with(gone, 3, meta(alienProgram, "w")), 5)},
		"upgrade":                  {call(upgrade, 3)},
		"upgrade-twice":            {call(upgrade, 3), call(upgrade, 3)},
		"upgrade-unsigned":         {call(with(upgrade, 6, meta(authority, "")), 3)},
		"upgrade-stranger":         {call(with(upgrade, 6, meta(payer, "s")), 3)},
		"upgrade-readonly":         {call(with(upgrade, 1, meta(program, "")), 3)},
		"upgrade-mismatch":         {call(with(upgrade, 0, meta(frozen, "w")), 3)},
		"upgrade-no-program":       {call(with(upgrade, 1, meta(buffer, "w")), 3)},
		"upgrade-foreign":          {call(with(upgrade, 1, meta(spill, "w")), 3)},
		"upgrade-long":             {call(with(upgrade, 2, meta(long, "w")), 3)},
		"upgrade-short":            {call(with(upgrade, 2, meta(short, "w")), 3)},
		"upgrade-bad":              {call(with(upgrade, 2, meta(bad, "w")), 3)},
		"upgrade-few":              {call(upgrade[:4], 3)},
		"hand-over":                {call(hand, 4)},
		"hand-over-buffer":         {call(with(hand, 0, meta(buffer, "w")), 4)},
		"hand-over-stranger":       {call(with(hand, 1, meta(payer, "s")), 4)},
		"hand-over-unsigned":       {call(with(hand, 1, meta(authority, "")), 4)},
		"hand-over-frozen":         {call(with(hand, 0, meta(frozen, "w")), 4)},
		"hand-over-program":        {call(with(hand, 0, meta(program, "w")), 4)},
		"hand-over-alone":          {call(hand[:1], 4)},
		"freeze":                   {call(hand[:2], 4)},
		"freeze-and-upgrade":       {call(hand[:2], 4), call(upgrade, 3)},
		"freeze-buffer":            {call(with(hand, 0, meta(buffer, "w"))[:2], 4)},
		"hand-over-checked":        {call(with(hand, 2, meta(spill, "s")), 7)},
		"hand-over-checked-buffer": {call(with(with(hand, 0, meta(buffer, "w")), 2, meta(spill, "s")), 7)},
		"hand-over-checked-not":    {call(hand, 7)},
		"hand-over-checked-alone":  {call(hand[:2], 7)},
		"close":                    {call(closing, 5)},
		"close-stranger":           {call(with(closing, 2, meta(payer, "s")), 5)},
		"close-unsigned":           {call(with(closing, 2, meta(authority, "")), 5)},
		"close-immutable":          {call(with(closing, 0, meta(immutable, "w")), 5)},
		"close-blank":              {call(with(closing, 0, meta(blank, "w"))[:2], 5)},
		"close-to-itself":          {call(with(closing, 1, meta(buffer, "w")), 5)},
		"close-program":            {call(gone, 5)},
		"close-and-run":            {call(gone, 5), solana.NewInstruction(program, nil, nil)},
		"close-program-account":    {call(with(closing, 0, meta(program, "w")), 5)},
		"close-program-readonly":   {call(with(gone, 3, meta(program, "")), 5)},
		"close-program-other":      {call(with(gone, 3, meta(buffer, "w")), 5)},
		"close-program-few":        {call(gone[:3], 5)},
		"unknown":                  {call(write, 77)},
		"empty":                    {call(write)},
	}
}

func cases(t *testing.T) (out []difftest.Case) {
	env := accounts.DefaultEnvironment()
	env.Clock.Slot, env.Blockhash = slot, solana.Hash(difftest.Address("blockhash"))
	watch := []solana.PublicKey{payer, authority, spill, buffer, fresh, dataOf(fresh), program, dataOf(program), difftest.Address("blank")}
	all := table()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := difftest.Case{Name: name, Env: env, Accounts: stock()}
		for _, ix := range all[name] {
			tx, err := difftest.Build(env, payer, []solana.Instruction{ix}, difftest.Key("payer"), difftest.Key("authority"), difftest.Key("spill"))
			if err != nil {
				t.Fatal(err)
			}
			tx.Watch = watch
			c.Transactions = append(c.Transactions, tx)
		}
		out = append(out, c)
	}
	return out
}

// TestLoader compares each instruction of the loader, and each of its refusals, with LiteSVM.
func TestLoader(t *testing.T) {
	judge := difftest.New(t, difftest.Options{Traces: "testdata", Record: *record})
	agreed := judge.Check(t, "loader", cases(t))
	t.Logf("%d transactions agree", agreed.Transactions)
	if agreed.Transactions < len(table()) {
		t.Errorf("only %d transactions were compared and agree", agreed.Transactions)
	}
}

// TestSlotOfDeployment: as in Agave, a program runs from the slot after its deployment or upgrade.
// LiteSVM runs it at once.
func TestSlotOfDeployment(t *testing.T) {
	runtime, err := svm.New(svm.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	env := accounts.DefaultEnvironment()
	for at, want := range map[uint64]string{2: "Program is not deployed", 3: "Program is not deployed", 4: "success"} {
		env.Clock.Slot = at
		tx, err := difftest.Build(env, payer, []solana.Instruction{solana.NewInstruction(program, nil, nil)}, difftest.Key("payer"))
		if err != nil {
			t.Fatal(err)
		}
		report, err := difftest.RunLocal(runtime, difftest.Case{Env: env, Accounts: stock(), Transactions: []difftest.Transaction{tx}})
		if err != nil || !slices.ContainsFunc(report.Outcomes[0].Logs, func(l string) bool { return strings.Contains(l, want) }) {
			t.Errorf("slot %d: %+v, %v", at, report, err)
		}
	}
}
