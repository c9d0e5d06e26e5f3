package delegation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// selector is a path into arguments.
type selector []segment

type segment struct {
	field    string
	index    int64
	from, to *int64
	kind     byte // 'f' field, 'i' index, 's' slice, '*' all values
	optional bool
}

// segmentForm reads one segment of a selector and its optional marks.
var segmentForm = regexp.MustCompile(`^(?:\.?\["((?:[^"\\]|\\["\\])*)"\]|\.?\[(-?\d{1,15})\]|\.?\[(-?\d{0,15}):(-?\d{0,15})\]|\.?\[(\])|\.([\pL_][\pL0-9$_-]*))(\?*)`)

// parseSelector reads a selector such as .to[0] or .args["a b"].
func parseSelector(text string) (out selector, err error) {
	if len(text) > maxSelector || !strings.HasPrefix(text, ".") {
		return nil, fmt.Errorf("the selector %.80q is longer than %d bytes or does not begin with a dot", text, maxSelector)
	}
	rest := text
	if trimmed := strings.TrimRight(text, "?"); trimmed == "." {
		return nil, nil
	}
	for rest != "" {
		m := segmentForm.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("the selector %.80q cannot be read at %.40q", text, rest)
		}
		rest = rest[len(m[0]):]
		s := segment{optional: m[7] != ""}
		switch body := strings.TrimRight(m[0], "?"); {
		case m[6] != "":
			s.kind, s.field = 'f', m[6]
		case m[5] != "":
			s.kind = '*'
		case m[2] != "":
			s.kind = 'i'
			s.index, err = strconv.ParseInt(m[2], 10, 64)
		case strings.Contains(body, `["`):
			s.kind, s.field = 'f', strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1])
		default:
			s.kind = 's'
			if m[3] == "" && m[4] == "" {
				return nil, fmt.Errorf("the selector %.80q has a slice without bounds", text)
			}
			if s.from, err = bound(m[3]); err == nil {
				s.to, err = bound(m[4])
			}
		}
		if err != nil {
			return nil, fmt.Errorf("the selector %.80q: %w", text, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func bound(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return &n, err
}

// choose follows the selector. It reports false if nothing is there.
func (s selector) choose(e *evaluation, v any) (any, bool) {
	for _, seg := range s {
		if !e.spend(0) {
			return nil, false
		}
		next, ok := seg.step(v)
		if !ok && !seg.optional {
			return nil, false
		}
		v = next // null, if an optional segment finds nothing
	}
	return v, true
}

func (g segment) step(v any) (any, bool) {
	switch g.kind {
	case 'f':
		m, ok := v.(map[string]any)
		return m[g.field], ok // a missing key is null
	case '*':
		return elementsOf(v)
	}
	length, at, cut := sequence(v)
	if length < 0 {
		return nil, false
	}
	if g.kind == 'i' {
		i := g.index
		if i < 0 {
			i += length
		}
		if i < 0 || i >= length {
			return nil, false
		}
		return at(i), true
	}
	place := func(p *int64, missing int64) int64 {
		if p == nil {
			return missing
		}
		n := *p
		if n < 0 {
			n += length
		}
		return max(0, min(n, length))
	}
	from, to := place(g.from, 0), place(g.to, length)
	return cut(from, max(from, to)), true
}

func elementsOf(v any) (any, bool) {
	items, ok := elements(v)
	return items, ok
}

// sequence returns the length of a list, bytes or a text, and how to take parts; -1 if v is none.
func sequence(v any) (length int64, at func(int64) any, cut func(from, to int64) any) {
	switch v := v.(type) {
	case []any:
		return int64(len(v)), func(i int64) any { return v[i] }, func(a, b int64) any { return v[a:b] }
	case []byte:
		return int64(len(v)), func(i int64) any { return int64(v[i]) }, func(a, b int64) any { return v[a:b] }
	}
	return -1, nil, nil
}
