// Package exact reads JSON without losing digits of large integers, such as the number of a post
// above 2^53. Canonical JSON (RFC 8785) rounds them silently, and so do most decoders.
package exact

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// Reader rewrites JSON while it is read: large integers become strings of their digits.
type Reader struct {
	in     io.Reader
	line   int   // the longest line in bytes, 0: no limit
	long   error // for a longer line
	seen   int   // bytes of the current line
	text   bool
	escape bool
	number []byte
	out    []byte
	buffer []byte
	err    error
}

// longestNumber bounds the bytes of a number. A longer one passes, and its parser refuses it.
const longestNumber = 400

// NewReader reads from in. If line is above 0, a line of more bytes is an error that wraps long.
func NewReader(in io.Reader, line int, long error) *Reader {
	return &Reader{in: in, line: line, long: long, buffer: make([]byte, 4096)}
}

// Read implements io.Reader.
func (e *Reader) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		n, err := e.in.Read(e.buffer)
		for _, c := range e.buffer[:n] {
			e.take(c)
		}
		if e.line > 0 && e.seen > e.line {
			err = fmt.Errorf("%w: more than %d bytes in one message", e.long, e.line)
		}
		if err != nil {
			e.flush()
			e.err = err
		}
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

func (e *Reader) take(c byte) {
	if e.seen++; c == '\n' && e.line > 0 && e.seen <= e.line {
		e.seen = 0
	}
	switch {
	case e.text:
		e.text = e.escape || c != '"'
		e.escape = !e.escape && c == '\\'
	case '0' <= c && c <= '9' || c == '-' || len(e.number) > 0 && (c == '.' || c == '+' || c == 'e' || c == 'E'):
		if e.number = append(e.number, c); len(e.number) > longestNumber {
			e.flush()
		}
		return
	default:
		e.flush()
		e.text = c == '"'
	}
	e.out = append(e.out, c)
}

func (e *Reader) flush() {
	if rounds(e.number) {
		e.out = append(append(append(e.out, '"'), e.number...), '"')
	} else {
		e.out = append(e.out, e.number...)
	}
	e.number = e.number[:0]
}

// rounds reports whether a JSON number is an integer that canonical JSON would not keep.
func rounds(number []byte) bool {
	const safe, exponent = 15, 21 // digits that always fit; with more digits, canonical JSON writes an exponent
	digits := bytes.TrimPrefix(number, []byte("-"))
	if len(digits) <= safe || len(number) > longestNumber || digits[0] == '0' {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	f, err := strconv.ParseFloat(string(number), 64)
	return err != nil || len(digits) > exponent || strconv.FormatFloat(f, 'f', -1, 64) != string(number)
}
