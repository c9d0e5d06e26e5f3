package canon

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// scan walks over raw once, without recursion and without building anything, and refuses what would
// cost too much to parse or would not survive canonicalisation. Grammar is left to the parser that
// follows.
func scan(raw []byte) error {
	if !utf8.Valid(raw) {
		return fmt.Errorf("%w: invalid UTF-8", ErrNotJSON)
	}
	depth, values := 0, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = skipString(raw, i)
			values++
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return fmt.Errorf("%w: nested deeper than %d at byte %d", ErrTooLarge, MaxDepth, i)
			}
			values++
		case c == '}' || c == ']':
			depth--
		case c == '-' || '0' <= c && c <= '9':
			end := skipNumber(raw, i)
			if err := checkNumber(raw[i:end]); err != nil {
				return fmt.Errorf("%w at byte %d", err, i)
			}
			i, values = end-1, values+1
		case 'a' <= c && c <= 'z':
			i, values = skipWord(raw, i), values+1
		}
		if values > maxValues {
			return fmt.Errorf("%w: more than %d values", ErrTooLarge, maxValues)
		}
	}
	return nil
}

// skipString returns the index of the quote that ends the string beginning at i, or the last index.
func skipString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(raw) - 1
}

// skipWord returns the index of the last letter of the word beginning at i.
func skipWord(raw []byte, i int) int {
	for i+1 < len(raw) && 'a' <= raw[i+1] && raw[i+1] <= 'z' {
		i++
	}
	return i
}

// skipNumber returns the index after the number beginning at i.
func skipNumber(raw []byte, i int) int {
	for i < len(raw) {
		switch c := raw[i]; {
		case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			i++
		default:
			return i
		}
	}
	return i
}

// checkNumber refuses a number that is not kept by a round trip through a double: one out of range,
// one so small that it becomes zero, and an integer that would be rounded.
func checkNumber(text []byte) error {
	const show = 40
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f == 0 && significant(text) {
		return fmt.Errorf("%w: %.*s is not a number that JSON can hold (a 64-bit float)", ErrNotJSON, show, text)
	}
	for _, c := range text {
		if c != '-' && (c < '0' || c > '9') {
			return nil
		}
	}
	canonical, err := jcs.NumberToJSON(f)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	if canonical != string(text) && f != 0 {
		return fmt.Errorf("%w: integer %.*s would be rounded to %s; write it as a string", ErrNotJSON, show, text, canonical)
	}
	return nil
}

// significant reports whether the number's digits before the exponent are not all zero.
func significant(text []byte) bool {
	for _, c := range text {
		if c == 'e' || c == 'E' {
			return false
		}
		if '1' <= c && c <= '9' {
			return true
		}
	}
	return false
}
