package sheet

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// continued begins the further lines of a text inside a document.
const continued = `" `

var (
	lineEnd   = regexp.MustCompile("\r\n|[\n\v\f\r\u0085\u2028\u2029]")
	continues = regexp.MustCompile(`(?m)^ *" `)
	plainName = regexp.MustCompile(`^[\pL\pN_][\pL\pN_ .-]*$`)
)

// Unfold returns JSON as people read it: indented, with the line ends of its strings. A further
// line of a string inside an array or object begins with a quotation mark, so that it does not look
// like a member.
func Unfold(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	if !write(&b, v, 0) {
		return string(raw)
	}
	return b.String()
}

// Joined is an unfolded text without the signs before further lines, so that a quotation may span
// several.
func Joined(text string) string { return continues.ReplaceAllLiteralString(text, "") }

// write writes one member or element a line, unless the value is nested too deep for a reader.
func write(b *strings.Builder, v any, depth int) bool {
	const deepest = 32
	if depth > deepest {
		return false
	}
	indent := "\n" + strings.Repeat("  ", depth)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(indent + named(name) + ": ")
			if !write(b, v[name], depth+1) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			fmt.Fprintf(b, "%s[%d] ", indent, i)
			if !write(b, e, depth+1) {
				return false
			}
		}
	case string:
		b.WriteString(lineEnd.ReplaceAllLiteralString(v, indent+continued))
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return false
		}
		b.Write(raw)
	}
	return true
}

// named is the name of a member, quoted if it could be read as more than a name.
func named(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return fmt.Sprintf("%q", name)
}
