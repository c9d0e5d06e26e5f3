package difftest_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// Accounts of a stage, in their order in an instruction to its program a.
const (
	ownAt     = iota // owned by a, 64 zero bytes, writable
	payerAt          // writable, signer
	vaultAt          // address derived by a from "vault", a system account with 1 SOL, writable
	freshAt          // does not exist, writable, signer
	foreignAt        // 16 bytes, read-only
	systemAt
	otherAt  // b
	selfAt   // a
	emptyAt  // address derived by a from "empty", does not exist, writable
	theirsAt // owned by b, 24 bytes of text, writable
)

// stage is a chain with two script programs, a and b.
type stage struct {
	code    uint64 // opInvokeC or opInvokeRust
	a, b    solana.PublicKey
	keys    []solana.PublicKey
	metas   []*solana.AccountMeta
	lengths []int
	seeds   map[int][][]byte // of the derived addresses
	slots   []slot
	c       difftest.Case
}

func newStage(t *testing.T, version sbpf.Version, code uint64) *stage {
	t.Helper()
	elf := asm.MustELF(scriptSource, version)
	s := &stage{
		code: code, a: difftest.Address("script a"), b: difftest.Address("script b"),
		lengths: []int{64, 0, 0, 0, 16, len("solana_system_program"), 36, 36, 0, 24, len("compute_budget_program")}, seeds: map[int][][]byte{},
	}
	s.keys = []solana.PublicKey{
		difftest.Address("own"), difftest.Address("payer"), {}, difftest.Address("fresh"), difftest.Address("foreign"),
		solana.SystemProgramID, s.b, s.a, {}, difftest.Address("theirs"), solana.ComputeBudget,
	}
	for at, seed := range map[int]string{vaultAt: "vault", emptyAt: "empty"} {
		key, bump, err := solana.FindProgramAddress([][]byte{[]byte(seed)}, s.a)
		if err != nil {
			t.Fatal(err)
		}
		s.keys[at], s.seeds[at] = key, [][]byte{[]byte(seed), {bump}}
	}
	for i, flags := range []string{"w", "ws", "w", "ws", "", "", "", "", "w", "w", ""} {
		s.metas = append(s.metas, meta(s.keys[i], flags))
	}
	s.slots = slots(s.lengths...)
	s.c = difftest.Case{
		Programs: []difftest.Deployment{{ID: s.a, ELF: elf}, {ID: s.b, ELF: elf}},
		Accounts: []accounts.Keyed{
			difftest.Owned(s.keys[ownAt], s.a, 2*sol, make([]byte, 64)),
			difftest.Wallet(s.keys[payerAt], 1000*sol), difftest.Wallet(s.keys[vaultAt], sol),
			difftest.Owned(s.keys[foreignAt], difftest.Address("foreign-owner"), sol, []byte("0123456789abcdef")),
			difftest.Owned(s.keys[theirsAt], s.b, sol, []byte("what b has, in its words")),
		},
	}
	return s
}

// flagged returns the i-th account with other privileges.
func (s *stage) flagged(i int, flags string) *solana.AccountMeta { return meta(s.keys[i], flags) }

// some returns accounts with their top-level privileges.
func (s *stage) some(list ...int) []*solana.AccountMeta {
	var out []*solana.AccountMeta
	for _, i := range list {
		out = append(out, s.metas[i])
	}
	return out
}

// call passes all infos.
func (s *stage) call(program solana.PublicKey, data []byte, metas ...*solana.AccountMeta) call {
	c := call{program: program, metas: metas, data: data, infos: append([]slot(nil), s.slots...)}
	for _, n := range s.lengths {
		c.lengths = append(c.lengths, uint64(n))
	}
	return c
}

// system returns a call of the System program.
func (s *stage) system(fields []any, metas ...*solana.AccountMeta) call {
	return s.call(solana.SystemProgramID, data(fields...), metas...)
}

func signed(c call, seeds ...[][]byte) call {
	c.seeds = seeds
	return c
}

// inner returns a script for b with the accounts of the list.
func (s *stage) inner(build func(*script, []slot), list ...int) call {
	var lengths []int
	for _, i := range list {
		lengths = append(lengths, s.lengths[i])
	}
	sub := &script{}
	build(sub, slots(lengths...))
	return s.call(s.b, sub.build(), s.some(list...)...)
}

// run returns a script of one call that then shows the state of the accounts.
func (s *stage) run(c call) *script {
	out := (&script{}).invoke(s.code, c)
	return s.state(out)
}

// state shows lamports, length and the first bytes of the writable accounts.
func (s *stage) state(out *script) *script {
	var pairs []uint64
	for _, i := range []int{ownAt, payerAt, vaultAt, freshAt, emptyAt, theirsAt} {
		pairs = append(pairs, s.slots[i].owner, 32+8+8+24)
	}
	return out.show(pairs...)
}

// cpiCases covers invocations. Every entry runs in both ABIs and both versions.
func cpiCases(t *testing.T) []difftest.Case {
	var out []difftest.Case
	tables := []func(*stage) map[string]*script{systemCalls, privilegeCalls, pointerCalls, limitCalls, programCalls, reallocCalls, directCalls}
	for _, v := range versions {
		for _, code := range []uint64{opInvokeC, opInvokeRust} {
			for _, table := range tables {
				for _, name := range sortedKeys(table(newStage(t, v, code))) {
					s := newStage(t, v, code)
					s.c.Name = fmt.Sprintf("%s/v%d/abi%d", name, v, code)
					s.c.Transactions = []difftest.Transaction{build(t, accounts.DefaultEnvironment(), s.keys[payerAt],
						solana.NewInstruction(s.a, s.metas, table(s)[name].build()))}
					s.c.Transactions[0].Watch = s.keys
					out = append(out, s.c)
				}
			}
		}
	}
	return out
}

func systemCalls(s *stage) map[string]*script {
	transfer := func(n int) []any { return []any{uint32(2), n} }
	create := func(n, size int) []any { return []any{uint32(0), n, size, s.a} }
	vault, empty := s.seeds[vaultAt], s.seeds[emptyAt]
	signer := s.flagged(vaultAt, "ws")
	to := s.metas[vaultAt]
	return map[string]*script{
		"transfer":              s.run(s.system(transfer(5*sol), s.metas[payerAt], to)),
		"transfer-zero":         s.run(s.system(transfer(0), s.metas[payerAt], to)),
		"transfer-self":         s.run(s.system(transfer(sol), s.metas[payerAt], s.metas[payerAt])),
		"transfer-too-much":     s.run(s.system(transfer(5000*sol), s.metas[payerAt], to)),
		"transfer-vault":        s.run(signed(s.system(transfer(sol/2), signer, s.metas[payerAt]), vault)),
		"transfer-vault-all":    s.run(signed(s.system(transfer(sol), signer, s.metas[payerAt]), vault)),
		"transfer-vault-little": s.run(signed(s.system(transfer(sol-1), signer, s.metas[payerAt]), vault)),
		"transfer-from-own":     s.run(s.system(transfer(1), s.flagged(ownAt, "ws"), to)),
		"wrong-seeds":           s.run(signed(s.system(transfer(1), signer, s.metas[payerAt]), empty)),
		"two-signers":           s.run(signed(s.system(transfer(1), signer, s.metas[payerAt]), empty, vault)),
		"bad-bump":              s.run(signed(s.system(transfer(1), signer, s.metas[payerAt]), [][]byte{[]byte("vault"), {0}, {0}})),
		"no-seeds":              s.run(signed(s.system(transfer(1), signer, s.metas[payerAt]), [][]byte{})),
		"long-seed":             s.run(signed(s.system(transfer(1), signer, s.metas[payerAt]), [][]byte{make([]byte, 33)})),
		"create":                s.run(s.system(create(2*sol, 40), s.metas[payerAt], s.metas[freshAt])),
		"create-large":          s.run(s.system(create(90*sol, 10240), s.metas[payerAt], s.metas[freshAt])),
		"create-too-large":      s.run(s.system(create(90*sol, 10241), s.metas[payerAt], s.metas[freshAt])),
		"create-poor":           s.run(s.system(create(1, 40), s.metas[payerAt], s.metas[freshAt])),
		"create-derived":        s.run(signed(s.system(create(2*sol, 40), s.metas[payerAt], s.flagged(emptyAt, "ws")), empty)),
		"create-used":           s.run(signed(s.system(create(2*sol, 40), s.metas[payerAt], signer), vault)),
		"allocate-vault":        s.run(signed(s.system([]any{uint32(8), 30}, signer), vault)),
		"assign-vault":          s.run(signed(s.system([]any{uint32(1), s.a}, signer), vault)),
		"assign-then-use": s.state((&script{}).invoke(s.code, signed(s.system([]any{uint32(1), s.a}, signer), vault)).
			op(opStore, s.slots[vaultAt].length, 16).op(opStore, s.slots[vaultAt].data+8, 0x1122334455).
			op(opStore, s.slots[vaultAt].lamports, sol-1000).op(opStore, s.slots[ownAt].lamports, 2*sol+1000)),
		"create-then-use": s.state((&script{}).invoke(s.code, s.system(create(2*sol, 40), s.metas[payerAt], s.metas[freshAt])).
			op(opStore, s.slots[freshAt].data+32, 0x1122334455).
			invoke(s.code, s.system(transfer(0), s.metas[payerAt], to))),
		"prefund":  s.run(signed(s.system([]any{uint32(13), sol, 33, s.a}, signer, s.metas[payerAt]), vault)),
		"bad-data": s.run(s.system([]any{uint32(99)}, s.metas[payerAt], to)),
		"nothing":  s.run(s.system(nil)),
	}
}

func privilegeCalls(s *stage) map[string]*script {
	zero := []any{uint32(2), 0}
	unlisted := solana.Meta(difftest.Address("nowhere"))
	c := func(metas ...*solana.AccountMeta) *script { return s.run(s.call(s.b, (&script{}).build(), metas...)) }
	return map[string]*script{
		"escalate-write":        c(s.flagged(foreignAt, "w")),
		"escalate-sign":         c(s.flagged(foreignAt, "s")),
		"escalate-both":         c(s.flagged(foreignAt, "ws")),
		"escalate-second":       c(s.metas[foreignAt], s.flagged(foreignAt, "s")),
		"escalate-program":      c(s.flagged(otherAt, "w")),
		"drop":                  c(s.flagged(payerAt, ""), s.flagged(ownAt, "")),
		"merge":                 c(s.flagged(payerAt, "w"), s.flagged(payerAt, "s"), s.flagged(payerAt, "")),
		"unknown-account":       c(unlisted),
		"unknown-program":       s.run(s.call(difftest.Address("nowhere"), nil)),
		"own-signs":             c(s.flagged(ownAt, "s")),
		"transfer-unsigned":     s.run(s.system(zero, s.flagged(payerAt, "w"), s.metas[ownAt])),
		"transfer-to-foreign":   s.run(s.system([]any{uint32(2), 7}, s.metas[payerAt], s.metas[foreignAt])),
		"not-a-program":         s.run(s.call(s.keys[foreignAt], nil)),
		"wallet-is-no-program":  s.run(s.call(s.keys[payerAt], nil)),
		"no-infos-needed":       s.run(without(s.call(s.b, (&script{}).build()), ownAt, payerAt)),
		"info-missing":          s.run(without(s.call(s.b, (&script{}).build(), s.metas[ownAt]), ownAt)),
		"info-executable":       s.run(without(s.call(s.b, (&script{}).build(), s.metas[otherAt], s.metas[systemAt]), otherAt, systemAt)),
		"info-repeated":         s.run(repeated(s.call(s.b, (&script{}).build(), s.metas[ownAt]))),
		"readonly-own-modified": s.run(s.inner(func(b *script, at []slot) { b.op(opStore, at[0].data, 1) }, ownAt)),
	}
}

// without removes infos.
func without(c call, list ...int) call {
	var infos []slot
	var lengths []uint64
	for i := range c.infos {
		if !bytes.Contains([]byte(fmt.Sprint(list)), []byte(fmt.Sprint(i))) {
			infos, lengths = append(infos, c.infos[i]), append(lengths, c.lengths[i])
		}
	}
	c.infos, c.lengths = infos, lengths
	return c
}

func repeated(c call) call {
	c.infos, c.lengths = append(c.infos, c.infos...), append(c.lengths, c.lengths...)
	return c
}
