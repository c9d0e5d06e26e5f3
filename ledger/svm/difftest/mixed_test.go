package difftest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
)

var chains = flag.Int("chains", 30, "chains of 40 random transactions in TestDifferential/random-transactions")

const perChain = 40

// mixer makes random transactions on one chain, whose accounts change while they run.
type mixer struct {
	rng      *rand.Rand
	a, b     solana.PublicKey
	keys     []solana.PublicKey // of accounts, then programs
	accounts int
	lengths  map[solana.PublicKey]int // at the start
	derived  solana.PublicKey
	seeds    [][]byte
}

// randomTransactionCases mixes System, ComputeBudget, Ed25519 and scripts with invocations.
func randomTransactionCases(t *testing.T) []difftest.Case {
	rng, n := source(t), *chains
	if *record {
		n = min(n, 10)
	}
	var out []difftest.Case
	for i := range n {
		out = append(out, mixedCase(t, rng, i))
	}
	return out
}

func mixedCase(t *testing.T, rng *rand.Rand, index int) difftest.Case {
	t.Helper()
	version := versions[rng.IntN(2)]
	m := &mixer{rng: rng, a: difftest.Address("script a"), b: difftest.Address("script b"), lengths: map[solana.PublicKey]int{}}
	elf := asm.MustELF(scriptSource, version)
	c := difftest.Case{
		Name: fmt.Sprintf("chain-%d-v%d", index, version), Env: accounts.DefaultEnvironment(),
		Programs: []difftest.Deployment{{ID: m.a, ELF: elf}, {ID: m.b, ELF: elf}},
	}
	for i := range 12 {
		key := difftest.Address(fmt.Sprint("mixed", i))
		m.keys = append(m.keys, key)
		size := rng.IntN(3) * rng.IntN(50)
		switch {
		case i < 3:
			c.Accounts = append(c.Accounts, difftest.Wallet(key, 100*sol))
		case i < 5:
			c.Accounts = append(c.Accounts, difftest.Wallet(key, uint64(rng.IntN(3)*1_000_000)+uint64(rng.IntN(1_000_000))))
		case i < 10:
			owner := []solana.PublicKey{m.a, m.b, m.a, solana.SystemProgramID}[rng.IntN(4)]
			c.Accounts = append(c.Accounts, difftest.Owned(key, owner, sol, make([]byte, size)))
			m.lengths[key] = size
		}
	}
	var bump uint8
	var err error
	if m.derived, bump, err = solana.FindProgramAddress([][]byte{[]byte("d")}, m.a); err != nil {
		t.Fatal(err)
	}
	m.seeds = [][]byte{[]byte("d"), {bump}}
	m.keys = append(m.keys, m.derived)
	m.accounts = len(m.keys)
	m.keys = append(m.keys, m.a, m.b, solana.SystemProgramID)
	m.lengths[m.a], m.lengths[m.b], m.lengths[solana.SystemProgramID] = 36, 36, len("solana_system_program")
	for range perChain {
		c.Transactions = append(c.Transactions, m.transaction(t, c.Env))
	}
	return c
}

func (m *mixer) transaction(t *testing.T, env *accounts.Environment) difftest.Transaction {
	t.Helper()
	var ixs []solana.Instruction
	for range 1 + m.rng.IntN(3) {
		ixs = append(ixs, m.instruction())
	}
	tx := build(t, env, m.keys[m.rng.IntN(3)], ixs...)
	tx.Watch = m.keys[:m.accounts]
	return tx
}

func (m *mixer) instruction() solana.Instruction {
	switch k := m.rng.IntN(20); {
	case k < 6:
		fields, metas := m.systemCall()
		return system(metas, fields...)
	case k < 8:
		return m.budget()
	case k < 9:
		b := ed25519Data([]byte("m"), "signer")
		if m.rng.IntN(2) == 0 {
			b[m.rng.IntN(len(b))] ^= 1
		}
		return precompile(b)
	}
	return m.script()
}

func (m *mixer) budget() solana.Instruction {
	switch m.rng.IntN(4) {
	case 0:
		return budget(1, uint32(m.rng.IntN(300))<<10)
	case 1:
		return budget(2, uint32(m.rng.IntN(30_000)))
	case 2:
		return budget(3, m.rng.Uint64N(1<<30))
	}
	return budget(2, uint32(200_000))
}

func (m *mixer) key() solana.PublicKey { return m.keys[m.rng.IntN(m.accounts)] }

func (m *mixer) flags(usual string) string {
	if m.rng.IntN(8) == 0 {
		return []string{"", "w", "s", "ws"}[m.rng.IntN(4)]
	}
	return usual
}

func (m *mixer) lamports() int {
	switch m.rng.IntN(4) {
	case 0:
		return m.rng.IntN(3)
	case 1:
		return 890_880 + m.rng.IntN(3) - 1
	case 2:
		return m.rng.IntN(3_000_000)
	}
	return m.rng.IntN(2 * sol)
}

func (m *mixer) systemCall() ([]any, []*solana.AccountMeta) {
	owner := []solana.PublicKey{m.a, m.b, solana.SystemProgramID}[m.rng.IntN(3)]
	one, two := meta(m.keys[m.rng.IntN(3)], "ws"), meta(m.keys[3+m.rng.IntN(m.accounts-3)], m.flags("w"))
	if m.rng.IntN(8) == 0 {
		one, two = meta(m.key(), m.flags("ws")), meta(m.key(), m.flags("w"))
	}
	switch m.rng.IntN(7) {
	case 0:
		two = meta(two.PublicKey, m.flags("ws"))
		return []any{uint32(0), m.lamports(), m.rng.IntN(200), owner}, []*solana.AccountMeta{one, two}
	case 1:
		return []any{uint32(1), owner}, []*solana.AccountMeta{meta(two.PublicKey, m.flags("ws"))}
	case 2:
		return []any{uint32(8), m.rng.IntN(100)}, []*solana.AccountMeta{meta(two.PublicKey, m.flags("ws"))}
	case 3:
		return []any{uint32(13), m.lamports(), m.rng.IntN(100), owner}, []*solana.AccountMeta{meta(two.PublicKey, m.flags("ws")), one}
	}
	return []any{uint32(2), m.lamports()}, []*solana.AccountMeta{one, two}
}

// script runs a few operations of a on random accounts.
func (m *mixer) script() solana.Instruction {
	var metas []*solana.AccountMeta
	for range 2 + m.rng.IntN(4) {
		metas = append(metas, meta(m.key(), m.flags("w")))
	}
	metas = append(metas, meta(m.keys[m.rng.IntN(3)], "ws"), meta(m.derived, "w"))
	metas = append(metas, meta(m.a, ""), meta(m.b, ""), meta(solana.SystemProgramID, ""))
	return solana.NewInstruction(m.a, metas, m.fill(&script{}, metas, 0).build())
}

// places lays out the accounts of an instruction with their initial lengths.
func (m *mixer) places(metas []*solana.AccountMeta) ([]slot, []uint64) {
	var lengths []int
	var plain []uint64
	for i, a := range metas {
		n := m.lengths[a.PublicKey]
		plain = append(plain, uint64(n))
		for j := range i {
			if metas[j].PublicKey == a.PublicKey {
				n = -j - 1
				break
			}
		}
		lengths = append(lengths, n)
	}
	return slots(lengths...), plain
}

func (m *mixer) fill(s *script, metas []*solana.AccountMeta, depth int) *script {
	at, lengths := m.places(metas)
	for range 1 + m.rng.IntN(4) {
		p := at[m.rng.IntN(len(at))]
		switch k := m.rng.IntN(10); {
		case k < 2:
			s.op(opStore, p.data+uint64(m.rng.IntN(40)), m.rng.Uint64N(256))
		case k < 3:
			s.op(opStore, p.length, uint64(m.rng.IntN(60)))
		case k < 4:
			s.op(opStore, p.lamports, uint64(m.lamports()))
		case k < 5:
			s.show(p.key, 32+32+8+8+16)
		case depth < 3:
			s.invoke([]uint64{opInvokeC, opInvokeRust}[m.rng.IntN(2)], m.call(metas, at, lengths, depth))
		}
	}
	if m.rng.IntN(10) == 0 {
		s.op(opEnd, uint64(m.rng.IntN(100)))
	}
	return s
}

// call invokes the System program, a or b with some of the accounts.
func (m *mixer) call(metas []*solana.AccountMeta, at []slot, lengths []uint64, depth int) call {
	some := func() *solana.AccountMeta {
		c := *metas[m.rng.IntN(len(metas)-3)]
		if c.PublicKey == m.derived && m.rng.IntN(2) == 0 {
			c.IsSigner = true
		}
		return &c
	}
	out := call{infos: at, lengths: lengths}
	if m.rng.IntN(2) == 0 {
		out.seeds = [][][]byte{m.seeds}
	}
	if m.rng.IntN(3) == 0 {
		fields, list := m.systemCall()
		for i := range list {
			if list[i] = some(); i == 0 && len(metas) > 4 && m.rng.IntN(3) > 0 {
				list[i] = metas[len(metas)-5] // the payer
			}
		}
		out.program, out.metas, out.data = solana.SystemProgramID, list, data(fields...)
		return out
	}
	for range 1 + m.rng.IntN(4) {
		out.metas = append(out.metas, some())
	}
	out.metas = append(out.metas, meta(m.a, ""), meta(m.b, ""), meta(solana.SystemProgramID, ""))
	out.program = []solana.PublicKey{m.a, m.b}[m.rng.IntN(2)]
	out.data = m.fill(&script{}, out.metas, depth+1).build()
	return out
}
