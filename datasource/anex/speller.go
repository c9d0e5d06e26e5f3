package anex

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The limits of JSON (protocol section "ANEX messages"), as received and as spelled here.
const (
	MaxMessage = 64 << 10     // bytes of a message
	MaxInform  = 1536 << 10   // bytes of a message with data: an INFORM of ANEX-Data-Exchange or FIPA-Request
	MaxData    = 1 << 20      // bytes of the data in it
	MaxReceipt = 16 << 10     // bytes of the receipt in it
	maxDepth   = 64           // containers inside each other, in a message
	maxInside  = maxDepth - 2 // the same, in data or a receipt, because message and content enclose them
	maxValues  = 1 << 18      // values in one message
	maxAround  = 1 << 14      // values of a message outside its data, including a receipt of MaxReceipt bytes
)

// speller reads JSON strictly and writes it as the seed of ANEX spells it: a space inside braces,
// after commas and after colons; strings and numbers byte for byte; members in their order. It
// reads the text once, and can leave out unwanted members.
type speller struct {
	raw    []byte
	at     int
	out    []byte
	limit  int // bytes of out
	depth  int // nesting of containers
	most   int // values
	values int
	lost   bool // an unwanted part was left out
}

// spell validates raw and returns the part of it that want keeps, and whether that is less than
// all. Neither raw nor the result is longer than limit.
func spell(raw []byte, limit, depth int, want *mask) (out []byte, lost bool, err error) {
	if len(raw) > limit {
		return nil, false, fmt.Errorf("%w: %d bytes; at most %d", ErrTooLarge, len(raw), limit)
	}
	if !utf8.Valid(raw) {
		return nil, false, fmt.Errorf("%w: invalid UTF-8", ErrNotJSON)
	}
	s := speller{raw: raw, limit: limit, depth: depth, most: maxValues, out: make([]byte, 0, len(raw)+len(raw)/8)}
	if depth <= maxInside {
		s.most -= maxAround
	}
	if err := s.root(want); err != nil {
		return nil, false, err
	}
	if len(s.out) > limit {
		return nil, false, fmt.Errorf("%w: %d bytes with spaces; at most %d", ErrTooLarge, len(s.out), limit)
	}
	return s.out, s.lost, nil
}

// root reads the one value of the text. A scalar, of which fields are wanted, becomes null.
func (s *speller) root(want *mask) error {
	bare := !want.whole && !s.container()
	if err := s.value(1, want); err != nil {
		return err
	}
	if s.peek(); s.at != len(s.raw) {
		return s.fail("something follows the value")
	}
	if bare {
		s.lost = s.lost || string(s.out) != "null"
		s.out = append(s.out[:0], "null"...)
	}
	return nil
}

// value reads a value, the level-th container if it is one.
func (s *speller) value(level int, want *mask) error {
	if s.values++; s.values > s.most || len(s.out) > s.limit {
		return fmt.Errorf("%w: more than %d values or %d bytes with spaces", ErrTooLarge, s.most, s.limit)
	}
	switch c := s.peek(); {
	case (c == '{' || c == '[') && level > s.depth:
		return fmt.Errorf("%w: nested deeper than %d", ErrTooLarge, s.depth)
	case c == '{':
		return s.object(level, want)
	case c == '[':
		return s.array(level, want)
	case c == '"':
		_, err := s.text()
		return err
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	return s.word()
}

// container reports whether the next value is an object or an array.
func (s *speller) container() bool {
	c := s.peek()
	return c == '{' || c == '['
}

func (s *speller) put(text string) { s.out = append(s.out, text...) }

func (s *speller) fail(problem string) error {
	return fmt.Errorf("%w: byte %d: %s", ErrNotJSON, s.at, problem)
}

// Spell returns raw in this protocol's spelling of JSON, at most limit bytes before and after.
func Spell(raw []byte, limit int) (json.RawMessage, error) {
	out, _, err := spell(raw, limit, maxDepth-1, &mask{whole: true})
	return out, err
}
