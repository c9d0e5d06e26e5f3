// Package guard decides whether a built program may be shipped. It refuses an ELF if a cluster
// would run it differently from its source, or if the embedded chain cannot run it.
//
// Without it two faults of the toolchain are silent. If LLVM builds for a CPU newer than v2, it
// assumes that 32-bit arithmetic clears the upper half of a register, but sBPF extends the sign
// instead. And sBPF v3 maps read-only data at address zero, so a reference to its first object
// equals None.
//
// The build runs it on every ELF. Callers pass the whole file and ship only ELFs that it accepts.
package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// nullMarker fills the first bytes of read-only data, so that no object of the program has address
// zero. The linker takes it from null.ll.
const nullMarker = "null points here"

// maxBytes bounds an ELF; an account on Solana holds 10 MiB.
const maxBytes = 10 << 20

// errRefused is wrapped by every error of this package.
var errRefused = errors.New("guard: refused")

const (
	fileHeaderBytes    = 64
	programHeaderBytes = 56
	slotBytes          = 8
	textAddress        = 1 << 32
)

// wantHeader holds the bytes of an ELF header that are the same in every sBPF v3 program, by offset
// (SIMD-0189, and solana-sbpf's src/elf.rs).
var wantHeader = []struct {
	at, bytes int
	value     uint64
	what      string
}{
	{0, 4, 0x464c457f, "magic"},
	{4, 4, 0x00010102, "class, data, version and OS ABI"},
	{8, 8, 0, "ABI version and padding"},
	{16, 2, 3, "type"},
	{18, 2, 247, "machine"},
	{32, 8, fileHeaderBytes, "offset of the program headers"},
	{48, 4, 3, "flags (the sBPF version)"},
	{52, 2, fileHeaderBytes, "size of the header"},
	{54, 2, programHeaderBytes, "size of a program header"},
	{56, 2, 2, "number of program headers"},
	{60, 2, 0, "number of sections"},
}

// Check returns nil if the ELF may be shipped. Otherwise its error wraps ErrRefused and names every
// fault with its address.
func Check(elf []byte) error {
	faults := &faults{}
	text, entry, ok := segments(elf, faults)
	if ok {
		checkText(text, entry, faults)
	}
	return faults.err()
}

// segments checks the file's shape. It returns the code and the index of the first instruction.
func segments(elf []byte, faults *faults) (text []byte, entry int, ok bool) {
	headers := fileHeaderBytes + 2*programHeaderBytes
	if len(elf) < headers || len(elf) > maxBytes {
		faults.add("the file has %d bytes, want %d to %d", len(elf), headers, maxBytes)
		return nil, 0, false
	}
	for _, want := range wantHeader {
		if got := number(elf, want.at, want.bytes); got != want.value {
			faults.add("header: %s is %#x, want %#x", want.what, got, want.value)
		}
	}
	data, dataEnd := segment(elf, 0, uint64(headers), 0, 4, faults)
	text, textEnd := segment(elf, 1, dataEnd, textAddress, 1, faults)
	if textEnd != uint64(len(elf)) {
		faults.add("the code ends at byte %d of %d", textEnd, len(elf))
	}
	if len(data) < len(nullMarker) || string(data[:len(nullMarker)]) != nullMarker {
		faults.add("read-only data does not begin with %q: a reference to its first object would be None", nullMarker)
	}
	start := number(elf, 24, 8) - textAddress
	if start%slotBytes != 0 || start >= uint64(len(text)) {
		faults.add("the entry is outside the code")
		return nil, 0, false
	}
	return text, int(start / slotBytes), true
}

// segment checks one program header against its required place. It returns its bytes and their end
// in the file.
func segment(elf []byte, index int, offset, address, flags uint64, faults *faults) ([]byte, uint64) {
	header := elf[fileHeaderBytes+index*programHeaderBytes:]
	size := number(header, 32, 8)
	want := []uint64{1 | flags<<32, offset, address, address, size, size}
	for i, value := range want {
		if got := number(header, 8*i, 8); got != value {
			faults.add("program header %d: word %d is %#x, want %#x", index, i, got, value)
			return nil, 0
		}
	}
	if size%slotBytes != 0 || size > uint64(len(elf))-offset {
		faults.add("program header %d: size %d does not fit", index, size)
		return nil, 0
	}
	return elf[offset : offset+size], offset + size
}

func number(bytes []byte, at, length int) uint64 {
	word := make([]byte, 8)
	copy(word, bytes[at:at+length])
	return binary.LittleEndian.Uint64(word)
}

// faults collects errors, up to a bound: a miscompiled program has thousands.
type faults struct {
	list []error
	more int
}

const maxFaults = 20

func (f *faults) add(format string, args ...any) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fmt.Errorf(format, args...))
}

func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	if f.more > 0 {
		f.list = append(f.list, fmt.Errorf("and %d more", f.more))
	}
	return fmt.Errorf("%w: %w", errRefused, errors.Join(f.list...))
}
