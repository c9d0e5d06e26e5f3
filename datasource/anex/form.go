package anex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

type member struct {
	name  string
	value json.RawMessage
	read  bool
}

// split divides an object that Spell wrote into its members.
func split(object json.RawMessage) ([]member, error) {
	var out []member
	for at := 2; at < len(object)-2; {
		colon := at + skip(object[at:])
		name, err := unquote(object[at:colon])
		if err != nil {
			return nil, err
		}
		begin := colon + len(": ")
		end := begin + skip(object[begin:])
		out = append(out, member{name: name, value: object[begin:end:end]})
		at = end + len(", ")
	}
	return out, nil
}

// skip returns the length of the value with which spelled text begins.
func skip(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '{' || c == '[':
			depth++
		case (c == '}' || c == ']') && depth > 0:
			depth--
		case depth > 0 || c != ',' && c != ' ' && c != ']':
			continue
		default:
			return i
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// form reads an object field by field and keeps the first error.
type form struct {
	document string
	path     string // with a point at its end, or empty
	members  []member
	err      error
}

// newForm opens a spelled value, which must be an object.
func newForm(document, path string, raw json.RawMessage) *form {
	f := &form{document: document, path: path}
	if !bytes.HasPrefix(raw, []byte("{")) {
		f.fail(strings.TrimSuffix(path, "."), "is no object")
		return f
	}
	f.members, f.err = split(raw)
	return f
}

func (f *form) fail(field, format string, args ...any) {
	if f.err == nil {
		f.err = &fieldError{f.document, f.path + field, fmt.Sprintf(format, args...)}
	}
}

// find returns the value of a field, nil if it is absent.
func (f *form) find(field string) json.RawMessage {
	for i := range f.members {
		if f.members[i].name == field {
			f.members[i].read = true
			return f.members[i].value
		}
	}
	return nil
}

func (f *form) need(field string) json.RawMessage {
	raw := f.find(field)
	if raw == nil {
		f.fail(field, "missing")
	}
	return raw
}

// text reads a string of least to most bytes, or an optional one of 1 to most if least is -1.
func (f *form) text(field string, least, most int) string {
	raw := f.find(field)
	if raw == nil {
		if least >= 0 {
			f.fail(field, "missing")
		}
		return ""
	}
	if raw[0] != '"' {
		f.fail(field, "is %.20s; a string is needed", raw)
		return ""
	}
	text, err := unquote(raw)
	if least < 0 {
		least = 1
	}
	if err != nil || len(text) < least || len(text) > most {
		f.fail(field, "has %d bytes; %d..%d are needed", len(text), least, most)
		return ""
	}
	return text
}

// names reads a list of names; pointers says that they are access names.
func (f *form) names(field string, pointers bool) []Name {
	raw := f.need(field)
	if raw == nil {
		return nil
	}
	texts, ok := stringsOf(raw)
	if !ok {
		f.fail(field, "is no array of at most %d strings", maxNames)
		return nil
	}
	names := Names(texts...)
	if at, err := checkList(Texts(names), pointers); err != nil {
		f.fail(fmt.Sprintf("%s[%d]", field, at), "%v", err)
	}
	return names
}

// stringsOf reads an array of at most maxNames strings.
func stringsOf(raw json.RawMessage) ([]string, bool) {
	if raw[0] != '[' {
		return nil, false
	}
	texts := []string{}
	for at := 1; at < len(raw)-1; {
		end := at + skip(raw[at:])
		if raw[at] != '"' || len(texts) == maxNames {
			return nil, false
		}
		text, err := unquote(raw[at:end])
		if err != nil {
			return nil, false
		}
		texts = append(texts, text)
		at = end + len(", ")
	}
	return texts, true
}

// amount reads lamports; ok is false if they are absent.
func (f *form) amount(field string) (n uint64, ok bool) {
	const longest = len("18446744073709551615")
	if f.find(field) == nil {
		return 0, false
	}
	text := f.text(field, 1, longest)
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(n, 10) != text {
		f.fail(field, "is %.30q; lamports are a decimal string such as \"1000\"", text)
	}
	return n, true
}

// done refuses fields that were not read.
func (f *form) done() error {
	for _, m := range f.members {
		if !m.read {
			f.fail(fmt.Sprintf("%.40s", m.name), "unknown")
		}
	}
	return f.err
}
