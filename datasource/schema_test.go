package datasource

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"ojud/datasource/kind"
)

func shapeOf(t *testing.T, in, out string) *Shape {
	t.Helper()
	c := Card{Tool: kind.Tool{Name: "a", Description: "b", InputSchema: json.RawMessage(in), OutputSchema: json.RawMessage(out)}, Terms: DefaultTerms()}
	s, err := c.compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestShapeRequest(t *testing.T) {
	s := shapeOf(t, `{"type":"object","properties":{"id":{"type":"string","pattern":"^[0-9]+$"}},"required":["id"],"additionalProperties":false}`, `{}`)
	got, err := s.Request(t.Context(), []byte(` { "id" : "7" } `))
	if err != nil || string(got) != `{"id":"7"}` {
		t.Error(string(got), err)
	}
	for _, bad := range []string{``, `{`, `{"id":"x"}`, `{"id":7}`, `{}`, `{"id":"7","secret":1}`, `[]`, `{"id":"7","id":"8"}`, `{"id":"` + strings.Repeat("7", MaxRequest) + `"}`, strings.Repeat("[", 200)} {
		if _, err := s.Request(t.Context(), []byte(bad)); !errors.Is(err, ErrRequest) || len(err.Error()) > 600 {
			t.Errorf("%.40s: %v", bad, err)
		}
	}
}

// TestShapeAnswer: a narrowed or redacted answer may lack required parts, but its other parts must
// be valid.
func TestShapeAnswer(t *testing.T) {
	out := `{"type":"object","properties":{"id":{"type":"integer"},"required":{"type":"boolean"},"who":{"type":"object","properties":{"mail":{"type":"string","format":"email","minLength":20}},"required":["mail"]},
		"list":{"type":"array","items":{"type":"integer"},"minItems":2}},"required":["id","who"],"minProperties":3,"additionalProperties":false,
		"oneOf":[{"required":["id"]},{"required":["list"],"not":{"required":["id"]}}],"$defs":{"required":{"type":"string"}}}`
	s := shapeOf(t, `{}`, out)
	full := `{"id":1,"who":{"mail":"someone@example.example"},"list":[1,2]}`
	for _, narrowed := range []bool{false, true} {
		if err := s.Answer(t.Context(), []byte(full), narrowed); err != nil {
			t.Error(narrowed, err)
		}
	}
	for _, part := range []string{`{}`, `{"id":1}`, `{"who":{}}`, `{"who":{"mail":"[redacted]"}}`, `{"list":[1]}`, `{"list":[1,"[redacted]"]}`, `{"required":true}`, `"[redacted]"`} {
		if err := s.Answer(t.Context(), []byte(part), false); !errors.Is(err, ErrSchema) {
			t.Errorf("whole %s: %v", part, err)
		}
		if err := s.Answer(t.Context(), []byte(part), true); err != nil {
			t.Errorf("part %s: %v", part, err)
		}
	}
	for _, wrong := range []string{`{"id":"1"}`, `{"more":1}`, `{"list":["x"]}`, `{"required":"x"}`, `[]`, `{`, `{"who":{"mail":"short"}}`} {
		if err := s.Answer(t.Context(), []byte(wrong), true); !errors.Is(err, ErrSchema) {
			t.Errorf("%s passes: %v", wrong, err)
		}
	}
}

// TestSchemaBounds: a schema or value that would cost too much is refused, and soon.
func TestSchemaBounds(t *testing.T) {
	chain := `{"allOf":[{"$ref":"#/$defs/a00"}],"$defs":{`
	for i := range 30 {
		next := `{"$ref":"#/$defs/` + link(i+1) + `"}`
		chain += `"` + link(i) + `":{"allOf":[` + next + `,` + next + `]},`
	}
	chain += `"` + link(30) + `":{"type":"string"}}}`
	for name, schema := range map[string]string{
		"doubling": chain,
		"endless":  `{"$ref":"#"}`,
		"deep":     `{"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`,
		"pattern":  `{"items":{"pattern":"([a-z]{30}){30}"}}`,
		"unique":   `{"uniqueItems":true,"items":{"uniqueItems":true,"items":{"uniqueItems":true}}}`,
	} {
		start := time.Now()
		value := strings.Repeat("[", 50) + strings.Repeat("]", 50)
		if name == "pattern" {
			value = `["` + strings.Repeat("a", 100_000) + `"]`
		}
		s := shapeOf(t, `{}`, schema)
		err := s.Answer(t.Context(), []byte(value), false)
		if name != "unique" && !errors.Is(err, ErrSchema) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %s", name, took)
		}
	}
}

func link(i int) string { return "a" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }
