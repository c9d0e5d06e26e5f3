// Package beside makes documents that differ from one in one place. They show what a check looks
// at: it refuses them, although it takes the document itself (ADR 0091).
package beside

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Put returns a document with another value at a pointer. It shares what is the same. It reports
// false if there is no such place.
func Put(doc any, at string, other any) (any, bool) {
	if at == "" {
		return other, true
	}
	head, rest, inner := strings.Cut(at[1:], "/")
	if inner {
		rest = "/" + rest
	}
	name := strings.ReplaceAll(strings.ReplaceAll(head, "~1", "/"), "~0", "~")
	switch v := doc.(type) {
	case map[string]any:
		out := maps.Clone(v)
		next, ok := Put(v[name], rest, other)
		out[name] = next
		return out, ok
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(v) {
			return nil, false
		}
		out := slices.Clone(v)
		next, ok := Put(v[i], rest, other)
		out[i] = next
		return out, ok
	}
	return nil, false
}

// Values returns values that look like one, and are others: each differs in one place. A check that
// only looks at the form of a value takes them, too. The value is as package schema decodes it.
func Values(v any) []any {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Float64()
		if next := n + 1; err == nil && next != n {
			return []any{json.Number(strconv.FormatFloat(next, 'f', -1, 64))}
		}
	case bool:
		return []any{!v}
	case string:
		return []any{shifted(v)}
	case []any:
		if len(v) == 0 {
			return []any{[]any{"x"}}
		}
		out := []any{v[:len(v)-1]}
		for _, i := range slices.Compact([]int{0, len(v) - 1}) {
			for _, other := range Values(v[i]) {
				next := slices.Clone(v)
				next[i] = other
				out = append(out, next)
			}
		}
		return out
	case map[string]any:
		var out []any
		for _, name := range slices.Sorted(maps.Keys(v)) {
			for _, other := range Values(v[name]) {
				next := maps.Clone(v)
				next[name] = other
				out = append(out, next)
			}
		}
		return out
	}
	return nil
}

// shifted returns a text of the same form with another last letter or digit.
func shifted(s string) string {
	runes := []rune(s)
	for i, r := range slices.Backward(runes) {
		switch {
		case '0' <= r && r <= '9':
			runes[i] = '0' + (r-'0'+1)%10
		case 'a' <= r && r <= 'z':
			runes[i] = 'a' + (r-'a'+1)%26
		case 'A' <= r && r <= 'Z':
			runes[i] = 'A' + (r-'A'+1)%26
		default:
			continue
		}
		return string(runes)
	}
	return s + "x"
}
