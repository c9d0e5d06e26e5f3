package svm

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

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
func rustBytes(b []byte) string {
	out := []byte{'['}
	for i, x := range b {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = strconv.AppendUint(out, uint64(x), 10)
	}
	return string(append(out, ']'))
}
