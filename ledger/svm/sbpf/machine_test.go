package sbpf_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
)

// TestRun checks results and units of small programs. Package difftest compares everything else
// with Agave.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		r0     uint64
		units  uint64
		fault  error
	}{
		"exit":           {"mov64 r0, 7\nexit", 7, 2, nil},
		"sign extension": {"mov32 r0, 0x7fffffff\nadd32 r0, 1\nexit", 0xffffffff80000000, 3, nil},
		"call":           {"mov64 r6, 1\ncall f\nadd64 r0, r6\nexit\nf:\nmov64 r6, 5\nmov64 r0, 4\nexit", 5, 7, nil},
		"division":       {"mov64 r1, 0\ndiv64 r0, r1\nexit", 0, 2, sbpf.FaultDivideByZero},
		"too long":       {"again:\nja again", 0, 1000, sbpf.FaultExceededInstructions},
		"recursion":      {"f:\nmov64 r0, 0\ncall f\nexit", 0, 128, sbpf.FaultCallDepthExceeded},
		"no end":         {"mov64 r0, 0", 0, 2, sbpf.FaultExecutionOverrun},
		"unknown call":   {"call nothing\nexit", 0, 1, sbpf.FaultUnsupportedInstruction},
	} {
		for _, v := range both {
			r0, units, err := run(t, load(t, c.source, v), 0, 1000)
			if r0 != c.r0 || units != c.units || !errors.Is(err, c.fault) {
				t.Errorf("%s, version %d: r0 %#x, %d units, %v", name, v, r0, units, err)
			}
		}
	}
}

// TestVersions: only v0 and v3 load.
func TestVersions(t *testing.T) {
	env := calls(t)
	for flags := range byte(6) {
		elf := asm.MustELF("exit", sbpf.V0)
		if flags == 3 {
			elf = asm.MustELF("exit", sbpf.V3)
		}
		elf[48] = flags
		_, err := sbpf.Load(elf, env)
		if ok := flags == 0 || flags == 3; ok != (err == nil) || !ok && !errors.Is(err, sbpf.ErrUnsupportedVersion) {
			t.Errorf("flags %d: %v", flags, err)
		}
	}
}

func TestSyscallErrorIsWrapped(t *testing.T) {
	reason := errors.New("a reason")
	env, err := sbpf.NewEnvironment(map[string]sbpf.Syscall{
		"fail": func(m *sbpf.Machine, _, _, _, _, _ uint64) (uint64, error) {
			m.Meter.Consume(100)
			return 0, reason
		},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sbpf.Load(asm.MustELF("call fail\nexit", sbpf.V3), env)
	if err != nil {
		t.Fatal(err)
	}
	_, units, err := run(t, p, 0, 1000)
	var call *sbpf.SyscallError
	if !errors.As(err, &call) || !errors.Is(call.Err, reason) || units != 101 {
		t.Fatalf("%v after %d units", err, units)
	}
}

func TestMeter(t *testing.T) {
	m := sbpf.Meter{Remaining: 10}
	if !m.Consume(10) || m.Remaining != 0 || m.Consume(1) {
		t.Fatal(m)
	}
	m.Remaining = 5
	if m.Consume(6) || m.Remaining != 0 {
		t.Fatal("the rest must be taken if it is too little", m)
	}
}

func TestMurmur(t *testing.T) {
	// This is solana-sbpf's own constant for the entrypoint.
	if got := sbpf.HashName("entrypoint"); got != 0x71e3cf81 {
		t.Fatalf("%#x", got)
	}
}

// TestMemory covers the borders of the regions. Package difftest covers the words of the
// violations.
func TestMemory(t *testing.T) {
	v0, v3 := load(t, everythingQuiet, sbpf.V0), load(t, everythingQuiet, sbpf.V3)
	stack, heap, input := make([]byte, sbpf.StackSize), make([]byte, 64), make([]byte, 32)
	for _, c := range []struct {
		p     *sbpf.Program
		addr  uint64
		n     uint64
		write bool
		ok    bool
	}{
		{v3, sbpf.HeapStart, 64, true, true}, {v3, sbpf.HeapStart, 65, true, false}, {v3, sbpf.HeapStart + 64, 0, true, true},
		{v3, sbpf.InputStart + 31, 1, true, true}, {v3, sbpf.InputStart + 32, 1, false, false}, {v3, sbpf.InputStart, ^uint64(0), false, false},
		{v3, sbpf.RodataStart, 8, false, true}, {v3, sbpf.RodataStart, 8, true, false}, {v3, 5 << 32, 1, false, false},
		{v3, sbpf.StackStart + 4096, 8, true, true}, {v0, sbpf.StackStart + 4096, 8, true, false}, {v0, sbpf.StackStart + 8192, 8, true, true},
		{v3, ^uint64(0), 8, false, false},
	} {
		b, err := sbpf.NewMemory(c.p, stack, heap, input).Slice(c.addr, c.n, c.write)
		if (err == nil) != c.ok || c.ok && uint64(len(b)) != c.n {
			t.Errorf("version %d, %d bytes at %#x, write %v: %v", c.p.Version(), c.n, c.addr, c.write, err)
		}
	}
}

// TestClearStack: whatever a program or a system call writes to the stack, the next program does
// not see it.
func TestClearStack(t *testing.T) {
	for _, v := range []sbpf.Version{sbpf.V0, sbpf.V3} {
		stack := make([]byte, sbpf.StackSize)
		written := func(source string) *sbpf.Memory {
			t.Helper()
			p := load(t, source, v)
			m := &sbpf.Machine{Memory: sbpf.NewMemory(p, stack, nil, nil), Meter: &sbpf.Meter{Remaining: 100}}
			if _, err := m.Run(p, 0, 0); err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(stack, func(b byte) bool { return b != 0 }) {
				t.Fatalf("version %d: the program wrote nothing:\n%s", v, source)
			}
			return m.Memory
		}
		clean := func(what string, m *sbpf.Memory) {
			t.Helper()
			m.ClearStack()
			if i := slices.IndexFunc(stack, func(b byte) bool { return b != 0 }); i >= 0 {
				t.Errorf("version %d, %s: byte %d is left", v, what, i)
			}
		}
		const at = "lddw r1, 0x200000000\nmov64 r2, 1\n"
		for _, far := range []int{0, 7<<12 + 4088, 8<<12 - 4, 8 << 12, 62 << 12, 63<<12 + 4088} {
			if v == sbpf.V0 {
				if far%(1<<12) == 1<<12-4 {
					continue // begins in one frame and ends in a gap
				}
				far += far &^ (1<<12 - 1) // the gaps
			}
			text := fmt.Sprintf("%sadd64 r1, %d\nstxdw [r1], r2\nexit", at, far)
			clean(text, written(text))
		}
		m := written(at + "stxb [r1], r2\nexit")
		for _, far := range []uint64{0, 60 << 12} {
			b, err := m.Slice(sbpf.StackStart+far, 4096, true)
			if err != nil {
				t.Fatal(err)
			}
			b[4095] = 1
			clean("a system call", m)
		}
	}
}

const everythingQuiet = ".string text \"words of it\"\nlddw r1, &text\nexit"
