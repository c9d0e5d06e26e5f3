package difftest_test

import (
	"fmt"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

// snippet is a small program that runs once per sBPF version. Its instruction gets three accounts:
// its own with 16 bytes of data (writable), the payer (writable, signer), and a read-only one of 16
// bytes with another owner.
type snippet struct {
	name, source string
	metas        func(own, payer, foreign solana.PublicKey) []*solana.AccountMeta
	data         []byte
	before       []solana.Instruction // earlier instructions of the transaction
}

// The places of the three accounts in the input, as offsets from r1.
const (
	ownStart     = 8
	payerStart   = ownStart + 88 + 16 + 10240 + 8
	foreignStart = payerStart + 88 + 10240 + 8
	dataStart    = foreignStart + 88 + 16 + 10240 + 8

	ownerAt, lamportsAt, lengthAt, bytesAt = 40, 72, 80, 88
)

// defaultMetas returns the accounts of a snippet without its own list.
func defaultMetas(own, payer, foreign solana.PublicKey) []*solana.AccountMeta {
	return []*solana.AccountMeta{meta(own, "w"), meta(payer, "ws"), meta(foreign, "")}
}

// snippetCase puts snippets on one chain, each with its own account.
func snippetCase(t *testing.T, name string, env *accounts.Environment, snippets []snippet) difftest.Case {
	t.Helper()
	payer, foreign := difftest.Address("payer"), difftest.Address("foreign")
	c := difftest.Case{Name: name, Env: env, Accounts: []accounts.Keyed{
		difftest.Wallet(payer, 1000*sol),
		difftest.Owned(foreign, difftest.Address("foreign-owner"), sol, []byte("0123456789abcdef")),
	}}
	for _, s := range snippets {
		for _, p := range both(t, name+"/"+s.name, s.source+"\n") {
			own := difftest.Address(name + s.name + p.ID.String())
			c.Programs = append(c.Programs, p)
			c.Accounts = append(c.Accounts, difftest.Owned(own, p.ID, 2*sol, []byte("fedcba9876543210")))
			metas := defaultMetas
			if s.metas != nil {
				metas = s.metas
			}
			ix := solana.NewInstruction(p.ID, metas(own, payer, foreign), s.data)
			c.Transactions = append(c.Transactions, build(t, env, payer, append(append([]solana.Instruction{}, s.before...), ix)...))
		}
	}
	return c
}

// ok ends a program successfully.
const ok = "\nmov64 r0, 0\nexit\n"

func programCases(t *testing.T) []difftest.Case {
	env := accounts.DefaultEnvironment()
	env.Clock = accounts.Clock{Slot: 447552123, EpochStartTimestamp: -5, Epoch: 1036, LeaderScheduleEpoch: 1037, UnixTimestamp: 1790000000}
	env.LastRestartSlot = 42
	for i := range 20 {
		env.SlotHashes = append(env.SlotHashes, accounts.SlotHash{
			Slot: uint64(447552122 - i), Hash: solana.Hash(difftest.Address(fmt.Sprint("slot", i))),
		})
	}
	return []difftest.Case{
		snippetCase(t, "log", env, logSnippets()),
		snippetCase(t, "memory", env, memorySnippets()),
		snippetCase(t, "hash", env, hashSnippets()),
		snippetCase(t, "address", env, addressSnippets()),
		snippetCase(t, "sysvar", env, sysvarSnippets()),
		snippetCase(t, "return", env, returnSnippets()),
		snippetCase(t, "fault", env, faultSnippets()),
		snippetCase(t, "status", env, statusSnippets()),
		snippetCase(t, "account", env, accountSnippets()),
	}
}

func logSnippets() []snippet {
	text := func(bytes string, n int) string {
		return fmt.Sprintf(".bytes text %s\nlddw r1, &text\nmov64 r2, %d\ncall sol_log_", bytes, n) + ok
	}
	slices := func(pairs ...[2]string) string {
		s := ".string a \"first\"\n.string b \"second one\"\n"
		for i, p := range pairs {
			s += fmt.Sprintf("lddw r3, %s\nstxdw [r10-%d], r3\nmov64 r3, %s\nstxdw [r10-%d], r3\n", p[0], 16*(len(pairs)-i), p[1], 16*(len(pairs)-i)-8)
		}
		return s + fmt.Sprintf("mov64 r1, r10\nsub64 r1, %d\nmov64 r2, %d\ncall sol_log_data", 16*len(pairs), len(pairs)) + ok
	}
	a, b := [2]string{"&a", "5"}, [2]string{"&b", "10"}
	return []snippet{
		{name: "text", source: text("68656c6c6f", 5)},
		{name: "empty", source: text("68", 0)},
		{name: "utf8", source: text("c3a9e282acf09f9880", 9)},
		{name: "bad-lead", source: text("61ff62", 3)},
		{name: "bad-continuation", source: text("61c328", 3)},
		{name: "bad-second", source: text("e28228", 3)},
		{name: "bad-third", source: text("f09f9828", 4)},
		{name: "overlong", source: text("e08080", 3)},
		{name: "surrogate", source: text("eda080", 3)},
		{name: "too-high", source: text("f4908080", 4)},
		{name: "incomplete", source: text("61e282", 3)},
		{name: "outside", source: text("6162", 100000)},
		{name: "null", source: "mov64 r1, 0\nmov64 r2, 8\ncall sol_log_" + ok},
		{name: "stack", source: "stdw [r10-8], 0x41424344\nmov64 r1, r10\nsub64 r1, 8\nmov64 r2, 4\ncall sol_log_" + ok},
		{name: "long", source: "mov64 r1, 0\nlddw r2, 0xffffffffffffffff\ncall sol_log_" + ok},
		{name: "64", source: "mov64 r1, 1\nmov64 r2, 0\nmov64 r3, -1\nlddw r4, 0x123456789abc\nmov64 r5, 16\ncall sol_log_64_" + ok},
		{name: "pubkey", source: "add64 r1, 16\ncall sol_log_pubkey" + ok},
		{name: "pubkey-outside", source: "mov64 r1, r10\ncall sol_log_pubkey" + ok},
		{name: "units", source: "call sol_log_compute_units_\ncall sol_log_compute_units_" + ok},
		{name: "data", source: slices(a, b)},
		{name: "data-none", source: "mov64 r1, 0\nmov64 r2, 0\ncall sol_log_data" + ok},
		{name: "data-empty-field", source: slices([2]string{"&a", "0"}, a)},
		{name: "data-bad-field", source: slices(a, [2]string{"0x100", "4"})},
		{name: "data-unaligned", source: "mov64 r1, r10\nsub64 r1, 33\nmov64 r2, 1\ncall sol_log_data" + ok},
		{name: "data-many", source: "mov64 r1, r10\nlddw r2, 0x1000000000000000\ncall sol_log_data" + ok},
		{name: "panic", source: ".string file \"lib.rs\"\nlddw r1, &file\nmov64 r2, 6\nmov64 r3, 17\nmov64 r4, 5\ncall sol_panic_" + ok},
		{name: "panic-utf8", source: ".bytes file ff\nlddw r1, &file\nmov64 r2, 1\nmov64 r3, 17\nmov64 r4, 5\ncall sol_panic_" + ok},
		{name: "abort", source: "call abort" + ok},
		{name: "truncated", source: ".string text \"" + longText + "\"\nmov64 r6, 60\nagain:\nlddw r1, &text\nmov64 r2, 200\ncall sol_log_\nsub64 r6, 1\njne r6, 0, again" + ok},
	}
}

const longText = "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjjjjjjj" +
	"kkkkkkkkkkllllllllllmmmmmmmmmmnnnnnnnnnnooooooooooppppppppppqqqqqqqqqqrrrrrrrrrrsssssssssstttttttttt"

// show logs n bytes at an address as data and ends successfully.
func show(addr string, n int) string {
	return fmt.Sprintf("\nmov64 r3, %s\nstxdw [r10-16], r3\nstdw [r10-8], %d\nmov64 r1, r10\nsub64 r1, 16\nmov64 r2, 1\ncall sol_log_data", addr, n) + ok
}

func memorySnippets() []snippet {
	op := func(name, dst, src string, n int64) string {
		return fmt.Sprintf(".string text \"0123456789\"\nlddw r6, &text\nmov64 r7, r10\nsub64 r7, 64\nldxdw r3, [r6]\nstxdw [r10-64], r3\n"+
			"%s\n%s\nlddw r3, %d\ncall %s", dst, src, uint64(n), name) + show("r7", 40)
	}
	to := func(n int) string { return fmt.Sprintf("mov64 r1, r7\nadd64 r1, %d", n) }
	from := func(n int) string { return fmt.Sprintf("mov64 r2, r7\nadd64 r2, %d", n) }
	text := "mov64 r2, r6"
	compare := func(prep string, n int, result string) string {
		return fmt.Sprintf(".string a \"same bytes, then X\"\n.string b \"same bytes, then Y\"\nlddw r1, &a\nlddw r2, &b\nmov64 r3, %d\nmov64 r4, r10\nsub64 r4, %s\nstdw [r10-8], -1\n%s\ncall sol_memcmp_\nmov64 r7, r10\nsub64 r7, 8",
			n, result, prep) + show("r7", 8)
	}
	return []snippet{
		{name: "copy", source: op("sol_memcpy_", to(8), text, 10)},
		{name: "copy-none", source: op("sol_memcpy_", "mov64 r1, 0", "mov64 r2, 0", 0)},
		{name: "copy-large", source: op("sol_memcpy_", "lddw r1, 0x300000000", "lddw r2, 0x300004000", 16000)},
		{name: "copy-overlap", source: op("sol_memcpy_", to(4), from(0), 8)},
		{name: "copy-overlap-back", source: op("sol_memcpy_", to(0), from(4), 8)},
		{name: "copy-touching", source: op("sol_memcpy_", to(8), from(0), 8)},
		{name: "copy-rodata", source: op("sol_memcpy_", "mov64 r1, r6", from(0), 2)},
		{name: "copy-outside", source: op("sol_memcpy_", to(0), "mov64 r2, 12345", 2)},
		{name: "copy-to-outside", source: op("sol_memcpy_", "lddw r1, 0x400ffffff", from(0), 2)},
		{name: "copy-huge", source: op("sol_memcpy_", to(0), text, -1)},
		{name: "move-overlap", source: op("sol_memmove_", to(4), from(0), 12)},
		{name: "move-back", source: op("sol_memmove_", to(0), from(4), 12)},
		{name: "move-past-end", source: op("sol_memmove_", "lddw r1, 0x300007ff8", from(0), 16)},
		{name: "set", source: op("sol_memset_", to(3), "mov64 r2, 0x1ab", 20)},
		{name: "set-none", source: op("sol_memset_", "mov64 r1, 0", "mov64 r2, 1", 0)},
		{name: "set-rodata", source: op("sol_memset_", "mov64 r1, r6", "mov64 r2, 1", 1)},
		{name: "set-costly", source: op("sol_memset_", "lddw r1, 0x300000000", "mov64 r2, 1", 1<<40)},
		{name: "set-past-stack", source: "lddw r1, 0x200000000\nmov64 r2, 1\nmov64 r3, 262145\ncall sol_memset_" + ok},
		{name: "compare-equal", source: compare("", 17, "8")},
		{name: "compare-less", source: compare("", 18, "8")},
		{name: "compare-more", source: compare("mov64 r5, r1\nmov64 r1, r2\nmov64 r2, r5", 18, "8")},
		{name: "compare-none", source: compare("", 0, "8")},
		{name: "compare-unaligned", source: compare("", 5, "7")},
		{name: "compare-outside", source: compare("mov64 r2, 0x5000", 5, "8")},
		{name: "compare-result-rodata", source: compare("mov64 r4, r1", 5, "8")},
	}
}

func hashSnippets() []snippet {
	// Two slices are on the stack at r10-64, and the result is at r10-32 (or at the given place).
	hash := func(name string, count int64, result string) string {
		return fmt.Sprintf(".string a \"some text\"\n.string b \"more\"\nlddw r3, &a\nstxdw [r10-64], r3\nstdw [r10-56], 9\n"+
			"lddw r3, &b\nstxdw [r10-48], r3\nstdw [r10-40], 4\nmov64 r1, r10\nsub64 r1, 64\nlddw r2, %d\nmov64 r3, r10\nsub64 r3, %s\ncall %s\n"+
			"mov64 r7, r10\nsub64 r7, 32", uint64(count), result, name) + show("r7", 32)
	}
	var out []snippet
	for _, h := range []string{"sol_sha256", "sol_keccak256"} {
		out = append(out,
			snippet{name: h + "-two", source: hash(h, 2, "32")},
			snippet{name: h + "-one", source: hash(h, 1, "32")},
			snippet{name: h + "-none", source: hash(h, 0, "32")},
			snippet{name: h + "-limit", source: hash(h, 20001, "32")},
			snippet{name: h + "-outside", source: hash(h, 20000, "32")},
			snippet{name: h + "-result-unaligned", source: hash(h, 2, "31")},
			snippet{name: h + "-result-outside", source: hash(h, 2, "-8")},
			snippet{name: h + "-over-input", source: hash(h, 2, "64")},
			snippet{name: h + "-large", source: "lddw r3, 0x300000000\nstxdw [r10-64], r3\nstdw [r10-56], 32768\nmov64 r1, r10\nsub64 r1, 64\nmov64 r2, 1\nmov64 r3, r10\nsub64 r3, 32\ncall " + h + "\nmov64 r7, r10\nsub64 r7, 32" + show("r7", 32)},
		)
	}
	return append(out,
		snippet{name: "blake3", source: hash("sol_blake3", 1, "32")},
		snippet{name: "unknown", source: "call sol_no_such_call" + ok},
		snippet{name: "remaining-units", source: "call sol_remaining_compute_units" + ok},
	)
}

func addressSnippets() []snippet {
	// The seeds are on the stack from r10-256. The program is the running one, 32 bytes at the end
	// of the input (no data).
	address := func(call string, seeds [][2]int, tail string) string {
		s := ".string a \"seed of some length that is over thirty-two\"\nmov64 r8, r1\nlddw r7, " + fmt.Sprint(dataStart+8) + "\nadd64 r8, r7\n"
		for i, seed := range seeds {
			s += fmt.Sprintf("lddw r3, &a\nadd64 r3, %d\nstxdw [r10-%d], r3\nstdw [r10-%d], %d\n", seed[0], 400-16*i, 392-16*i, seed[1])
		}
		return s + fmt.Sprintf("mov64 r1, r10\nsub64 r1, 400\nmov64 r2, %d\nmov64 r3, r8\nmov64 r4, r10\nsub64 r4, 32\nmov64 r5, r10\nsub64 r5, 40\nstdw [r10-40], 0\n%s\ncall %s\nstxdw [r10-48], r0\nmov64 r7, r10\nsub64 r7, 48",
			len(seeds), tail, call) + show("r7", 48)
	}
	var out []snippet
	many := func(n int) (list [][2]int) {
		for i := range n {
			list = append(list, [2]int{i, 1})
		}
		return list
	}
	for _, call := range []string{"sol_create_program_address", "sol_try_find_program_address"} {
		for i := range 6 {
			out = append(out, snippet{name: fmt.Sprint(call, "-", i), source: address(call, [][2]int{{0, 4}, {i, 1 + i}}, "")})
		}
		out = append(out,
			snippet{name: call + "-none", source: address(call, nil, "")},
			snippet{name: call + "-empty-seed", source: address(call, [][2]int{{0, 0}}, "")},
			snippet{name: call + "-long-seed", source: address(call, [][2]int{{0, 33}}, "")},
			snippet{name: call + "-longest-seed", source: address(call, [][2]int{{0, 32}}, "")},
			snippet{name: call + "-15-seeds", source: address(call, many(15), "")},
			snippet{name: call + "-16-seeds", source: address(call, many(16), "")},
			snippet{name: call + "-17-seeds", source: address(call, many(17), "")},
			snippet{name: call + "-program-outside", source: address(call, many(1), "mov64 r3, 77")},
			snippet{name: call + "-result-outside", source: address(call, many(2), "mov64 r4, 77")},
			snippet{name: call + "-result-rodata", source: address(call, many(3), "lddw r4, &a")},
			snippet{name: call + "-bump-outside", source: address(call, many(1), "mov64 r5, 77")},
			snippet{name: call + "-overlap", source: address(call, many(1), "mov64 r5, r4\nadd64 r5, 3")},
			snippet{name: call + "-unaligned", source: address(call, many(1), "add64 r1, 1")},
		)
	}
	return out
}
