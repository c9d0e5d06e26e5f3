package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

var (
	errCost    = errors.New("it costs too much on this value")
	errEndless = errors.New("it refers to itself without end")
)

const (
	// maxNested bounds how many schemas are applied inside each other.
	maxNested = 1000
	// lookEvery is the number of steps between two looks at the context: less than a millisecond.
	lookEvery = 512
)

// Check decodes a value, or returns ErrJSON, and validates it.
func (s *Schema) Check(ctx context.Context, raw []byte) ([]Violation, error) {
	doc, err := s.limits.Decode(raw)
	if err != nil {
		return nil, err
	}
	return s.Validate(ctx, doc)
}

// Validate checks a decoded value, whose numbers are json.Number. It returns the violations, sorted
// by path, at most Limits.Violations of them, and none if the value satisfies the schema.
//
// The result depends on the schema and the value alone. The error is ErrSchema if the check needs
// more than Limits.Steps, and ErrJSON if the value has a number beyond a double. Within 10 ms of
// the end of ctx, Validate returns the cause of that end.
func (s *Schema) Validate(ctx context.Context, doc any) (out []Violation, err error) {
	r := run{ctx: ctx, left: s.limits.Steps}
	defer func() {
		if p := recover(); p != nil {
			end, ok := p.(stopped)
			if !ok {
				panic(p)
			}
			out, err = nil, end.error
		}
	}()
	r.look(lookEvery)
	if r.apply(s.compiled, value{v: doc, at: &place{}}) {
		return nil, nil
	}
	return r.violations(s.limits.Violations), nil
}

// stopped is the panic that ends a run early; Validate recovers it.
type stopped struct{ error }

// run is one validation. It pays for everything before it does it.
type run struct {
	ctx    context.Context
	left   int // steps that may still be spent
	unseen int // steps since the last look at ctx
	notes  []note
}

func (r *run) spend(n int) {
	if r.left -= n; r.left < 0 {
		panic(stopped{fmt.Errorf("%w: %w", errSchema, errCost)})
	}
	r.look(n)
}

// look looks at the context if enough steps were done since the last time.
func (r *run) look(n int) {
	if r.unseen += n; r.unseen < lookEvery {
		return
	}
	r.unseen = 0
	if r.ctx.Err() != nil {
		panic(stopped{fmt.Errorf("schema: stopped: %w", context.Cause(r.ctx))})
	}
}

// value is a value to which a schema is applied.
type value struct {
	v      any
	at     *place
	nested int        // schemas around this one
	quiet  bool       // only the answer matters, not the violations
	marks  *evaluated // members that were evaluated; nil if no schema asks
}

// check is one schema applied to one value.
type check struct {
	*run
	value
	s  *jsonschema.Schema
	ok bool
}

// apply reports whether a value satisfies a schema. If it does not, and the value is not quiet, the
// run has notes about the reasons. If it does, the marks of the value are set.
func (r *run) apply(s *jsonschema.Schema, v value) bool {
	r.spend(1 + width(v.v)/8)
	if s.Bool != nil {
		if !*s.Bool && !v.quiet {
			r.note(s, v.at, &kind.FalseSchema{})
		}
		return *s.Bool
	}
	if v.nested > maxNested {
		panic(stopped{fmt.Errorf("%w: %w", errSchema, errEndless)})
	}
	c := check{run: r, value: v, s: s, ok: true}
	if s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil || v.marks != nil {
		c.marks = newEvaluated(v.v)
	}
	if c.typed() && c.compared() && c.formatted() {
		c.all()
	}
	if c.ok {
		r.merge(v.marks, c.marks)
	}
	return c.ok
}

// fail notes a violation of a keyword.
func (c *check) fail(k jsonschema.ErrorKind) {
	c.ok = false
	if !c.quiet {
		c.note(c.s, c.at, k)
	}
}

// done reports whether the answer is known and the caller needs no more violations.
func (c *check) done() bool { return c.quiet && !c.ok }

// all checks every keyword but type, const and enum.
func (c *check) all() {
	if c.s.Ref != nil && !c.same(c.s.Ref) {
		c.ok = false
	}
	switch v := c.v.(type) {
	case map[string]any:
		c.object(v)
	case []any:
		c.array(v)
	case string:
		c.text(v)
	case json.Number:
		c.number(v)
	}
	if c.done() {
		return
	}
	c.combined()
	c.conditional()
	c.unevaluated()
}

func (c *check) same(s *jsonschema.Schema) bool {
	v := c.value
	v.nested++
	return c.apply(s, v)
}

// test is like same, but its violations are of no interest.
func (c *check) test(s *jsonschema.Schema) bool {
	v := c.value
	v.nested++
	v.quiet = true
	return c.apply(s, v)
}

func (c *check) part(s *jsonschema.Schema, member any, at *place) bool {
	return c.apply(s, value{v: member, at: at, nested: c.nested + 1, quiet: c.quiet})
}

// combined checks allOf, anyOf, oneOf and not.
func (c *check) combined() {
	for _, s := range c.s.AllOf {
		if c.done() {
			return
		}
		if !c.same(s) {
			c.ok = false
		}
	}
	c.anyOf()
	c.oneOf()
	if c.s.Not != nil && c.test(c.s.Not) {
		c.fail(&kind.Not{})
	}
}

func (c *check) anyOf() {
	start, matched := len(c.notes), len(c.s.AnyOf) == 0
	for _, s := range c.s.AnyOf {
		if c.same(s) {
			matched = true
			if c.marks == nil {
				break // otherwise each branch may mark members
			}
		}
	}
	if matched {
		c.notes = c.notes[:start]
		return
	}
	c.ok = false
}

func (c *check) oneOf() {
	start, first := len(c.notes), -1
	for i, s := range c.s.OneOf {
		switch {
		case first < 0 && c.same(s):
			first = i
			c.notes = c.notes[:start]
		case first >= 0 && first != i && c.test(s):
			c.fail(&kind.OneOf{Subschemas: []int{first, i}})
			return
		}
	}
	if first < 0 && len(c.s.OneOf) > 0 {
		c.ok = false
	}
}

func (c *check) conditional() {
	if c.s.If == nil {
		return
	}
	next := c.s.Else
	if c.test(c.s.If) {
		next = c.s.Then
	}
	if next != nil && !c.same(next) {
		c.ok = false
	}
}

// unevaluated checks unevaluatedProperties and unevaluatedItems.
func (c *check) unevaluated() {
	switch v := c.v.(type) {
	case map[string]any:
		if c.s.UnevaluatedProperties == nil {
			return
		}
		for name, member := range v {
			c.spend(1)
			if !c.marks.names[name] && !c.part(c.s.UnevaluatedProperties, member, c.at.member(name)) {
				c.ok = false
			}
			c.marks.names[name] = true
		}
	case []any:
		if c.s.UnevaluatedItems == nil {
			return
		}
		for i, item := range v {
			c.spend(1)
			if !c.marks.items[i] && !c.part(c.s.UnevaluatedItems, item, c.at.item(i)) {
				c.ok = false
			}
			c.marks.items[i] = true
		}
	}
}

// evaluated marks the members of a value that some schema evaluated.
type evaluated struct {
	names map[string]bool
	items []bool
}

func newEvaluated(v any) *evaluated {
	e := &evaluated{names: map[string]bool{}}
	if list, ok := v.([]any); ok {
		e.items = make([]bool, len(list))
	}
	return e
}

// merge adds the marks of from to those of to.
func (r *run) merge(to, from *evaluated) {
	if to == nil {
		return
	}
	r.spend(len(from.items) / 64)
	for i, is := range from.items {
		to.items[i] = to.items[i] || is
	}
	r.spend(len(from.names) / 8)
	for name := range from.names {
		r.look(1)
		to.names[name] = true
	}
}
