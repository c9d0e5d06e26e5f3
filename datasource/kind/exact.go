package kind

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"ojud/casefile"
)

// exact rewrites JSON while it is read: an integer that a double cannot hold, such as the number of a post above 2^53, becomes
// a string of its digits. Canonical JSON (RFC 8785) would round it, and so would most decoders, silently; amounts are strings for the
// same reason. Everything else passes as it is.
type exact struct {
	in     io.Reader
	frame  int // most bytes in one line, 0: any number
	seen   int // bytes of the line under way
	text   bool
	escape bool
	number []byte
	out    []byte
	buffer []byte
	err    error
}

// longestNumber is how many bytes of a number are looked at; a longer one passes, and is refused by who parses it.
const longestNumber = 400

func newExact(in io.Reader, frame int) *exact {
	return &exact{in: in, frame: frame, buffer: make([]byte, 4096)}
}

// Read implements io.Reader. A line longer than the frame is ErrLarge.
func (e *exact) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		n, err := e.in.Read(e.buffer)
		for _, c := range e.buffer[:n] {
			e.take(c)
		}
		if e.frame > 0 && e.seen > e.frame {
			err = fmt.Errorf("%w: more than %d bytes in one message", ErrLarge, e.frame)
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

func (e *exact) take(c byte) {
	if e.seen++; c == '\n' && e.frame > 0 && e.seen <= e.frame {
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

func (e *exact) flush() {
	if rounds(e.number) {
		e.out = append(append(append(e.out, '"'), e.number...), '"')
	} else {
		e.out = append(e.out, e.number...)
	}
	e.number = e.number[:0]
}

// rounds reports whether a JSON number is an integer that canonical JSON would not keep.
func rounds(number []byte) bool {
	const safe, exponent = 15, 21 // digits that always fit; digits from which on canonical JSON writes an exponent
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

// parse reads one JSON value from outside, bounded before anything is built of it. Errors are ErrLarge and ErrSchema; they do not
// quote the value.
func parse(raw []byte, limit int) (any, error) {
	whole, err := io.ReadAll(newExact(bytes.NewReader(raw), 0))
	if err != nil {
		return nil, err
	}
	canonical, err := casefile.Canonical(whole, limit)
	if errors.Is(err, casefile.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", ErrLarge, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: it is no JSON value that can be kept", ErrSchema)
	}
	return decode(canonical)
}

// decode decodes canonical JSON without changing its numbers.
func decode(canonical []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: it is not JSON", ErrSchema)
	}
	return doc, nil
}

// encode writes a decoded value.
func encode(doc any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("%w: it cannot be written as JSON", ErrSchema)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
