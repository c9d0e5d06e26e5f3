package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func tree(t testing.TB, raw string) any {
	t.Helper()
	doc, err := decodeTree([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestTranslate(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"ascii_painting":"string"}`, `{"type":"object","properties":{"ascii_painting":{"type":"string"}},"required":["ascii_painting"],"additionalProperties":false}`},
		{`{"a":"any"}`, `{"type":"object","properties":{"a":true},"required":["a"],"additionalProperties":false}`},
		{`{"a":["string"]}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"],"additionalProperties":false}`},
		{`{"a":[{"b":"null"}]}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"null"}},"required":["b"],"additionalProperties":false}}},"required":["a"],"additionalProperties":false}`},
		{`{"type":"any"}`, `{"type":"object","properties":{"type":true},"required":["type"],"additionalProperties":false}`},
		{`{"items":"string"}`, `{"type":"object","properties":{"items":{"type":"string"}},"required":["items"],"additionalProperties":false}`},
		{`{"properties":{"a":"string"}}`, `{"type":"object","properties":{"properties":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}},"required":["properties"],"additionalProperties":false}`},
		{`{"anyOf":["string"]}`, `{"type":"object","properties":{"anyOf":{"type":"array","items":{"type":"string"}}},"required":["anyOf"],"additionalProperties":false}`},
		{`{"title":"string"}`, `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}`},
	} {
		got, short := translate(tree(t, c.in))
		if !short || !reflect.DeepEqual(normal(t, got), tree(t, c.want)) {
			t.Errorf("%s became %v", c.in, got)
		}
	}
	for _, in := range []string{`{}`, `true`, `{"type":"string"}`, `{"type":["string","null"]}`, `{"required":["string"]}`, `{"enum":["string"]}`, `{"const":"string"}`,
		`{"$ref":"string"}`, `{"not":{"a":"string"}}`, `{"items":{"a":"string"}}`, `{"properties":{"a":{"type":"string"}}}`, `{"a":"text"}`, `{"a":["string","string"]}`,
		`{"a":[["string"]]}`, `{"a":{}}`, `{"a":{"type":"string"}}`, `{"a":1}`, `{"additionalProperties":false,"a":"string"}`} {
		if got, short := translate(tree(t, in)); short || !reflect.DeepEqual(got, tree(t, in)) {
			t.Errorf("%s was taken for the short form: %v", in, got)
		}
	}
}

// normal makes what long builds comparable with what encoding/json decodes.
func normal(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return tree(t, string(raw))
}

func TestSchema(t *testing.T) {
	for _, c := range []struct {
		schema, result string
		want           []string
	}{
		{`{"a":"string"}`, `{"a":"x"}`, nil},
		{`{"a":"string"}`, `{"a":1,"b":2}`, []string{`: additional properties 'b' not allowed`, `/a: got number, want string`}},
		{`{"type":"array","items":{"type":"integer","maximum":3},"minItems":2}`, `[1,5]`, []string{`/1: maximum: got 5, want 3`}},
		{`{"$defs":{"n":{"type":["object","null"],"properties":{"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"$ref":"#/$defs/n"}`, `{"next":{"next":{"next":null}}}`, nil},
		{`{"$defs":{"n":{"type":["object","null"],"properties":{"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}},"$ref":"#/$defs/n"}`, `{"next":{"next":1}}`, []string{`/next/next: got number, want null or object`}},
		{`{"$id":"https://example.org/s","$defs":{"a":{"$anchor":"x","const":1}},"$ref":"#x"}`, `1`, nil},
		{`{"properties":{"a/b":{"pattern":"^x+$"}}}`, `{"a/b":"xy"}`, []string{`/a~1b: 'xy' does not match pattern '^x+$'`}},
		{`{"format":"email"}`, `"no address"`, nil}, // annotations are no demands in 2020-12
	} {
		s, err := Compile([]byte(c.schema), DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		bad, err := s.Validate([]byte(c.result))
		if err != nil {
			t.Errorf("%s of %s: %v", c.schema, c.result, err)
		}
		var got []string
		for _, v := range bad {
			got = append(got, v.Path+": "+v.Problem)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s of %s: %q, want %q", c.schema, c.result, got, c.want)
		}
	}
}

// bomb doubles the work with every level.
func bomb(levels int, keyword string) string {
	defs := []string{`"d0":false`}
	for i := range levels {
		pair := fmt.Sprintf(`[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]`, i, i)
		if keyword == "dependentSchemas" {
			pair = fmt.Sprintf(`{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}`, i, i)
		}
		defs = append(defs, fmt.Sprintf(`"d%d":{"%s":%s}`, i+1, keyword, pair))
	}
	return fmt.Sprintf(`{"not":{"$ref":"#/$defs/d%d"},"$defs":{%s}}`, levels, strings.Join(defs, ","))
}

// Hostile schemas are refused; a bomb that went off would never end.
func TestSchemaHostile(t *testing.T) {
	nested := strings.Repeat(`{"items":`, 30) + `true` + strings.Repeat("}", 30)
	many := `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"minLength":1},`, 4000), ",") + `]}`
	for _, c := range []struct{ name, schema, result string }{
		{"file reference", `{"$ref":"file:///etc/passwd"}`, `1`},
		{"file reference, other spelling", `{"$ref":"FILE:/etc/passwd"}`, `1`},
		{"relative file reference", `{"$ref":"../../etc/passwd"}`, `1`},
		{"http reference", `{"$ref":"http://localhost:1/x"}`, `1`},
		{"http reference in a definition", `{"$defs":{"a":{"$ref":"https://example.org/x"}},"type":"string"}`, `1`},
		{"metaschema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `1`},
		{"reference through $id", `{"$id":"file:///etc/","$ref":"passwd"}`, `1`},
		{"other dialect", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`, `1`},
		{"own dialect", `{"$schema":"file:///etc/passwd","type":"string"}`, `1`},
		{"dynamic reference", `{"$dynamicRef":"#x"}`, `1`},
		{"reference to nothing", `{"$ref":"#/$defs/x"}`, `1`},
		{"reference to itself", `{"$ref":"#"}`, `1`},
		{"references in a circle", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`, `1`},
		{"allOf bomb", bomb(40, "allOf"), `{"a":1,"b":2}`},
		{"anyOf bomb", bomb(40, "anyOf"), `{"a":1,"b":2}`},
		{"oneOf bomb", bomb(40, "oneOf"), `{"a":1,"b":2}`},
		{"dependentSchemas bomb", bomb(40, "dependentSchemas"), `{"a":1,"b":2}`},
		{"bomb through the result", `{"$ref":"#/$defs/a","$defs":{"a":{"items":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}}`, strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		{"too many values", many, `"x"`},
		{"too large", `{"description":"` + strings.Repeat("x", 70_000) + `"}`, `1`},
		{"huge repetition", `{"pattern":"((a{100}){100}){100}"}`, `"a"`},
		{"large repetition", `{"pattern":"((a{90}){90})"}`, `"` + strings.Repeat("a", 250_000) + `"`},
		{"many patterns", `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"pattern":"a{900}"},`, 50), ",") + `]}`, `"a"`},
		{"long pattern", `{"pattern":"` + strings.Repeat("a", 600) + `"}`, `"a"`},
		{"no pattern", `{"pattern":"("}`, `"a"`},
		{"look-ahead", `{"pattern":"(?=a)"}`, `"a"`},
		{"unevaluated properties", `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"properties":{"a":true}},`, 600), ",") + `],"unevaluatedProperties":true}`, wide(20_000)},
		{"not a schema", `{"type":"strings"}`, `1`},
		{"not a schema inside", `{"properties":{"a":{"minLength":-1}}}`, `1`},
		{"type of itself", `{"type":{"type":"string"}}`, `1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile([]byte(c.schema), DefaultLimits())
			if err == nil {
				_, err = s.Validate([]byte(c.result))
			}
			if !errors.Is(err, ErrSchema) {
				t.Errorf("%v", err)
			}
			if err != nil && len(err.Error()) > 3000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
	if _, err := Compile([]byte(nested), DefaultLimits()); err != nil {
		t.Errorf("30 levels: %v", err)
	}
}

// wide is an object with many fields.
func wide(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}"
}

// A schema that could be read from the file system is not.
func TestNoFileIsRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "any.json"), []byte("true"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{
		fmt.Sprintf(`{"$ref":"file://%s/any.json"}`, dir),
		fmt.Sprintf(`{"$id":"file://%s/","$ref":"any.json"}`, dir),
		fmt.Sprintf(`{"$id":"file://%s/","unknown":{"$ref":"any.json"},"$ref":"#/unknown"}`, dir),
		fmt.Sprintf(`{"$ref":"%s/any.json"}`, dir),
	} {
		if _, err := Compile([]byte(schema), DefaultLimits()); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// A reference that the loader sees is refused by the loader, whatever came before it.
func TestLoaderRefuses(t *testing.T) {
	for _, url := range []string{"file:///etc/passwd", "http://example.org", "oju:other"} {
		if doc, err := (refusing{}).Load(url); err == nil || doc != nil {
			t.Errorf("%s was loaded", url)
		}
	}
}

// The most expensive validations that the limits let through.
func BenchmarkWorstSchema(b *testing.B) {
	items := "[" + strings.TrimSuffix(strings.Repeat("1,", 100_000), ",") + "]"
	for _, c := range []struct{ name, schema, result string }{
		{"applications", `{"items":{"allOf":[{"type":"number"},{"maximum":3}]}}`, items},
		{"failures", `{"items":{"type":"string"}}`, items},
		{"doubling", bomb(16, "anyOf"), `{"a":1}`},
		{"pattern", `{"pattern":"(x+x+)+y{200}"}`, `"` + strings.Repeat("x", 40_000) + `"`},
		{"unique", `{"uniqueItems":true}`, items},
		{"names", `{"patternProperties":{"(a|b|c|d|e|f)*x{50}":true}}`, wide(20_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s, err := Compile([]byte(c.schema), DefaultLimits())
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Validate([]byte(c.result)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"a":["string"]}`), []byte(`{"a":["x"]}`))
	f.Add([]byte(bomb(4, "allOf")), []byte(`{"a":1,"b":2}`))
	f.Add([]byte(`{"$id":"x","$defs":{"a":{"$anchor":"b","pattern":"a+"}},"$ref":"#b","unevaluatedProperties":false}`), []byte(`{"a":[1,{}]}`))
	f.Add([]byte(`{"$ref":"#/properties/x","properties":{"x":{"items":{"$ref":"#"}}}}`), []byte(`[[[]]]`))
	f.Fuzz(func(t *testing.T, schema, result []byte) {
		s, err := Compile(schema, Limits{SchemaBytes: 4096, SchemaValues: 200, PatternBytes: 64, PatternSize: 500, Steps: 5000, Errors: 8})
		if err != nil {
			if !errors.Is(err, ErrSchema) {
				t.Fatal(err)
			}
			return
		}
		first, err := s.Validate(result)
		if err != nil {
			return
		}
		again, err := s.Validate(result)
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("%v, then %v, %v", first, again, err)
		}
	})
}

func FuzzTranslate(f *testing.F) {
	f.Add([]byte(`{"a":["string"],"b":{"c":"any"}}`))
	f.Add([]byte(`{"items":"string"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := decodeTree(raw)
		if err != nil {
			return
		}
		out, short := translate(doc)
		if !short {
			return
		}
		if again, twice := translate(out); twice || !reflect.DeepEqual(out, again) {
			t.Fatalf("%s was translated twice", raw)
		}
		encoded, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		if len(encoded) > DefaultLimits().SchemaBytes {
			return
		}
		if _, err := Compile(encoded, Limits{SchemaBytes: 1 << 20, SchemaValues: 1 << 20, PatternBytes: 1, PatternSize: 1, Steps: 1, Errors: 1}); err != nil && len(raw) < 10_000 {
			t.Fatalf("%s became %s: %v", raw, encoded, err)
		}
	})
}
