package svm

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// stringAt reads text, which must be UTF-8.
func (g *guestMemory) stringAt(addr, n uint64) (string, error) {
	b, err := g.bytesAt(addr, n)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", syscallError(fmt.Sprintf("%s: %s", utf8Complaint(b), rustBytes(b)))
	}
	return string(b), nil
}

func callLog(x *execution, addr, n, _, _, _ uint64) (uint64, error) {
	if err := x.consume(max(costSyscallBase, n)); err != nil {
		return 0, err
	}
	text, err := x.stringAt(addr, n)
	if err != nil {
		return 0, err
	}
	x.log.message(text)
	return 0, nil
}

func callLog64(x *execution, a, b, c, d, e uint64) (uint64, error) {
	x.log.message(fmt.Sprintf("%#x, %#x, %#x, %#x, %#x", a, b, c, d, e))
	return 0, nil
}

func callLogPubkey(x *execution, addr, _, _, _, _ uint64) (uint64, error) {
	key, err := x.keyAt(addr)
	if err != nil {
		return 0, err
	}
	x.log.message(key.String())
	return 0, nil
}

func callLogUnits(x *execution, _, _, _, _, _ uint64) (uint64, error) {
	x.log.addf("Program consumption: %d units remaining", x.meter.Remaining)
	return 0, nil
}

// slice is a pointer and a length in program memory.
type slice struct{ addr, n uint64 }

// slicesAt reads an array of slices.
func (g *guestMemory) slicesAt(addr, count uint64) ([]slice, error) {
	b, err := g.readArray(addr, count, 16, 8)
	if err != nil {
		return nil, err
	}
	out := make([]slice, count)
	for i := range out {
		out[i] = slice{word(b[16*i:]), word(b[16*i+8:])}
	}
	return out, nil
}

func callLogData(x *execution, addr, count, _, _, _ uint64) (uint64, error) {
	fields, err := x.slicesAt(addr, count)
	if err != nil {
		return 0, err
	}
	if err := x.consume(saturatingMul(costSyscallBase, count)); err != nil {
		return 0, err
	}
	total := uint64(0)
	for _, f := range fields {
		total = saturatingAdd(total, f.n)
	}
	if err := x.consume(total); err != nil {
		return 0, err
	}
	parts := make([][]byte, len(fields))
	for i, f := range fields {
		if parts[i], err = x.bytesAt(f.addr, f.n); err != nil {
			return 0, err
		}
	}
	x.log.data(parts)
	return 0, nil
}

// utf8Complaint describes bytes that are not UTF-8 as Rust's Utf8Error does.
func utf8Complaint(b []byte) string {
	at := 0
	for {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	if n := invalidLen(b[at:]); n > 0 {
		return fmt.Sprintf("invalid utf-8 sequence of %d bytes from index %d", n, at)
	}
	return fmt.Sprintf("incomplete utf-8 byte sequence from index %d", at)
}

// invalidLen returns the length of the invalid sequence at the start of b, or 0 if the sequence is
// only truncated.
func invalidLen(b []byte) int {
	need, low, high := sequence(b[0])
	if need == 0 {
		return 1
	}
	for i := 1; i <= need; i++ {
		if i == len(b) {
			return 0
		}
		if b[i] < low || b[i] > high {
			return i
		}
		low, high = 0x80, 0xbf
	}
	return need
}

// sequence returns how many bytes must follow a leading byte, and the range of the first of them.
func sequence(lead byte) (need int, low, high byte) {
	switch {
	case lead >= 0xc2 && lead <= 0xdf:
		return 1, 0x80, 0xbf
	case lead == 0xe0:
		return 2, 0xa0, 0xbf
	case lead == 0xed:
		return 2, 0x80, 0x9f
	case lead >= 0xe1 && lead <= 0xef:
		return 2, 0x80, 0xbf
	case lead == 0xf0:
		return 3, 0x90, 0xbf
	case lead >= 0xf1 && lead <= 0xf3:
		return 3, 0x80, 0xbf
	case lead == 0xf4:
		return 3, 0x80, 0x8f
	}
	return 0, 0, 0
}

// rustBytes prints bytes as Rust's {:?} does: [1, 2, 3].
func rustBytes(b []byte) string { return strings.ReplaceAll(fmt.Sprint(b), " ", ", ") }
