package casefile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"ojud/casefile/canon"
	"ojud/config/bounds"
)

// field describes a struct field to the decoder, by its json tag.
type field struct {
	name     string
	index    []int
	optional bool
}

// fieldsOf lists the fields of a struct, those of embedded structs among them.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		if name, optional := canon.Field(f); name != "" {
			out = append(out, field{name, f.Index, optional})
		}
	}
	return out
}

// maxName is how many bytes of an unknown name an error shows.
const maxName = 80

// join appends a field name to a path. A stranger's name is escaped: expected["\x1b[2J"].
func join(path, name string) string {
	if path == "" && plainName(name) {
		return name
	}
	return path + MemberPath(name)
}

// quote quotes a stranger's text as printable ASCII, and cuts it if it is long.
func quote(text string) string {
	if len(text) > maxName {
		return strconv.QuoteToASCII(text[:maxName]) + "…"
	}
	return strconv.QuoteToASCII(text)
}

// MemberPath returns the part of a path that a member of an object adds: .name, or ["name"] if the
// name is not plain.
func MemberPath(name string) string {
	if plainName(name) {
		return "." + name
	}
	return "[" + quote(name) + "]"
}

// plainName reports whether a name can be shown as it is.
func plainName(name string) bool {
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// kindOf names what a JSON value is, for error messages.
func (d decoder) kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	if d.discreet {
		return "a number"
	}
	return fmt.Sprintf("the number %.30s", raw)
}

// nearest suggests the known field that was probably meant.
func nearest(name string, known []field) string {
	best, distance := "", 3
	for _, f := range known {
		if d := bounds.Edits(name, f.name); d < distance && d < len(f.name) {
			best, distance = f.name, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.name
	}
	return "; the fields here are " + strings.Join(names, ", ")
}
