package anex

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// peek skips white space and returns the next byte, 0 at the end.
func (s *speller) peek() byte {
	for s.at < len(s.raw) {
		switch c := s.raw[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// text copies a string and returns its token, quotes included.
func (s *speller) text() ([]byte, error) {
	begin := s.at
	for s.at++; s.at < len(s.raw); s.at++ {
		switch c := s.raw[s.at]; {
		case c == '"':
			s.at++
			s.out = append(s.out, s.raw[begin:s.at]...)
			return s.raw[begin:s.at], nil
		case c < ' ':
			return nil, s.fail("a control character in a string")
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		}
	}
	return nil, s.fail("a string has no end")
}

// escape reads an escape up to its last byte. Half of a surrogate pair names no character.
func (s *speller) escape() error {
	s.at++
	if s.at < len(s.raw) && s.raw[s.at] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), s.raw[s.at]) < 0 {
			return s.fail("an unknown escape")
		}
		return nil
	}
	unit, ok := s.unit()
	switch {
	case !ok || unit>>10 == 0xDC00>>10:
		return s.fail("a bad \\u escape")
	case unit>>10 != 0xD800>>10:
		return nil
	}
	if s.at+2 >= len(s.raw) || s.raw[s.at+1] != '\\' || s.raw[s.at+2] != 'u' {
		return s.fail("half of a surrogate pair")
	}
	s.at += 2
	if unit, ok = s.unit(); !ok || unit>>10 != 0xDC00>>10 {
		return s.fail("half of a surrogate pair")
	}
	return nil
}

// unit reads the four hex digits after the current u, up to the last one.
func (s *speller) unit() (n uint, ok bool) {
	if s.at+4 >= len(s.raw) {
		return 0, false
	}
	for _, c := range s.raw[s.at+1 : s.at+5] {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | uint(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n = n<<4 | uint(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	s.at += 4
	return n, true
}

func (s *speller) number() error {
	begin := s.at
	if s.raw[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.raw) && s.raw[s.at] == '0'
	if n := s.digits(); n == 0 || zero && n > 1 {
		return s.fail("a bad number")
	}
	if s.is('.') && s.digits() == 0 {
		return s.fail("a number without digits after its point")
	}
	if s.is('e') || s.is('E') {
		if !s.is('+') {
			s.is('-')
		}
		if s.digits() == 0 {
			return s.fail("a number without digits in its exponent")
		}
	}
	s.out = append(s.out, s.raw[begin:s.at]...)
	return nil
}

func (s *speller) is(c byte) bool {
	if s.at < len(s.raw) && s.raw[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *speller) digits() (n int) {
	for s.at < len(s.raw) && '0' <= s.raw[s.at] && s.raw[s.at] <= '9' {
		s.at++
		n++
	}
	return n
}

func (s *speller) word() error {
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(s.raw[s.at:], []byte(word)) {
			s.at += len(word)
			s.put(word)
			return nil
		}
	}
	return s.fail("a value is needed")
}

func unquote(token []byte) (string, error) {
	if bytes.IndexByte(token, '\\') < 0 {
		return string(token[1 : len(token)-1]), nil
	}
	var text string
	if err := json.Unmarshal(token, &text); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	return text, nil
}

// quote returns text as a JSON string with as few escapes as RFC 8785.
func quote(text string) json.RawMessage {
	const short = "btnvfr" // of \b to \r; \v has no short form
	out := []byte{'"'}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= ' ':
			out = append(out, c)
		case '\b' <= c && c <= '\r' && c != '\v':
			out = append(out, '\\', short[c-'\b'])
		default:
			out = fmt.Appendf(out, `\u%04x`, c)
		}
	}
	return append(out, '"')
}
