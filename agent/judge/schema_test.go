package judge

import (
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
