package judge

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"ojud/casefile"
)

func tree(t testing.TB, raw string) any {
	t.Helper()
	doc, err := decode([]byte(raw), casefile.MaxDocument)
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

// normal makes long's values comparable with those that encoding/json decodes.
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
		{`{"format":"email"}`, `"no address"`, []string{`: 'no address' is not valid email: missing @`}},
	} {
		s, err := Compile([]byte(c.schema), DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		bad, err := s.Validate(t.Context(), tree(t, c.result))
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

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"a":["string"]}`), []byte(`{"a":["x"]}`))
	f.Add([]byte(`{"$id":"x","$defs":{"a":{"$anchor":"b","pattern":"a+"}},"$ref":"#b","unevaluatedProperties":false}`), []byte(`{"a":[1,{}]}`))
	f.Add([]byte(`{"$ref":"#/properties/x","properties":{"x":{"items":{"$ref":"#"}}}}`), []byte(`[[[]]]`))
	f.Fuzz(func(t *testing.T, schema, result []byte) {
		s, err := Compile(schema, Limits{SchemaBytes: 4096, SchemaValues: 200, PatternBytes: 64, PatternSize: 500, Steps: 5000, Errors: 8})
		if err != nil {
			if !errors.Is(err, errSchema) {
				t.Fatal(err)
			}
			return
		}
		doc, err := decode(result, casefile.MaxDocument)
		if err != nil {
			return
		}
		first, err := s.Validate(t.Context(), doc)
		if err != nil {
			return
		}
		again, err := s.Validate(t.Context(), doc)
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("%v, then %v, %v", first, again, err)
		}
	})
}

func FuzzTranslate(f *testing.F) {
	f.Add([]byte(`{"a":["string"],"b":{"c":"any"}}`))
	f.Add([]byte(`{"items":"string"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := decode(raw, casefile.MaxDocument)
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
