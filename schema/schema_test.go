package schema

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	list := `{"$defs":{"n":{"type":["object","null"],"properties":{"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"$ref":"#/$defs/n"}`
	for _, c := range []struct {
		schema, value string
		want          []string
	}{
		{``, `{"a":[1,null]}`, nil},
		{`{"type":"object","required":["a"]}`, `{}`, []string{`at "": missing property 'a'`}},
		{`{"type":"array","items":{"type":"integer","maximum":3},"minItems":2}`, `[1,5]`, []string{`at "/1": maximum: got 5, want 3`}},
		{list, `{"next":{"next":{"next":null}}}`, nil},
		{list, `{"next":{"next":1}}`, []string{`at "/next/next": got number, want null or object`}},
		{`{"$id":"https://example.org/s","$defs":{"a":{"$anchor":"x","const":1}},"$ref":"#x"}`, `1`, nil},
		{`{"properties":{"a/b~":{"pattern":"^x+$"}}}`, `{"a/b~":"xy"}`, []string{`at "/a~1b~0": 'xy' does not match pattern '^x+$'`}},
		{`{"format":"email"}`, `"no address"`, []string{`at "": 'no address' is not valid email: missing @`}},
		{`{"format":"semver"}`, `"no version"`, nil}, // formats outside of the standard demand nothing
		{`{"format":"email"}`, `7`, nil},
		{`false`, `1`, []string{`at "": false schema`}},
	} {
		s, err := Compile([]byte(c.schema), DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		bad, err := s.Check(t.Context(), []byte(c.value))
		var got []string
		for _, v := range bad {
			got = append(got, v.String())
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s of %s: %q, %v; want %q", c.schema, c.value, got, err, c.want)
		}
	}
}

// Problems are listed in order, each once and within the limit. Their quotes are short.
func TestViolations(t *testing.T) {
	s, err := Compile([]byte(`{"items":{"type":"string","pattern":"^a*$"}}`), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	bad, err := s.Check(t.Context(), []byte(`[`+strings.Repeat(`1,`, 5000)+`"`+strings.Repeat("é", 4000)+`"]`))
	if err != nil || len(bad) != DefaultLimits().Violations || bad[0].Path != "/0" || bad[1].Path != "/1" {
		t.Errorf("%v, %v", bad, err)
	}
	bad, err = s.Check(t.Context(), []byte(`["`+strings.Repeat("é", 4000)+`"]`))
	if err != nil || len(bad) != 1 || len(bad[0].Problem) > 200 {
		t.Errorf("%v, %v", bad, err)
	}
}

// A schema is refused if it refers outside of itself, names another dialect, is resolved during the
// check, or is too large.
func TestRefusedSchemas(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string]string{
		"file":            `{"$ref":"file://` + secret + `"}`,
		"http":            `{"$ref":"http://127.0.0.1:1/x"}`,
		"relative":        `{"$ref":"other.json"}`,
		"draft 7":         `{"$schema":"http://json-schema.org/draft-07/schema#"}`,
		"dynamic":         `{"$dynamicRef":"#a"}`,
		"bad type":        `{"type":"text"}`,
		"a list":          `[]`,
		"cut":             `{"type":`,
		"twice":           `{"type":"string","type":"number"}`,
		"long pattern":    `{"pattern":"` + strings.Repeat("a", 600) + `"}`,
		"nested repeats":  `{"pattern":"((a{100}){100}){100}"}`,
		"lookahead":       `{"pattern":"(?=a)"}`,
		"too deep":        strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70),
		"too large":       `{"title":"` + strings.Repeat("a", 70<<10) + `"}`,
		"too many values": `{"enum":[` + strings.Repeat("1,", 100_001) + `1]}`,
		"number":          `{"maximum":1e99999}`,
		"not UTF-8":       "{\"title\":\"\xff\"}",
		"two values":      `{} {}`,
		"missing pointer": `{"$ref":"#/$defs/x"}`,
		"many patterns":   `{"allOf":[` + strings.Repeat(`{"pattern":"(a{30}){30}"},`, 30) + `{}]}`,
	} {
		if _, err := Compile([]byte(raw), DefaultLimits()); !errors.Is(err, errSchema) || len(err.Error()) > 400 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The check finds a dialect below a name that usually has data, and one that the library ships.
func TestEmbeddedDialect(t *testing.T) {
	for _, raw := range []string{
		`{"properties":{"const":{"$id":"x","$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}}}`,
		`{"properties":{"const":{"$dynamicRef":"#a","$dynamicAnchor":"a"}}}`,
		`{"$ref":"https://json-schema.org/draft/2019-09/schema"}`,
		`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`,
	} {
		s, err := Compile([]byte(raw), DefaultLimits())
		if err == nil {
			_, err = s.Check(t.Context(), []byte(`{"const":{"a":1},"properties":{"a":{}}}`))
		}
		if !errors.Is(err, errSchema) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// A schema that would take the validator long, or for ever, is refused before it starts.
func TestCost(t *testing.T) {
	doubling := `{"$defs":{"a0":{"type":"string"}`
	for i := range 40 {
		doubling += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	for schema, value := range map[string]string{
		doubling + `},"$ref":"#/$defs/a40"}`:                        `1`,
		`{"$ref":"#"}`:                                              `1`,
		`{"pattern":"(a{30}){30}"}`:                                 `"` + strings.Repeat("a", 100<<10) + `"`,
		`{"items":{"enum":[` + strings.Repeat("1,", 4000) + `1]}}`:  `[` + strings.Repeat("2,", 10_000) + `2]`,
		`{"patternProperties":{"(a|b|c){99}":{}, "(x|y){99}z":{}}}`: `{"` + strings.Repeat("a", 900_000) + `":1}`,
	} {
		s, err := Compile([]byte(schema), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if bad, err := s.Check(t.Context(), []byte(value)); !errors.Is(err, errSchema) {
			t.Errorf("%.60s: %v, %v", schema, bad, err)
		} else if schema == `{"$ref":"#"}` && !strings.Contains(err.Error(), "without end") {
			t.Error(err)
		}
	}
}

func TestLimits(t *testing.T) {
	if err := DefaultLimits().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Limits){
		"depth": func(l *Limits) { l.Depth = 0 }, "steps": func(l *Limits) { l.Steps = 1 }, "value_bytes": func(l *Limits) { l.ValueBytes = 1 << 30 },
	} {
		l := DefaultLimits()
		change(&l)
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
