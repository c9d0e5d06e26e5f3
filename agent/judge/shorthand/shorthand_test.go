package shorthand

import (
	"encoding/json"
	"reflect"
	"testing"

	"ojud/schema"
)

func decode(raw []byte) (any, error) {
	return schema.Limits{ValueBytes: 1 << 20, Depth: 64, Values: 1 << 20}.Decode(raw)
}

func tree(t testing.TB, raw string) any {
	t.Helper()
	doc, err := decode([]byte(raw))
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
		got, short := Translate(tree(t, c.in))
		if !short || !reflect.DeepEqual(normal(t, got), tree(t, c.want)) {
			t.Errorf("%s became %v", c.in, got)
		}
	}
	for _, in := range []string{`{}`, `true`, `{"type":"string"}`, `{"type":["string","null"]}`, `{"required":["string"]}`, `{"enum":["string"]}`, `{"const":"string"}`,
		`{"$ref":"string"}`, `{"not":{"a":"string"}}`, `{"items":{"a":"string"}}`, `{"properties":{"a":{"type":"string"}}}`, `{"a":"text"}`, `{"a":["string","string"]}`,
		`{"a":[["string"]]}`, `{"a":{}}`, `{"a":{"type":"string"}}`, `{"a":1}`, `{"additionalProperties":false,"a":"string"}`} {
		if got, short := Translate(tree(t, in)); short || !reflect.DeepEqual(got, tree(t, in)) {
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

func FuzzTranslate(f *testing.F) {
	f.Add([]byte(`{"a":["string"],"b":{"c":"any"}}`))
	f.Add([]byte(`{"items":"string"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := decode(raw)
		if err != nil {
			return
		}
		out, short := Translate(doc)
		if !short {
			return
		}
		if again, twice := Translate(out); twice || !reflect.DeepEqual(out, again) {
			t.Fatalf("%s was translated twice", raw)
		}
		encoded, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := schema.Compile(encoded, schema.Limits{SchemaBytes: 1 << 20, SchemaValues: 1 << 20, ValueBytes: 1, Depth: 64, Values: 1, PatternBytes: 1, PatternSize: 1, Steps: 1, Violations: 1}); err != nil && len(raw) < 10_000 {
			t.Fatalf("%s became %s: %v", raw, encoded, err)
		}
	})
}
