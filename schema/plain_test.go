package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"ojud/schema"
)

func TestPlain(t *testing.T) {
	for _, c := range [][2]string{
		{`{"type":"object","properties":{"b":{"type":"string"},"a":{}}}`, ""},
		{`{"properties":{"a":true,"b":false},"maximum":9007199254740993}`, `{"maximum":9007199254740993,"properties":{"a":{},"b":{"not":{}}}}`},
		{`{"properties":{"properties":true,"items":{"items":true}}}`, `{"properties":{"items":{"items":{}},"properties":{}}}`},
		{`{"anyOf":[true,{"not":true}],"additionalProperties":false}`, `{"additionalProperties":false,"anyOf":[{},{"not":{}}]}`},
		{`{"additionalProperties":{"properties":{"a":true}}}`, `{"additionalProperties":{"properties":{"a":{}}}}`},
		{`{"const":{"properties":{"a":true}},"enum":[true],"default":true,"uniqueItems":true}`, ""},
		{`true`, ""},
		{`{"properties":`, ""},
	} {
		want := c[1]
		if want == "" {
			want = c[0]
		}
		if got := string(schema.Plain([]byte(c[0]))); got != want {
			t.Errorf("%s becomes %s, want %s", c[0], got, want)
		}
	}
}

// FuzzPlain: a plain schema is JSON, is plain, and can be compiled if the schema can.
func FuzzPlain(f *testing.F) {
	for _, raw := range []string{`{"properties":{"a":true}}`, `{"anyOf":[true,{"not":false}]}`, `{"items":`, `false`, `{"$defs":{"x":true},"$ref":"#/$defs/x"}`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := schema.Plain(raw)
		if json.Valid(raw) != json.Valid(got) || !bytes.Equal(schema.Plain(got), got) {
			t.Fatalf("%q becomes %q", raw, got)
		}
		if _, err := schema.Compile(raw, schema.DefaultLimits()); err != nil {
			return
		}
		if _, err := schema.Compile(got, schema.DefaultLimits()); err != nil {
			t.Fatalf("%q becomes %q: %v", raw, got, err)
		}
	})
}
