package schema

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

func (c *check) typed() bool {
	if c.s.Types == nil || c.s.Types.IsEmpty() {
		return true
	}
	got := typeName(c.v)
	if hasType(*c.s.Types, got) {
		return true
	}
	if n, ok := c.v.(json.Number); ok && hasType(*c.s.Types, "integer") {
		if _, _, exponent := decimal(string(n)); exponent >= 0 {
			return true
		}
	}
	c.fail(&kind.Type{Got: got, Want: c.s.Types.ToStrings()})
	return false
}

func hasType(types jsonschema.Types, name string) bool {
	var one jsonschema.Types
	one.Add(name)
	return types&one != 0
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	panic(stopped{fmt.Errorf("%w: a value of the Go type %T", errJSON, v)})
}

func (c *check) compared() bool {
	if c.s.Const != nil {
		c.spend(c.weight(c.v))
		if !c.equal(c.v, *c.s.Const) {
			c.fail(&kind.Const{Got: c.v, Want: shortValue(*c.s.Const)})
			return false
		}
	}
	if c.s.Enum == nil {
		return true
	}
	each := 1 + c.weight(c.v)/8
	for _, want := range c.s.Enum.Values {
		c.spend(each)
		if c.equal(c.v, want) {
			return true
		}
	}
	if !c.quiet {
		c.fail(&kind.Enum{Got: c.v, Want: shortValues(c.s.Enum.Values)})
	}
	c.ok = false
	return false
}

// shortValues returns values for a text, which is cut anyway.
func shortValues(values []any) []any {
	const most = 64 // two bytes each and a separator of two fill the longest text
	out := make([]any, 0, min(len(values), most))
	for _, v := range values[:min(len(values), most)] {
		out = append(out, shortValue(v))
	}
	return out
}

func shortValue(v any) any {
	if text, ok := v.(string); ok {
		return cut(text)
	}
	return v
}

func (c *check) text(v string) {
	if c.s.MinLength != nil || c.s.MaxLength != nil {
		c.spend(len(v) / 512)
		n := utf8.RuneCountInString(v)
		if least := c.s.MinLength; least != nil && n < *least {
			c.fail(&kind.MinLength{Got: n, Want: *least})
		}
		if most := c.s.MaxLength; most != nil && n > *most {
			c.fail(&kind.MaxLength{Got: n, Want: *most})
		}
	}
	if c.s.Pattern != nil && !c.match(c.s.Pattern, v) {
		c.fail(&kind.Pattern{Got: cut(v), Want: c.s.Pattern.String()})
	}
}

func (c *check) number(v json.Number) {
	s := c.s
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil {
		return
	}
	if err := number(string(v)); err != nil {
		panic(stopped{fmt.Errorf("%w: %w", errJSON, err)})
	}
	c.spend(4)
	n, ok := new(big.Rat).SetString(string(v))
	if !ok {
		panic(stopped{fmt.Errorf("%w: the number %s", errJSON, quote(string(v)))})
	}
	if s.Minimum != nil && n.Cmp(s.Minimum) < 0 {
		c.fail(&kind.Minimum{Got: n, Want: s.Minimum})
	}
	if s.Maximum != nil && n.Cmp(s.Maximum) > 0 {
		c.fail(&kind.Maximum{Got: n, Want: s.Maximum})
	}
	if s.ExclusiveMinimum != nil && n.Cmp(s.ExclusiveMinimum) <= 0 {
		c.fail(&kind.ExclusiveMinimum{Got: n, Want: s.ExclusiveMinimum})
	}
	if s.ExclusiveMaximum != nil && n.Cmp(s.ExclusiveMaximum) >= 0 {
		c.fail(&kind.ExclusiveMaximum{Got: n, Want: s.ExclusiveMaximum})
	}
	if s.MultipleOf != nil && !isMultiple(n, s.MultipleOf) {
		c.fail(&kind.MultipleOf{Got: n, Want: s.MultipleOf})
	}
}

// isMultiple reports whether n/of is an integer, without a search for common divisors.
func isMultiple(n, of *big.Rat) bool {
	top := new(big.Int).Mul(n.Num(), of.Denom())
	return top.Rem(top, new(big.Int).Mul(n.Denom(), of.Num())).Sign() == 0
}

// width is the number of members of an array or object.
func width(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

// weight is the cost of reading a value: one for each value in it and each 64 bytes of text.
func (r *run) weight(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			n += len(name)/64 + r.weight(item)
		}
	case []any:
		for _, item := range v {
			n += r.weight(item)
		}
	case string:
		n += len(v) / 64
	case json.Number:
		n += len(v) / 64
	}
	return n
}

// equal reports whether two values are the same, as 1 and 1.0 are. Its callers pay for it.
func (r *run) equal(a, b any) bool {
	r.look(1)
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, item := range a {
			other, ok := b[name]
			if !ok || !r.equal(item, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !r.equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || sameNumber(string(a), string(b)))
	}
	return a == b
}

func sameNumber(a, b string) bool {
	aMinus, aDigits, aExponent := decimal(a)
	bMinus, bDigits, bExponent := decimal(b)
	return aMinus == bMinus && aDigits == bDigits && aExponent == bExponent
}

// decimal splits a JSON number into its sign, its digits without zeros at either end, and the
// exponent of the last digit. Equal numbers have equal parts; those of 0 are false, "" and 0.
func decimal(text string) (minus bool, digits string, exponent int) {
	text, minus = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(text[i+1:])
		text = text[:i]
	}
	if i := strings.IndexByte(text, '.'); i >= 0 {
		exponent -= len(text) - i - 1
		text = text[:i] + text[i+1:]
	}
	text = strings.TrimLeft(text, "0")
	digits = strings.TrimRight(text, "0")
	if digits == "" {
		return false, "", 0
	}
	return minus, digits, exponent + len(text) - len(digits)
}

// hasher hashes values so that equal ones have equal hashes.
type hasher struct {
	*run
	seed maphash.Seed
}

func (h hasher) sum(v any) uint64 {
	h.look(1)
	switch v := v.(type) {
	case map[string]any:
		n := uint64(len(v))
		for name, item := range v { // in any order
			n += h.pair(h.text("s", name), h.sum(item))
		}
		return n
	case []any:
		n := uint64(len(v))
		for _, item := range v {
			n = h.pair(n, h.sum(item))
		}
		return n
	case string:
		return h.text("s", v)
	case json.Number:
		minus, digits, exponent := decimal(string(v))
		return h.text("n", fmt.Sprint(minus, digits, exponent))
	}
	return h.text("c", fmt.Sprint(v))
}

func (h hasher) text(kind, s string) uint64 { return maphash.String(h.seed, kind+s) }

func (h hasher) pair(a, b uint64) uint64 {
	var raw [16]byte
	binary.LittleEndian.PutUint64(raw[:8], a)
	binary.LittleEndian.PutUint64(raw[8:], b)
	return maphash.Bytes(h.seed, raw[:])
}

// textOf puts a violation into words, as the library does.
func textOf(k jsonschema.ErrorKind) string {
	_, text, _ := strings.Cut((&jsonschema.ValidationError{ErrorKind: k}).Error(), "': ")
	return text
}
