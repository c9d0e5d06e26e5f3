package difftest_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/sbpf"
)

// TestControl replaces one operation by a wrong one, like a faulty interpreter, and checks that the
// recorded programs notice: those with every operation on every pair of operands, or the random
// ones, which must notice most of them alone. It compares the same fields as TestDifferential.
func TestControl(t *testing.T) {
	judge := difftest.New(t, difftest.Options{Traces: "testdata"})
	var groups [2]recording
	for i, name := range []string{"opcodes", "random-programs"} {
		groups[i].name = name
		groups[i].cases, groups[i].reports = judge.Recorded(t, name)
	}
	random := 0
	for name, wrong := range map[string][2]byte{
		"add64 is sub64": {0x0f, 0x1f}, "add32 is add64": {0x0c, 0x0f}, "mul32 is mul64": {0x2c, 0x2f}, "rsh64 is arsh64": {0x7f, 0xcf}, "arsh32 is rsh32": {0xcc, 0x7c},
		"sub64 is xor64, constants": {0x17, 0xa7}, "mov32 is mov64, constants": {0xb4, 0xb7}, "div64 is mod64": {0x3f, 0x9f}, "and64 is or64": {0x5f, 0x4f},
		"jgt is jge": {0x2d, 0x3d}, "jslt is jlt": {0xcd, 0xad}, "jset is jne": {0x4d, 0x5d}, "ldxh is ldxb": {0x69, 0x71}, "stxw is stxdw": {0x63, 0x7b}, "le is be": {0xd4, 0xdc},
	} {
		t.Run(name, func(t *testing.T) {
			found, foundAtRandom := control(t, judge, groups[0], wrong), control(t, judge, groups[1], wrong)
			if found+foundAtRandom == 0 {
				t.Error("nobody noticed")
			}
			if foundAtRandom > 0 {
				random++
			}
		})
	}
	if random < 12 {
		t.Errorf("the random programs found %d of 15", random)
	}
}

// recording is a trace.
type recording struct {
	name    string
	cases   []difftest.Case
	reports []difftest.Report
}

// control runs the recorded cases of a group with a wrong operation and counts the differences.
func control(t *testing.T, judge *difftest.Comparison, r recording, wrong [2]byte) (found int) {
	t.Helper()
	changed := 0
	for i, c := range r.cases {
		spoiled, n := spoil(c, wrong)
		if n == 0 {
			continue
		}
		changed += n
		got, err := difftest.RunLocal(judge.Runtime(), spoiled)
		if err != nil {
			t.Fatal(err)
		}
		found += len(difftest.Compare(c, r.reports[i], got))
	}
	t.Logf("%s: %d operations were changed, %d differences were found", r.name, changed, found)
	return found
}

// spoil replaces an operation in every program of version 3, because its text has its own segment.
func spoil(c difftest.Case, wrong [2]byte) (out difftest.Case, changed int) {
	out = c
	out.Programs = append([]difftest.Deployment(nil), c.Programs...)
	for i, p := range out.Programs {
		elf := append([]byte(nil), p.ELF...)
		text, ok := textOf(elf)
		if !ok {
			continue
		}
		for at := 0; at+8 <= len(text); at += 8 {
			switch text[at] {
			case 0x18:
				at += 8 // its second half is a number
			case wrong[0]:
				text[at] = wrong[1]
				changed++
			}
		}
		out.Programs[i].ELF = elf
	}
	return out, changed
}

// textOf returns the code in a file of version 3.
func textOf(elf []byte) ([]byte, bool) {
	if len(elf) < 64 || binary.LittleEndian.Uint32(elf[48:]) != uint32(sbpf.V3) {
		return nil, false
	}
	for at := 64; at+56 <= len(elf) && at < 64+2*56; at += 56 {
		flags, offset, size := binary.LittleEndian.Uint32(elf[at+4:]), binary.LittleEndian.Uint64(elf[at+8:]), binary.LittleEndian.Uint64(elf[at+32:])
		if flags == 1 && offset <= uint64(len(elf)) && size <= uint64(len(elf))-offset {
			return elf[offset : offset+size], true
		}
	}
	return nil, false
}

// TestReplayCommand: a seed makes the same programs on every machine, so the command that a failure
// prints finds the failure again.
func TestReplayCommand(t *testing.T) {
	spelled := func(seed uint64) string {
		out := ""
		for _, c := range randomProgramCases(t, seed, 20) {
			out += fmt.Sprintf("%s %d %x\n", c.Name, len(c.Transactions), c.Programs[len(c.Programs)-1].ELF)
		}
		return out
	}
	once, again, other := spelled(77), spelled(77), spelled(78)
	if once != again || once == other {
		t.Error("the programs of a seed are not its own")
	}
}
