package channel

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ojud/agent"
)

// The quick way reads what well-behaved peers send, without building a tree of it. It takes nothing
// that the slow way would refuse (FuzzDecode). What it does not take is left to the slow way, which
// also has the words of a refusal.

// part is a member of an object.
type part struct {
	name, value []byte
}

// quickFrame reads a message or an acknowledgement.
func quickFrame(raw []byte) (f Frame, ok bool) {
	var room [3]part
	parts, ok := parse(raw, room[:0])
	if !ok {
		return f, false
	}
	for _, p := range parts {
		switch string(p.name) {
		case "seq":
			f.Seq, ok = count(p.value)
		case "ack":
			f.Ack, ok = count(p.value)
		case "body":
			f.Body, ok = p.value, len(p.value) <= maxBody
		default:
			ok = false
		}
		if !ok {
			return f, false
		}
	}
	if (f.Body == nil) != (f.Seq == 0) || f.Body == nil && f.Ack == 0 {
		return f, false
	}
	return f, true
}

// count reads a number from 1.
func count(raw []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(raw), 10, 64)
	return n, err == nil && n > 0 && n <= maxSeq
}

// quickBody reads a message.
func quickBody(raw []byte) (m Body, ok bool) {
	var room [1]part
	parts, ok := parse(raw, room[:0])
	if !ok || len(parts) != 1 || string(parts[0].value) == "null" {
		return m, false
	}
	var into any
	switch string(parts[0].name) {
	case "extra":
		m.Extra = new(Extra)
		into = m.Extra
	case "step":
		m.Step = new(agent.Step)
		into = m.Step
	case "begin":
		m.Begin = new(StepBegin)
		into = m.Begin
	case "chunk":
		m.Chunk = new(Piece)
		into = m.Chunk
	case "stop":
		m.Stop = new(StepStop)
		into = m.Stop
	default:
		return m, false
	}
	return m, json.Unmarshal(parts[0].value, into) == nil
}

// parse reads the members of the one object that a text is, and checks the whole text. It takes
// more parts than there is room for only by making more room.
func parse(raw []byte, parts []part) ([]part, bool) {
	if len(raw) > MaxFrame || !utf8.Valid(raw) {
		return nil, false
	}
	l := limits()
	s := scanner{text: raw, left: l.Values - 1}
	s.blanks()
	if s.next() != '{' || !s.object(l.Depth-1, func(name []byte, from, to int) {
		parts = append(parts, part{name, raw[from:to:to]})
	}) {
		return nil, false
	}
	s.blanks()
	return parts, s.at == len(raw)
}

// scanner checks a JSON text.
type scanner struct {
	text []byte
	at   int
	left int // values and names that may follow
}

// next takes a byte; 0 is the end.
func (s *scanner) next() byte {
	if s.at == len(s.text) {
		return 0
	}
	s.at++
	return s.text[s.at-1]
}

func (s *scanner) blanks() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t' || s.text[s.at] == '\r' || s.text[s.at] == '\n') {
		s.at++
	}
}

// value takes a value. Depth is how deep it may be nested.
func (s *scanner) value(depth int) bool {
	if s.left--; s.left < 0 {
		return false
	}
	switch c := s.next(); {
	case c == '"':
		return s.chars() != nil
	case c == '{' && depth > 0:
		return s.object(depth-1, nil)
	case c == '[' && depth > 0:
		return s.array(depth - 1)
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	case c == '-' || c >= '0' && c <= '9':
		s.at--
		return s.number()
	}
	return false
}

// word takes a word whose first letter was taken.
func (s *scanner) word(word string) bool {
	end := s.at - 1 + len(word)
	if end > len(s.text) || string(s.text[s.at-1:end]) != word {
		return false
	}
	s.at = end
	return true
}

// object takes an object after its first brace, and tells each member.
func (s *scanner) object(depth int, each func(name []byte, from, to int)) bool {
	var few [8][]byte
	names := few[:0]
	var many map[string]bool
	s.blanks()
	if s.at < len(s.text) && s.text[s.at] == '}' {
		s.at++
		return true
	}
	for {
		s.blanks()
		if s.left--; s.left < 0 || s.next() != '"' {
			return false
		}
		name := s.chars()
		if name == nil || many[string(name)] || many == nil && slices.ContainsFunc(names, func(n []byte) bool { return bytes.Equal(n, name) }) {
			return false
		}
		switch {
		case many != nil:
			many[string(name)] = true
		case len(names) == len(few):
			many = map[string]bool{string(name): true}
			for _, n := range names {
				many[string(n)] = true
			}
		default:
			names = append(names, name)
		}
		s.blanks()
		if s.next() != ':' {
			return false
		}
		s.blanks()
		from := s.at
		if !s.value(depth) {
			return false
		}
		if each != nil {
			each(name, from, s.at)
		}
		s.blanks()
		switch s.next() {
		case ',':
		case '}':
			return true
		default:
			return false
		}
	}
}

// array takes an array after its first bracket.
func (s *scanner) array(depth int) bool {
	s.blanks()
	if s.at < len(s.text) && s.text[s.at] == ']' {
		s.at++
		return true
	}
	for {
		s.blanks()
		if !s.value(depth) {
			return false
		}
		s.blanks()
		switch s.next() {
		case ',':
		case ']':
			return true
		default:
			return false
		}
	}
}

// chars takes a string after its first quotation mark. It returns nil if there is none.
func (s *scanner) chars() []byte {
	from, plain := s.at, true
	for {
		switch c := s.next(); {
		case c == '"' && plain:
			return s.text[from : s.at-1]
		case c == '"':
			var text string
			if json.Unmarshal(s.text[from-1:s.at], &text) != nil {
				return nil
			}
			return append([]byte{}, text...)
		case c == '\\':
			plain = false
			s.next() // which Unmarshal looks at
		case c < ' ': // also the end
			return nil
		}
	}
}

// number takes a number that a double can hold.
func (s *scanner) number() bool {
	const most = 308 // decimal exponent, and digits
	from := s.at
	if s.text[s.at] == '-' {
		s.at++
	}
	whole := s.at
	if !s.digits() || s.text[whole] == '0' && s.at > whole+1 {
		return false
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if !s.digits() {
			return false
		}
	}
	if s.at-from > most {
		return false
	}
	if s.at < len(s.text) && (s.text[s.at] == 'e' || s.text[s.at] == 'E') {
		s.at++
		sign := s.at
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if !s.digits() {
			return false
		}
		e, err := strconv.Atoi(strings.TrimPrefix(string(s.text[sign:s.at]), "+"))
		return err == nil && e >= -most && e <= most
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}
