package schema_test

import (
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
