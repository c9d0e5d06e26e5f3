package canon

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// tidier writes the canonical form of a text that is plain but for its white space, the order of
// its keys and escapes of four digits. encoding/json writes such texts, and people do.
type tidier struct {
	text
	out     []byte
	members []member // of the objects around the present place, the innermost last
	moved   int      // bytes that were moved to put members into order
}

// member is where a member of an object stands in out.
type member struct{ from, colon, to int }

// maxMoved bounds the work on a text of nested objects whose members are all out of order: the
// bytes moved, for each byte of the text.
const maxMoved = 8

// tidied returns the canonical form of raw, or false if raw is not such a text. Of that, nothing is
// known.
func tidied(raw []byte) ([]byte, bool) {
	if !utf8.Valid(raw) {
		return nil, false
	}
	t := &tidier{text: text{raw: raw}, out: make([]byte, 0, len(raw))}
	t.space()
	if !t.value(0) {
		return nil, false
	}
	t.space()
	return t.out, t.at == len(raw)
}

// space steps over white space.
func (t *tidier) space() {
	for t.at < len(t.raw) {
		switch t.raw[t.at] {
		case ' ', '\n', '\r', '\t':
			t.at++
		default:
			return
		}
	}
}

// punctuation steps over a byte with white space around it, if it is that one, and writes it.
func (t *tidier) punctuation(c byte) bool {
	t.space()
	if !t.take(c) {
		return false
	}
	t.out = append(t.out, c)
	t.space()
	return true
}

// value writes a value inside of so many containers.
func (t *tidier) value(depth int) bool {
	switch t.next() {
	case '"':
		t.values++
		return t.values <= maxValues && t.quoted()
	case '{', '[':
		if t.values++; t.values > maxValues || depth >= MaxDepth {
			return false
		}
		if t.next() == '{' {
			return t.object(depth + 1)
		}
		return t.array(depth + 1)
	}
	from := t.at
	if !t.text.value(depth) {
		return false
	}
	t.out = append(t.out, t.raw[from:t.at]...)
	return true
}

// array writes an array.
func (t *tidier) array(depth int) bool {
	if t.punctuation('['); t.punctuation(']') {
		return true
	}
	for t.value(depth) {
		if !t.punctuation(',') {
			return t.punctuation(']')
		}
	}
	return false
}

// object writes an object, its members in order.
func (t *tidier) object(depth int) bool {
	if t.punctuation('{'); t.punctuation('}') {
		return true
	}
	first, ordered := len(t.members), true
	for {
		m := member{from: len(t.out)}
		if t.values++; t.next() != '"' || !t.quoted() {
			return false
		}
		if m.colon = len(t.out); !simple(t.out[m.from+1 : m.colon-1]) {
			return false
		}
		if !t.punctuation(':') || !t.value(depth) {
			return false
		}
		m.to = len(t.out)
		if n := len(t.members); n > first && ordered {
			ordered = bytes.Compare(t.key(t.members[n-1]), t.key(m)) < 0
		}
		t.members = append(t.members, m)
		if !t.punctuation(',') {
			break
		}
	}
	ok := ordered || t.order(t.members[first:])
	t.members = t.members[:first]
	return ok && t.punctuation('}')
}

// simple reports whether a key is printable ASCII without escapes: of such keys the order of bytes
// is that of UTF-16.
func simple(key []byte) bool {
	for _, c := range key {
		if c == '\\' || c > '~' {
			return false
		}
	}
	return true
}

// key is what stands between the quotes of a member's name.
func (t *tidier) key(m member) []byte { return t.out[m.from+1 : m.colon-1] }

// order sorts the members of the object at the end of out. It reports false if a key stands twice,
// and for a text that would take too long.
func (t *tidier) order(members []member) bool {
	from := members[0].from
	was := bytes.Clone(t.out[from:])
	if t.moved += len(was); t.moved > maxMoved*len(t.raw) {
		return false
	}
	key := func(m member) []byte { return was[m.from-from+1 : m.colon-from-1] }
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(key(a), key(b)) })
	t.out = t.out[:from]
	for i, m := range members {
		if i > 0 {
			if bytes.Equal(key(members[i-1]), key(m)) {
				return false
			}
			t.out = append(t.out, ',')
		}
		t.out = append(t.out, was[m.from-from:m.to-from]...)
	}
	return true
}

// quoted writes a string.
func (t *tidier) quoted() bool {
	from := t.at // what stands from there on is written as it is
	for i := t.at + 1; i < len(t.raw); i++ {
		switch c := t.raw[i]; {
		case c == '"':
			t.out = append(t.out, t.raw[from:i+1]...)
			t.at = i + 1
			return true
		case c < ' ':
			return false
		case c == '\\':
			if i++; i == len(t.raw) {
				return false
			}
			if shortEscape(t.raw[i]) {
				continue
			}
			t.out = append(t.out, t.raw[from:i-1]...)
			n, ok := t.escape(i)
			if !ok {
				return false
			}
			i += n
			from = i + 1
		}
	}
	return false
}

// escape writes the character that stands escaped behind the backslash before i, and returns by how
// much it is longer than its first byte. It knows no pairs of surrogates.
func (t *tidier) escape(i int) (more int, ok bool) {
	if t.raw[i] == '/' {
		t.out = append(t.out, '/')
		return 0, true
	}
	if t.raw[i] != 'u' || len(t.raw)-i <= 4 {
		return 0, false
	}
	var r rune
	for _, c := range t.raw[i+1 : i+5] {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|' ')
		if digit < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	short := bytes.IndexRune([]byte("\"\\\b\f\n\r\t"), r)
	switch {
	case 0xd800 <= r && r <= 0xdfff:
		return 0, false
	case short >= 0:
		t.out = append(t.out, '\\', `"\bfnrt`[short])
	case r < ' ':
		t.out = append(t.out, '\\', 'u', '0', '0', "01"[r>>4], "0123456789abcdef"[r&15])
	default:
		t.out = utf8.AppendRune(t.out, r)
	}
	return 4, true
}
