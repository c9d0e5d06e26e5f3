package delegation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/ipfs/go-cid"
)

const (
	maxStatements = 256 // statements of a policy, with those inside others
	maxSelector   = 256 // bytes of a selector
	// maxWork bounds the steps of evaluating one policy: a step is a statement, or 64 bytes that
	// are compared.
	maxWork = 200_000
)

// errWork says that evaluating a policy takes too long.
var errWork = fmt.Errorf("evaluating the policy takes more than %d steps; make policy or arguments smaller", maxWork)

// statement is one predicate of a policy.
type statement struct {
	op       string
	selector selector
	value    any         // of ==, !=, <, <=, >, >=
	pattern  []string    // of like: the literal texts between wildcards
	inner    []statement // of and, or, not, all, any
	source   any
}

// compile reads a policy.
func compile(policy []any) ([]statement, error) {
	left := maxStatements
	return compileAll(policy, &left)
}

func compileAll(list []any, left *int) (out []statement, err error) {
	for i, v := range list {
		s, err := compileOne(v, left)
		if err != nil {
			return nil, fmt.Errorf("statement %d: %w", i+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func compileOne(v any, left *int) (s statement, err error) {
	if *left--; *left < 0 {
		return s, fmt.Errorf("more than %d statements", maxStatements)
	}
	parts, ok := v.([]any)
	if !ok || len(parts) < 2 || len(parts) > 3 {
		return s, errors.New("it is no list of an operator and its arguments")
	}
	s.source = v
	if s.op, ok = parts[0].(string); !ok {
		return s, errors.New("the operator is no text")
	}
	if len(parts) == 2 {
		switch inner := parts[1].(type) {
		case []any:
			if s.op == "not" {
				one, err := compileOne(inner, left)
				s.inner = []statement{one}
				return s, err
			}
			if s.op == "and" || s.op == "or" {
				s.inner, err = compileAll(inner, left)
				return s, err
			}
		}
		return s, fmt.Errorf("%.20q is not an operator with one argument: and, or, not", s.op)
	}
	text, ok := parts[1].(string)
	if !ok {
		return s, errors.New("the selector is no text")
	}
	if s.selector, err = parseSelector(text); err != nil {
		return s, err
	}
	switch s.op {
	case "==", "!=", "<", "<=", ">", ">=":
		s.value = parts[2]
	case "like":
		pattern, ok := parts[2].(string)
		if !ok {
			return s, errors.New("the pattern of like is no text")
		}
		s.pattern, err = parsePattern(pattern)
	case "all", "any":
		one, oneErr := compileOne(parts[2], left)
		s.inner, err = []statement{one}, oneErr
	default:
		err = fmt.Errorf("%.20q is not an operator of UCAN 1.0", s.op)
	}
	return s, err
}

// matches reports whether arguments fulfil all statements, and returns the first that they do not.
func matches(rules []statement, args any) (failed any, ok bool, err error) {
	e := evaluation{left: maxWork}
	for _, s := range rules {
		ok := e.holds(s, args)
		if e.left < 0 {
			return s.source, false, errWork
		}
		if !ok {
			return s.source, false, nil
		}
	}
	return nil, true, nil
}

// evaluation counts the steps that are left. When none are, its answers mean nothing.
type evaluation struct{ left int }

// spend takes the steps for n bytes.
func (e *evaluation) spend(n int) bool {
	e.left -= 1 + n/64
	return e.left >= 0
}

func (e *evaluation) holds(s statement, v any) bool {
	if !e.spend(0) {
		return false
	}
	switch s.op {
	case "and":
		for _, inner := range s.inner {
			if !e.holds(inner, v) {
				return false
			}
		}
		return true
	case "or":
		for _, inner := range s.inner {
			if e.holds(inner, v) {
				return true
			}
		}
		return len(s.inner) == 0
	case "not":
		return !e.holds(s.inner[0], v)
	}
	chosen, ok := s.selector.choose(e, v)
	if !ok {
		return false // the specification says so of every operator, != too
	}
	switch s.op {
	case "==":
		return e.equal(chosen, s.value)
	case "!=":
		return !e.equal(chosen, s.value)
	case "like":
		text, ok := chosen.(string)
		return ok && e.like(s.pattern, text)
	case "all", "any":
		items, ok := elements(chosen)
		if !ok || !e.spend(256*len(items)) { // a map is sorted
			return false
		}
		for _, item := range items {
			if e.holds(s.inner[0], item) != (s.op == "all") {
				return s.op == "any"
			}
		}
		return s.op == "all"
	}
	order, ok := compare(chosen, s.value)
	if !ok {
		return false
	}
	switch s.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// elements returns the values of a list or a map, in the order of keys.
func elements(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case map[string]any:
		out := make([]any, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, v[key])
		}
		return out, true
	}
	return nil, false
}

// compare orders two numbers: 1 and 1.0 are equal.
func compare(a, b any) (int, bool) {
	switch a := a.(type) {
	case int64:
		switch b := b.(type) {
		case int64:
			return cmp.Compare(a, b), true
		case float64:
			return new(big.Float).SetInt64(a).Cmp(big.NewFloat(b)), true
		}
	case float64:
		switch b := b.(type) {
		case int64:
			return big.NewFloat(a).Cmp(new(big.Float).SetInt64(b)), true
		case float64:
			return cmp.Compare(a, b), true
		}
	}
	return 0, false
}

func (e *evaluation) equal(a, b any) bool {
	if !e.spend(0) {
		return false
	}
	if order, ok := compare(a, b); ok {
		return order == 0
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case string:
		b, ok := b.(string)
		return ok && e.spend(len(a)) && a == b
	case []byte:
		b, ok := b.([]byte)
		return ok && e.spend(len(a)) && bytes.Equal(a, b)
	case cid.Cid:
		b, ok := b.(cid.Cid)
		return ok && a.Equals(b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !e.equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			other, ok := b[k]
			if !ok || !e.equal(v, other) {
				return false
			}
		}
		return true
	}
	return false
}

// parsePattern reads a pattern of like: * is any text, and a backslash takes the next character as
// it is.
func parsePattern(pattern string) ([]string, error) {
	out, current := []string{}, []byte{}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*':
			out, current = append(out, string(current)), current[:0]
		case c == '\\' && i+1 == len(pattern):
			return nil, errors.New("the pattern of like ends in a backslash")
		case c == '\\':
			i++
			current = append(current, pattern[i])
		default:
			current = append(current, c)
		}
	}
	return append(out, string(current)), nil
}

// like reports whether a text begins with the first literal, ends with the last, and has the others
// between them in order.
func (e *evaluation) like(literals []string, text string) bool {
	if len(literals) == 1 {
		return e.spend(len(text)) && text == literals[0]
	}
	first, last := literals[0], literals[len(literals)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, literal := range literals[1 : len(literals)-1] {
		if !e.spend(len(text)) {
			return false
		}
		_, after, found := strings.Cut(text, literal)
		if !found {
			return false
		}
		text = after
	}
	return true
}
