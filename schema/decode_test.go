package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for _, raw := range []string{
		`null`, ` {"a":[1,-2.5e10,"x",true,{}],"b":{"c":[]}} `, `[]`, `"é\n"`, `12345678901234567890.123456789`, `1e308`, `-0`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		got, err := DefaultLimits().Decode([]byte(raw))
		if want := plain(t, raw); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v; want %v", raw, got, err, want)
		}
	}
	small := Limits{ValueBytes: 1000, Depth: 3, Values: 10}
	for _, raw := range []string{
		``, ` `, `{`, `{"a"`, `{"a":`, `{"a":1`, `[`, `[1,`, `[1`, `{"a":1}}`, `1 2`, `nul`, `'a'`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `1e309`, `1e-309`,
		`1e99999999999999999999`, strings.Repeat("9", 400), "\"\xff\"", `[[[[1]]]]`, `[1,2,3,4,5,6,7,8,9,10]`, `{"a":1,"b":1,"c":1,"d":1,"e":1}`,
		`"` + strings.Repeat("x", 1000) + `"`, "\ufeff{}", `{"a":1,}`, `[1,]`, `{1:2}`, "```json\n{}\n```",
	} {
		if v, err := small.Decode([]byte(raw)); !errors.Is(err, errJSON) || len(err.Error()) > 200 {
			t.Errorf("%s: %v, %v", raw, v, err)
		}
	}
	if _, err := small.Decode([]byte(`[1,2,3,4,5,6,7,8,9]`)); err != nil {
		t.Error(err)
	}
}

func plain(t *testing.T, raw string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// If Decode takes a text, encoding/json reads the same value from it.
func FuzzDecode(f *testing.F) {
	for _, raw := range []string{`{"a":[1,"x",null]}`, `{"a":1,"a":2}`, `1e400`, `[[[]]]`, "\"\xff\"", `{"a":{"b":{}}} x`} {
		f.Add([]byte(raw))
	}
	l := DefaultLimits()
	l.Depth, l.Values = 8, 50
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := l.Decode(raw)
		if err != nil {
			if !errors.Is(err, errJSON) {
				t.Fatal(err)
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(got, want) || (&run{}).weight(got) > l.Values {
			t.Fatalf("%q: %v, want %v, %v", raw, got, want, err)
		}
	})
}

// A check of a stranger's schema on a stranger's value ends with an answer or with an error of
// ours.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"pattern":"^a+$"}}}`), []byte(`{"a":"b"}`))
	f.Add([]byte(`{"$ref":"#"}`), []byte(`1`))
	f.Add([]byte(`{"items":{"multipleOf":1e-308}}`), []byte(`[1e308]`))
	f.Add([]byte(`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"uniqueItems":true}}}`), []byte(`[1,1]`))
	f.Fuzz(func(t *testing.T, rawSchema, value []byte) {
		s, err := Compile(rawSchema, DefaultLimits())
		if err != nil {
			if !errors.Is(err, errSchema) {
				t.Fatal(err)
			}
			return
		}
		bad, err := s.Check(t.Context(), value)
		if err != nil && !errors.Is(err, errSchema) && !errors.Is(err, errJSON) || len(bad) > DefaultLimits().Violations {
			t.Fatalf("%v, %v", bad, err)
		}
	})
}
