// Package canon makes and checks canonical JSON (RFC 8785 with the bounds of protocol section 1).
// It bounds a text before it is parsed. It also reads the plain kind of it without a library: no
// white space, keys of printable ASCII in ascending order, strings with none but the short escapes,
// integers of at most 15 digits. Nearly all texts of a case file are of this kind.
//
// It reads base58 and base64 of one spelling, too, and gives canonical JSON the form of a file.
package canon

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The limits of a text.
const (
	MaxDepth  = 64      // containers inside each other
	maxValues = 1 << 18 // values and keys: what it takes to parse them is some 200 bytes each
)

// Plain reports whether raw is plain. Such a text is its own canonical form, which takes a
// fifteenth of the time to see that it takes to make; of any other text nothing is known: go test
// ./casefile -run '^$' -bench Canonical.
func Plain(raw []byte) bool {
	p := text{raw: raw}
	return utf8.Valid(raw) && p.value(0) && p.at == len(raw)
}

// text is how far a text has been read.
type text struct {
	raw        []byte
	at, values int
}

// next is the byte at the present place; 0 at the end.
func (p *text) next() byte {
	if p.at < len(p.raw) {
		return p.raw[p.at]
	}
	return 0
}

// take steps over a byte, if it is that one.
func (p *text) take(c byte) bool {
	if p.next() != c {
		return false
	}
	p.at++
	return true
}

// value reads a value inside of so many containers.
func (p *text) value(depth int) bool {
	if p.values++; p.values > maxValues || depth > MaxDepth {
		return false
	}
	switch c := p.next(); {
	case c == '"':
		_, ok := p.quoted()
		return ok
	case c == '{':
		return depth < MaxDepth && p.object(depth+1, nil)
	case c == '[':
		return depth < MaxDepth && p.array(depth+1, nil)
	case c == '-' || '0' <= c && c <= '9':
		return p.integer()
	}
	return p.word("true") || p.word("false") || p.word("null")
}

func (p *text) word(w string) bool {
	if len(p.raw)-p.at < len(w) || string(p.raw[p.at:p.at+len(w)]) != w {
		return false
	}
	p.at += len(w)
	return true
}

// array reads an array, and shows every element to see, if there is one.
func (p *text) array(depth int, see func(element []byte)) bool {
	if p.at++; p.take(']') {
		return true
	}
	for {
		from := p.at
		if !p.value(depth) {
			return false
		}
		if see != nil {
			see(p.raw[from:p.at])
		}
		if !p.take(',') {
			return p.take(']')
		}
	}
}

// object reads an object, and shows every member to see, if there is one.
func (p *text) object(depth int, see func(key, member []byte)) bool {
	return p.members(func(key []byte) bool {
		from := p.at
		ok := p.value(depth)
		if ok && see != nil {
			see(key, p.raw[from:p.at])
		}
		return ok
	})
}

// members reads an object whose members item reads. Of ASCII the order of bytes is that of UTF-16,
// which is the order of keys.
func (p *text) members(item func(key []byte) bool) bool {
	if p.at++; p.take('}') {
		return true
	}
	var last []byte
	for first := true; ; first = false {
		key, ok := p.key()
		if !ok || !first && bytes.Compare(key, last) <= 0 || !p.take(':') || !item(key) {
			return false
		}
		if last = key; !p.take(',') {
			return p.take('}')
		}
	}
}

// key reads a key.
func (p *text) key() ([]byte, bool) {
	if p.values++; p.next() != '"' {
		return nil, false
	}
	key, ok := p.quoted()
	for i := range key {
		if key[i] == '\\' || key[i] > '~' {
			return nil, false
		}
	}
	return key, ok
}

// quoted reads a string and returns the bytes between its quotes.
func (p *text) quoted() (inner []byte, ok bool) {
	from := p.at + 1
	for i := from; i < len(p.raw); i++ {
		switch c := p.raw[i]; {
		case c == '"':
			p.at = i + 1
			return p.raw[from:i], true
		case c < ' ':
			return nil, false
		case c == '\\':
			if i++; i == len(p.raw) || !shortEscape(p.raw[i]) {
				return nil, false
			}
		}
	}
	return nil, false
}

// shortEscape reports whether a character is written behind a backslash; '/' is not.
func shortEscape(c byte) bool {
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// integer reads a whole number: no leading zero, no minus before zero, few enough digits for a
// double.
func (p *text) integer() bool {
	negative := p.take('-')
	from, first := p.at, p.next()
	for '0' <= p.next() && p.next() <= '9' {
		p.at++
	}
	digits := p.at - from
	switch p.next() {
	case '.', 'e', 'E':
		return false
	}
	return digits == 1 && (first != '0' || !negative) || digits > 1 && digits <= 15 && first != '0'
}

// Members splits an object of a text that is canonical. ok is false if it is no object, or not
// plain.
func Members(raw []byte) (out map[string]json.RawMessage, ok bool) {
	p := text{raw: raw}
	if p.next() != '{' {
		return nil, false
	}
	out = map[string]json.RawMessage{}
	ok = p.object(1, func(key, member []byte) { out[string(key)] = member })
	return out, ok && p.at == len(raw)
}

// Elements splits an array of a text that is canonical. ok is false if it is no array, or not
// plain.
func Elements(raw []byte) (out []json.RawMessage, ok bool) {
	p := text{raw: raw}
	if p.next() != '[' {
		return nil, false
	}
	ok = p.array(1, func(element []byte) { out = append(out, element) })
	return out, ok && p.at == len(raw)
}

// Unescaped returns the content of a string of a canonical text. ok is false if it is no
// string, or has escapes.
func Unescaped(raw []byte) (inner []byte, ok bool) {
	n := len(raw)
	if n < 2 || raw[0] != '"' || raw[n-1] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return nil, false
	}
	return raw[1 : n-1], true
}
