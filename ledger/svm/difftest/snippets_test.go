package difftest_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gagliardetto/solana-go"
)

func sysvarSnippets() []snippet {
	get := func(call string, size int) string {
		return "mov64 r1, r10\nsub64 r1, 128\ncall " + call + "\nstxdw [r10-136], r0\nmov64 r7, r10\nsub64 r7, 136" + show("r7", size+8)
	}
	var out []snippet
	for call, size := range map[string]int{
		"sol_get_clock_sysvar": 40, "sol_get_rent_sysvar": 24, "sol_get_epoch_schedule_sysvar": 40,
		"sol_get_epoch_rewards_sysvar": 96, "sol_get_last_restart_slot": 8,
	} {
		out = append(out,
			snippet{name: call, source: get(call, size)},
			snippet{name: call + "-unaligned", source: "mov64 r1, r10\nsub64 r1, 127\ncall " + call + ok},
			snippet{name: call + "-by-8", source: "mov64 r1, r10\nsub64 r1, 120\ncall " + call + ok},
			snippet{name: call + "-input", source: "call " + call + ok},
			snippet{name: call + "-outside", source: "mov64 r1, 1234\ncall " + call + ok},
		)
	}
	sortSnippets(out)
	ids := []string{
		"SysvarC1ock11111111111111111111111111111111", "SysvarRent111111111111111111111111111111111",
		"SysvarS1otHashes111111111111111111111111111", "SysvarEpochSchedu1e111111111111111111111111",
		"SysvarLastRestartS1ot1111111111111111111111", "SysvarEpochRewards1111111111111111111111111",
		"Sysvar1nstructions1111111111111111111111111",
		"SysvarRecentB1ockHashes11111111111111111111", "11111111111111111111111111111111",
	}
	for _, id := range ids {
		for _, r := range [][2]int64{{0, 40}, {8, 72}, {20480, 8}, {20488, 0}, {20488, 1}, {-1, 1}, {-1, 0}, {0, 0}} {
			out = append(out, snippet{name: fmt.Sprint(id, r), source: getSysvar(id, r[0], r[1], "")})
		}
	}
	clock := ids[0]
	return append(out,
		snippet{name: "to-input", source: getSysvar(clock, 0, 8, "mov64 r2, r6")},
		snippet{name: "to-rodata", source: getSysvar(clock, 0, 8, "lddw r2, &id")},
		snippet{name: "id-outside", source: getSysvar(clock, 0, 8, "mov64 r1, 99")},
		snippet{name: "costly", source: getSysvar(clock, 0, 1<<50, "")},
		snippet{name: "stake", source: "mov64 r1, 0\ncall sol_get_epoch_stake\nstxdw [r10-32], r0\nmov64 r7, r10\nsub64 r7, 32" + show("r7", 8)},
		snippet{name: "stake-vote", source: "add64 r1, 16\ncall sol_get_epoch_stake" + ok},
		snippet{name: "stake-outside", source: "mov64 r1, 3\ncall sol_get_epoch_stake" + ok},
		snippet{name: "alloc", source: "mov64 r1, 5\nmov64 r2, 0\ncall sol_alloc_free_\nmov64 r6, r0\nmov64 r1, 9\nmov64 r2, 0\ncall sol_alloc_free_\nstxdw [r10-32], r0\nmov64 r1, 1\nmov64 r2, r6\ncall sol_alloc_free_\nstxdw [r10-24], r0\nmov64 r7, r10\nsub64 r7, 32" + show("r7", 16)},
		snippet{name: "alloc-all", source: "mov64 r1, 32768\nmov64 r2, 0\ncall sol_alloc_free_\nstxdw [r10-32], r0\nmov64 r1, 1\nmov64 r2, 0\ncall sol_alloc_free_\nstxdw [r10-24], r0\nmov64 r7, r10\nsub64 r7, 32" + show("r7", 16)},
		snippet{name: "alloc-too-much", source: "lddw r1, 0xffffffffffffffff\nmov64 r2, 0\ncall sol_alloc_free_\nstxdw [r10-32], r0\nmov64 r7, r10\nsub64 r7, 32" + show("r7", 8)},
	)
}

// getSysvar calls sol_get_sysvar for a part of a sysvar and shows the result.
func getSysvar(id string, offset, length int64, tail string) string {
	key := solana.MustPublicKeyFromBase58(id)
	n := min(length, 72)
	return fmt.Sprintf(".bytes id %x\nmov64 r6, r1\nlddw r1, &id\nmov64 r2, r10\nsub64 r2, 128\nlddw r3, %d\nlddw r4, %d\n%s\ncall sol_get_sysvar\nstxdw [r10-136], r0\nmov64 r7, r10\nsub64 r7, 136",
		key[:], uint64(offset), uint64(length), tail) + show("r7", int(n)+8)
}

func returnSnippets() []snippet {
	set := func(n int) string {
		return fmt.Sprintf(".string a \"the answer is 42, of course, and nothing else at all\"\nlddw r1, &a\nmov64 r2, %d\ncall sol_set_return_data", n)
	}
	get := func(addr string, n int, program string) string {
		return fmt.Sprintf("\nmov64 r1, r10\nsub64 r1, %s\nmov64 r2, %d\nmov64 r3, r10\nsub64 r3, %s\ncall sol_get_return_data\nstxdw [r10-136], r0\nmov64 r7, r10\nsub64 r7, 136", addr, n, program) + show("r7", 100)
	}
	sibling := func(index int64, dataLen, accounts int) string {
		return fmt.Sprintf("stdw [r10-16], %d\nstdw [r10-8], %d\nlddw r1, %d\nmov64 r2, r10\nsub64 r2, 16\nmov64 r3, r10\nsub64 r3, 48\nmov64 r4, r10\nsub64 r4, 80\nmov64 r5, r10\nsub64 r5, 480\ncall sol_get_processed_sibling_instruction\nstxdw [r10-488], r0\nmov64 r7, r10\nsub64 r7, 488",
			dataLen, accounts, uint64(index)) + "\nmov64 r3, r7\nstxdw [r10-504], r3\nstdw [r10-496], 488\nmov64 r1, r10\nsub64 r1, 504\nmov64 r2, 1\ncall sol_log_data" + ok
	}
	earlier := []solana.Instruction{
		solana.NewInstruction(solana.ComputeBudget, nil, data(byte(2), uint32(300000))),
		solana.NewInstruction(solana.ComputeBudget, nil, data(byte(3), uint64(7))),
	}
	return []snippet{
		{name: "set", source: set(13) + ok},
		{name: "set-empty", source: set(0) + ok},
		{name: "set-then-empty", source: set(5) + "\nmov64 r1, 0\nmov64 r2, 0\ncall sol_set_return_data" + ok},
		{name: "set-large", source: "lddw r1, 0x300000000\nmov64 r2, 1024\ncall sol_set_return_data" + ok},
		{name: "set-too-large", source: "lddw r1, 0x300000000\nmov64 r2, 1025\ncall sol_set_return_data" + ok},
		{name: "set-outside", source: "mov64 r1, 5\nmov64 r2, 10\ncall sol_set_return_data" + ok},
		{name: "set-fail", source: set(20) + "\nmov64 r0, 77\nexit"},
		{name: "get-none", source: "mov64 r6, 0" + get("128", 32, "32")},
		{name: "get", source: set(13) + get("128", 32, "96")},
		{name: "get-less", source: set(13) + get("128", 4, "96")},
		{name: "get-zero", source: set(13) + get("-100", 0, "-100")},
		{name: "get-outside", source: set(13) + get("-100", 4, "96")},
		{name: "get-program-outside", source: set(13) + get("128", 4, "-100")},
		{name: "get-overlap", source: set(13) + get("128", 32, "120")},
		{name: "get-unaligned", source: set(13) + get("127", 32, "95")},
		{name: "height", source: "call sol_get_stack_height\nstxdw [r10-32], r0\nmov64 r7, r10\nsub64 r7, 32" + show("r7", 8)},
		{name: "sibling-none", source: sibling(0, 0, 0)},
		{name: "sibling-sizes", source: sibling(0, 0, 0), before: earlier},
		{name: "sibling-match", source: sibling(0, 9, 0), before: earlier},
		{name: "sibling-second", source: sibling(1, 5, 0), before: earlier},
		{name: "sibling-third", source: sibling(2, 5, 0), before: earlier},
		{name: "sibling-max", source: sibling(-1, 5, 0), before: earlier},
	}
}

func faultSnippets() []snippet {
	load := func(addr uint64) string { return fmt.Sprintf("lddw r1, %#x\nldxdw r2, [r1]", addr) + ok }
	store := func(addr uint64) string { return fmt.Sprintf("lddw r1, %#x\nstdw [r1], 1", addr) + ok }
	var out []snippet
	for _, addr := range []uint64{
		0, 1, 8, 0xff, 0xffffffff, 0x100000000, 0x100000008, 0x10000fff8, 0x1ffffff00, 0x1ffffeff0, 0x1fffff000, 0x1fffffff8, 0x1fffffffc,
		0x200000000, 0x200000ff8, 0x200000ffc, 0x200001000, 0x200001ffc, 0x200001ff8, 0x200002000, 0x20003fff8, 0x20003fffc,
		0x200040000, 0x200041000, 0x20007eff8, 0x20007effc, 0x20007f000, 0x200080000, 0x2ffffffff, 0x300000000, 0x300007ff8, 0x300007ffc,
		0x300008000, 0x3ffffffff, 0x400000000, 0x400100000, 0x4ffffffff, 0x500000000, 0xffffffffffffffff, 0xfffffffffffffff8,
		0x8000000000000000, 0x7fffffffffffffff, 0x80000001ffffffff,
	} {
		out = append(out,
			snippet{name: fmt.Sprintf("load-%#x", addr), source: load(addr)},
			snippet{name: fmt.Sprintf("store-%#x", addr), source: store(addr)},
		)
	}
	for _, size := range []string{"b", "h", "w"} {
		out = append(out,
			snippet{name: "load-" + size, source: "mov64 r1, 77\nldx" + size + " r2, [r1-3]" + ok},
			snippet{name: "store-" + size, source: "mov64 r1, 77\nst" + size + " [r1+3], 1" + ok},
			snippet{name: "storex-" + size, source: "mov64 r1, 77\nstx" + size + " [r1+3], r1" + ok},
		)
	}
	recursion := func(n int) string {
		return fmt.Sprintf("mov64 r6, %d\ncall f\nexit\nf:\nsub64 r6, 1\njeq r6, 0, done\nmov64 r1, r6\ncall g\ndone:\nmov64 r0, 0\nexit\ng:\nmov64 r6, r1\nstxdw [r10-8], r6\ncall f\nldxdw r6, [r10-8]\nexit", n)
	}
	return append(out,
		snippet{name: "div64", source: "mov64 r1, 5\nmov64 r2, 0\ndiv64 r1, r2" + ok},
		snippet{name: "mod64", source: "mov64 r1, 5\nmov64 r2, 0\nmod64 r1, r2" + ok},
		snippet{name: "div32", source: "mov64 r1, 5\nlddw r2, 0x100000000\ndiv32 r1, r2" + ok},
		snippet{name: "mod32", source: "mov64 r1, 5\nlddw r2, 0x100000000\nmod32 r1, r2" + ok},
		snippet{name: "forever", source: "again:\nja again\nexit"},
		snippet{name: "forever-calls", source: "again:\ncall sol_log_compute_units_\nja again\nexit"},
		snippet{name: "no-exit", source: "mov64 r0, 0\nmov64 r1, 0"},
		snippet{name: "recursion-10", source: recursion(10)},
		snippet{name: "recursion-32", source: recursion(32)},
		snippet{name: "recursion-33", source: recursion(33)},
		snippet{name: "recursion-100", source: recursion(100)},
		snippet{name: "endless-recursion", source: "f:\ncall f\nexit"},
		snippet{name: "callx-null", source: "mov64 r1, 0\ncallx r1" + ok},
		snippet{name: "callx-far", source: "lddw r1, 0x200000000\ncallx r1" + ok},
		snippet{name: "callx-max", source: "lddw r1, 0xffffffffffffffff\ncallx r1" + ok},
		snippet{name: "callx-deep", source: "lddw r6, 0x100000000\nmov64 r2, r6\nf:\ncallx r6" + ok},
		snippet{name: "frames", source: "stdw [r10-8], 7\nmov64 r1, r10\ncall f\nldxdw r3, [r10-8]\nldxdw r4, [r10-16]\nmov64 r1, r3\nmov64 r2, r4\ncall sol_log_64_" + ok + "f:\nstdw [r10-4096], 1\nldxdw r2, [r1-8]\nadd64 r2, 1\nstxdw [r1-8], r2\nstxdw [r1-16], r10\nexit"},
		snippet{name: "below-frame", source: "stdw [r10-4096], 1\nstdw [r10-4104], 1" + ok},
		snippet{name: "above-frame", source: "stdw [r10+0], 1" + ok},
		snippet{name: "across-frame", source: "stdw [r10-4], 1\nldxdw r2, [r10-4]" + ok},
	)
}

func statusSnippets() []snippet {
	var out []snippet
	for _, v := range []uint64{1, 2, 255, 6001, 0xffffffff, 0x1ffffffff, 1<<32 + 5, 27 << 32, 28 << 32, 1 << 63, ^uint64(0)} {
		out = append(out, snippet{name: fmt.Sprintf("%#x", v), source: fmt.Sprintf("lddw r0, %#x\nexit", v)})
	}
	for i := 1; i <= 26; i++ {
		out = append(out, snippet{name: fmt.Sprint("kind", i), source: fmt.Sprintf("lddw r0, %#x\nexit", uint64(i)<<32)})
	}
	return out
}

func accountSnippets() []snippet {
	at := func(start, field int) string { return fmt.Sprintf("mov64 r6, r1\nadd64 r6, %d\n", start+field) }
	swap := func(flags string) func(own, payer, foreign solana.PublicKey) []*solana.AccountMeta {
		return func(own, payer, foreign solana.PublicKey) []*solana.AccountMeta {
			return []*solana.AccountMeta{meta(own, flags), meta(payer, "ws"), meta(foreign, "w")}
		}
	}
	doubled := func(own, payer, foreign solana.PublicKey) []*solana.AccountMeta {
		return []*solana.AccountMeta{meta(own, "w"), meta(own, "w"), meta(payer, "ws"), meta(own, ""), meta(payer, "")}
	}
	move := func(n int) string {
		return fmt.Sprintf("ldxdw r2, [r1+%d]\nlddw r3, %d\nsub64 r2, r3\nstxdw [r1+%d], r2\nldxdw r2, [r1+%d]\nadd64 r2, r3\nstxdw [r1+%d], r2",
			ownStart+lamportsAt, n, ownStart+lamportsAt, payerStart+lamportsAt, payerStart+lamportsAt) + ok
	}
	length := func(n int) string { return at(ownStart, lengthAt) + fmt.Sprintf("stdw [r6], %d", n) + ok }
	owner := func(zero bool) string {
		s := at(ownStart, ownerAt) + "stdw [r6], 5\n"
		if zero {
			s += "stdw [r6+48], 0\nstdw [r6+56], 0\n"
		}
		return s + ok
	}
	return []snippet{
		{name: "input", source: fmt.Sprintf("mov64 r7, r1\nmov64 r8, r2\nmov64 r1, r8\nldxdw r2, [r7+%d]\ncall sol_log_", dataStart-0) + ok, data: []byte("instruction data")},
		{name: "input-accounts", source: "mov64 r7, r1" + show("r7", 2000)},
		{name: "input-payer", source: at(payerStart, 0) + show("r6", 100)},
		{name: "input-foreign", source: at(foreignStart, 0) + show("r6", 120)},
		{name: "doubled", source: "mov64 r7, r1\nadd64 r7, 10352" + show("r7", 1000), metas: doubled},
		{name: "doubled-write", source: at(ownStart, bytesAt) + "stdw [r6], 99" + ok, metas: doubled},
		{name: "write", source: at(ownStart, bytesAt) + "stdw [r6], 0x41414141\nstdw [r6+8], 1" + ok},
		{name: "write-then-fail", source: at(ownStart, bytesAt) + "stdw [r6], 1\nmov64 r0, 9\nexit"},
		{name: "write-readonly", source: at(ownStart, bytesAt) + "stdw [r6], 1" + ok, metas: swap("")},
		{name: "write-foreign", source: at(foreignStart, bytesAt) + "stdw [r6], 1" + ok, metas: swap("w")},
		{name: "write-foreign-readonly", source: at(foreignStart, bytesAt) + "stdw [r6], 1" + ok},
		{name: "write-same", source: at(foreignStart, bytesAt) + "ldxdw r2, [r6]\nstxdw [r6], r2" + ok},
		{name: "write-header", source: at(ownStart, 0) + "stdw [r6], 0\nstdw [r6+8], 0" + ok},
		{name: "write-beyond", source: at(ownStart, bytesAt) + "stdw [r6+16], 1" + ok},
		{name: "move", source: move(sol)},
		{name: "move-all", source: move(2 * sol)},
		{name: "move-to-rent-paying", source: move(2*sol - 500)},
		{name: "move-readonly", source: move(sol), metas: swap("")},
		{name: "take", source: at(payerStart, lamportsAt) + "ldxdw r2, [r6]\nsub64 r2, 5\nstxdw [r6], r2" + ok},
		{name: "give-only", source: at(payerStart, lamportsAt) + "ldxdw r2, [r6]\nadd64 r2, 5\nstxdw [r6], r2" + ok},
		{name: "burn", source: at(ownStart, lamportsAt) + "ldxdw r2, [r6]\nsub64 r2, 5\nstxdw [r6], r2" + ok},
		{name: "mint-readonly", source: at(foreignStart, lamportsAt) + "ldxdw r2, [r6]\nadd64 r2, 5\nstxdw [r6], r2" + ok},
		{name: "mint-max", source: at(ownStart, lamportsAt) + "lddw r2, 0xffffffffffffffff\nstxdw [r6], r2" + ok},
		{name: "shrink", source: length(4)},
		{name: "empty", source: length(0)},
		{name: "grow", source: length(100)},
		{name: "grow-most", source: length(16 + 10240)},
		{name: "grow-too-much", source: length(16 + 10241)},
		{name: "grow-absurd", source: length(0x7fffffff)},
		{name: "grow-wraps", source: length(-1)},
		{name: "grow-and-write", source: at(ownStart, lengthAt) + "stdw [r6], 64\nstdw [r6+56], 0x4242" + ok},
		{name: "grow-readonly", source: length(100), metas: swap("")},
		{name: "grow-foreign", source: at(foreignStart, lengthAt) + "stdw [r6], 32" + ok, metas: swap("w")},
		{name: "shrink-foreign", source: at(foreignStart, lengthAt) + "stdw [r6], 8" + ok, metas: swap("w")},
		{name: "owner", source: owner(false)},
		{name: "owner-zeroed", source: owner(true)},
		{name: "owner-readonly", source: owner(true), metas: swap("")},
		{name: "owner-foreign", source: at(foreignStart, ownerAt) + "stdw [r6], 5" + ok, metas: swap("w")},
		{name: "owner-payer", source: at(payerStart, ownerAt) + "stdw [r6], 5" + ok},
		{name: "executable", source: at(ownStart, 3) + "stb [r6], 1" + ok},
		{name: "key", source: at(ownStart, 8) + "stdw [r6], 1" + ok},
		{name: "count", source: "stdw [r1], 0" + ok},
		{name: "program-id", source: fmt.Sprintf("stdw [r1+%d], 0", dataStart-1000) + ok},
	}
}

func sortSnippets(list []snippet) {
	slices.SortFunc(list, func(a, b snippet) int { return strings.Compare(a.name, b.name) })
}
