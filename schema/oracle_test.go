package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// library validates with the library and lists its innermost errors.
func library(s *Schema, doc any) []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(s.compiled.Validate(doc), &invalid) {
		return nil
	}
	var out []string
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			at := &place{}
			for _, token := range e.InstanceLocation {
				at = at.member(token)
			}
			_, text, _ := strings.Cut(e.Error(), "': ")
			out = append(out, fmt.Sprintf("at %q: %s", short(at.path()), short(text)))
		}
	}
	walk(invalid)
	slices.Sort(out)
	return slices.Compact(out)
}

// compare compares a check with the library's. It returns whether there was something to compare.
func compare(t *testing.T, schema, value string) bool {
	t.Helper()
	l := DefaultLimits()
	l.Steps, l.Violations = 20_000, 64
	s, err := Compile([]byte(schema), l)
	if err != nil {
		return false
	}
	doc, err := l.Decode([]byte(value))
	if err != nil {
		return false
	}
	bad, err := s.Validate(t.Context(), doc)
	if err != nil {
		return false
	}
	again, err := s.Validate(t.Context(), doc)
	if err != nil || !slices.Equal(bad, again) {
		t.Fatalf("%s of %s: %v, then %v, %v", schema, value, bad, again, err)
	}
	want := library(s, doc)
	if (len(bad) == 0) != (len(want) == 0) {
		t.Fatalf("%s of %s: %v; the library says %q", schema, value, bad, want)
	}
	if strings.Contains(schema, "propertyNames") || strings.Contains(schema, "dditionalProperties") || len(bad) == l.Violations {
		return true // the library forgets an object's path, and lists names in any order
	}
	var got []string
	for _, v := range bad {
		got = append(got, v.String())
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Fatalf("%s of %s:\n%q; the library says\n%q", schema, value, got, want)
	}
	return true
}

// TestLikeLibrary: on random schemas and values, a check and the library agree.
func TestLikeLibrary(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	compared, violated := 0, 0
	for range 5000 {
		schema := map[string]any{"$defs": map[string]any{"x": g.schema(2), "y": g.schema(2)}}
		for k, v := range g.object(3) {
			schema[k] = v
		}
		rawSchema, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		value, err := json.Marshal(g.value(3))
		if err != nil {
			t.Fatal(err)
		}
		if compare(t, string(rawSchema), string(value)) {
			compared++
		}
		if s, err := Compile(rawSchema, DefaultLimits()); err == nil {
			if bad, err := s.Check(t.Context(), value); err == nil && len(bad) > 0 {
				violated++
			}
		}
	}
	t.Logf("%d compared, %d of them with violations", compared, violated)
	if compared < 4000 || violated < 1000 || compared-violated < 1000 {
		t.Errorf("too few schemas are usable, or too many say the same")
	}
}

// FuzzLikeLibrary is TestLikeLibrary with inputs of the fuzzer.
func FuzzLikeLibrary(f *testing.F) {
	f.Add(`{"$id":"x","$defs":{"a":{"$anchor":"b","pattern":"a+"}},"$ref":"#b","unevaluatedProperties":false}`, `{"a":[1,{}]}`)
	f.Add(`{"oneOf":[{"contains":{"const":1.0}},{"minItems":2}],"unevaluatedItems":false}`, `[1,10e-1]`)
	f.Add(`{"if":{"required":["a"]},"then":{"multipleOf":0.1},"else":{"uniqueItems":true}}`, `[{"a":1},{"a":1e0}]`)
	for _, format := range Formats() {
		f.Add(`{"format":"`+format+`"}`, `"2026-11-24T10:00:00Z"`)
	}
	f.Fuzz(func(t *testing.T, schema, value string) {
		if !strings.Contains(schema, "regex") && !strings.Contains(schema, "semver") && !strings.Contains(schema, "period") { // formats of the library alone
			compare(t, schema, value)
		}
	})
}

// generator makes schemas and values from few names and few values, so that they often match.
type generator struct{ *rand.Rand }

func (g generator) value(depth int) any {
	n := g.IntN(10)
	if depth == 0 {
		n = g.IntN(6)
	}
	switch n {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2, 3:
		return json.Number([]string{"0", "-0", "1", "1.0", "10e-1", "2", "2.5", "-3", "1e2", "100", "0.1"}[g.IntN(11)])
	case 4, 5:
		return g.name()
	case 6, 7:
		out := []any{}
		for range g.IntN(4) {
			out = append(out, g.value(depth-1))
		}
		return out
	}
	out := map[string]any{}
	for range g.IntN(4) {
		out[g.name()] = g.value(depth - 1)
	}
	return out
}

func (g generator) name() string {
	return []string{"a", "b", "ab", "c", "ä/~", "/a", "a@b.org", "1.2.3.4", "::1", "2026-11-24", "10:00:00Z", "P1D", "https://a.b/c"}[g.IntN(5+g.IntN(9))]
}

func (g generator) schema(depth int) any {
	if n := g.IntN(12); n < 2 || depth == 0 {
		return n != 0
	}
	return g.object(depth)
}

func (g generator) object(depth int) map[string]any {
	out := map[string]any{}
	for range 1 + g.IntN(3) {
		g.keyword(out, depth)
	}
	return out
}

func (g generator) keyword(out map[string]any, depth int) {
	sub := func() any { return g.schema(depth - 1) }
	subs := func() any { return []any{sub(), sub()} }
	table := func() any { return map[string]any{g.name(): sub(), g.name(): sub()} }
	names := func() any { return slices.Compact([]any{"a", g.name()}) }
	number := func() any { return g.IntN(4) }
	values := func() any { return []any{g.value(2), g.value(2), g.value(1)} }
	types := []any{"null", "boolean", "number", "integer", "string", "array", "object"}
	keywords := []struct {
		name string
		make func() any
	}{
		{"type", func() any { return types[g.IntN(len(types))] }}, {"type", func() any { return types[g.IntN(6):] }},
		{"const", func() any { return g.value(2) }}, {"enum", values}, {"$ref", func() any { return []string{"#/$defs/x", "#/$defs/y"}[g.IntN(2)] }},
		{"allOf", subs}, {"anyOf", subs}, {"oneOf", subs}, {"not", sub}, {"if", sub}, {"then", sub}, {"else", sub},
		{"properties", table}, {"patternProperties", table}, {"additionalProperties", sub}, {"propertyNames", sub}, {"dependentSchemas", table},
		{"dependentRequired", func() any { return map[string]any{g.name(): names()} }}, {"required", names},
		{"minProperties", number}, {"maxProperties", number}, {"unevaluatedProperties", sub},
		{"items", sub}, {"prefixItems", subs}, {"contains", sub}, {"minContains", number}, {"maxContains", number},
		{"minItems", number}, {"maxItems", number}, {"uniqueItems", func() any { return true }}, {"unevaluatedItems", sub},
		{"minLength", number}, {"maxLength", number}, {"pattern", func() any { return []string{"a", "^b", "b$", "ä"}[g.IntN(4)] }}, {"format", func() any { return append(Formats(), "made-up")[g.IntN(17)] }},
		{"minimum", number}, {"maximum", number}, {"exclusiveMinimum", number}, {"exclusiveMaximum", number}, {"multipleOf", func() any { return 1 + g.IntN(3) }},
	}
	k := keywords[g.IntN(len(keywords))]
	out[k.name] = k.make()
}
