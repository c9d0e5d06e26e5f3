package guard

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// op makes one instruction.
func op(code, dst, src byte, off int16, imm int32) []byte {
	slot := []byte{code, src<<4 | dst, 0, 0, 0, 0, 0, 0}
	binary.LittleEndian.PutUint16(slot[2:], uint16(off))
	binary.LittleEndian.PutUint32(slot[4:], uint32(imm))
	return slot
}

var exit = op(opExit, 0, 0, 0, 0)

// program makes a valid ELF of the code, with the marker as its data.
func program(code ...[]byte) []byte {
	var text []byte
	for _, slot := range code {
		text = append(text, slot...)
	}
	word := func(elf []byte, at int, values ...uint64) {
		for i, value := range values {
			binary.LittleEndian.PutUint64(elf[at+8*i:], value)
		}
	}
	elf := make([]byte, 64+2*56)
	word(elf, 0, 0x00010102_464c457f)
	word(elf, 16, 3|247<<16|1<<32, textAddress, fileHeaderBytes, 0)
	word(elf, 48, 3|64<<32|56<<48, 2|64<<16)
	data := []byte(nullMarker)
	start := uint64(len(elf))
	word(elf, 64, 1|4<<32, start, 0, 0, uint64(len(data)), uint64(len(data)))
	start += uint64(len(data))
	word(elf, 120, 1|1<<32, start, textAddress, textAddress, uint64(len(text)), uint64(len(text)))
	return append(append(elf, data...), text...)
}

func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	for name, code := range map[string][][]byte{
		"exit":           {exit},
		"64-bit load":    {op(opLoadWide, 1, 0, 0, 7), op(0, 0, 0, 0, 8), exit},
		"byte swap":      {op(opBE, 1, 0, 0, 32), op(opLE, 2, 0, 0, 16), exit},
		"arithmetic":     {op(0x37, 1, 0, 0, 3), op(0x0f, 1, 2, 0, 0), op(0x87, 3, 0, 0, 0), exit},
		"frame":          {op(0x7b, 10, 1, -4096, 0), op(0x79, 1, 10, -8, 0), op(opMovReg, 1, 10, 0, 0), op(opAddImm, 1, 0, 0, -4096), exit},
		"loop":           {op(0x05, 0, 0, -1, 0), exit},
		"syscall":        {op(opCall, 0, callSyscall, 0, 0x207559bd), exit},
		"internal call":  {op(opCall, 0, callInternal, 0, -1), exit},
		"register call":  {op(opCallReg, 3, 0, 0, 0), exit},
		"backwards jump": {exit, op(0x2d, 1, 2, -2, 0)},
	} {
		if err := Check(program(code...)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRefusesCode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		want string
		code [][]byte
	}{
		{"32-bit arithmetic", [][]byte{op(0x04, 1, 0, 0, 1)}},
		{"opcode 0xbc", [][]byte{op(0xbc, 1, 2, 0, 0)}},
		{"opcode 0x0c", [][]byte{op(0x0c, 1, 2, 0, 0)}},
		{"32-bit jump", [][]byte{op(0x16, 1, 0, 0, 0)}},
		{"no such byte swap", [][]byte{op(opBE, 1, 0, 0, 8)}},
		{"no such arithmetic", [][]byte{op(0x3f, 1, 2, 1, 0)}},
		{"opcode 0xbf", [][]byte{op(opMovReg, 1, 2, 8, 0)}},
		{"opcode 0xd7", [][]byte{op(0xd7, 1, 0, 0, 16)}},
		{"division by zero", [][]byte{op(0x97, 1, 0, 0, 0)}},
		{"shift out of range", [][]byte{op(0x67, 1, 0, 0, 64)}},
		{"opcode 0x8f", [][]byte{op(0x8f, 1, 0, 0, 0)}},
		{"opcode 0xdb", [][]byte{op(0xdb, 1, 2, 0, 0)}},
		{"opcode 0x81", [][]byte{op(0x81, 1, 2, 0, 0)}},
		{"stack frame", [][]byte{op(0x7b, 10, 1, -4104, 0)}},
		{"outside the function's", [][]byte{op(0x7b, 10, 1, 0, 0)}},
		{"address outside", [][]byte{op(opMovReg, 1, 10, 0, 0), op(opAddImm, 1, 0, 0, -4097)}},
		{"register that is read-only", [][]byte{op(0xb7, 10, 0, 0, 0)}},
		{"no such register", [][]byte{op(0x79, 1, 11, 0, 0)}},
		{"into an instruction", [][]byte{op(0x05, 0, 0, 1, 0), op(opLoadWide, 1, 0, 0, 7), op(0, 0, 0, 0, 8)}},
		{"jump out of the code", [][]byte{op(0x1d, 1, 2, 2, 0)}},
		{"opcode 0x06", [][]byte{op(0x06, 0, 0, 0, 1)}},
		{"call out of the code", [][]byte{op(opCall, 0, callInternal, 0, 1)}},
		{"syscall that the embedded", [][]byte{op(opCall, 0, callSyscall, 0, 1)}},
		{"no such call", [][]byte{op(opCall, 0, 2, 0, 0)}},
		{"code 0x0: opcode 0x18", [][]byte{op(opLoadWide, 1, 1, 0, 0), op(0, 0, 0, 0, 0)}},
		{"not a 64-bit load", [][]byte{op(opLoadWide, 1, 0, 0, 7), op(0x95, 0, 0, 0, 0)}},
		{"register that is read-only", [][]byte{op(opCallReg, 10, 0, 0, 0)}},
	} {
		err := Check(program(append(test.code, exit)...))
		if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v", test.want, err)
		}
	}
}

func TestCheckRefusesShape(t *testing.T) {
	t.Parallel()
	whole := program(exit)
	for at := range whole[:64+2*56+len(nullMarker)] {
		// A v3 program ignores the version, the address of the unused section table and its entry
		// size.
		if at >= 20 && at < 24 || at >= 40 && at < 48 || at >= 58 && at < 60 || at >= 62 && at < 64 {
			continue
		}
		if at >= 112 && at < 120 || at >= 168 && at < 176 {
			continue // alignment
		}
		elf := append([]byte(nil), whole...)
		elf[at] ^= 0x40
		if err := Check(elf); !errors.Is(err, errRefused) {
			t.Errorf("byte %d changed: %v", at, err)
		}
	}
	for length := range whole {
		if err := Check(whole[:length]); !errors.Is(err, errRefused) {
			t.Errorf("cut to %d bytes: %v", length, err)
		}
	}
	if err := Check(append(whole, 0)); !errors.Is(err, errRefused) {
		t.Errorf("a byte behind the code: %v", err)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	code := make([][]byte, 1000)
	for i := range code {
		code[i] = op(0x04, 1, 0, 0, 1)
	}
	err := Check(program(code...))
	if err == nil || strings.Count(err.Error(), "\n") > maxFaults || !strings.Contains(err.Error(), "and 980 more") {
		t.Error(err)
	}
}

func TestSyscallHash(t *testing.T) {
	t.Parallel()
	// The hashes come from agave's syscall registry, as run by litesvm.
	for name, want := range map[string]uint32{"sol_log_": 0x207559bd, "abort": 0xb6fc1a11, "sol_panic_": 0x686093bb} {
		if got := murmur3([]byte(name)); got != want {
			t.Errorf("%s: %#x, want %#x", name, got, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(program(exit))
	f.Add(program(op(opLoadWide, 1, 0, 0, 7), op(0, 0, 0, 0, 8), exit))
	f.Fuzz(func(t *testing.T, elf []byte) {
		if err := Check(elf); err != nil && !errors.Is(err, errRefused) {
			t.Error(err)
		}
	})
}
