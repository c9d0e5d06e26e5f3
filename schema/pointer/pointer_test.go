package pointer_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"ojud/schema/pointer"
)

func TestFind(t *testing.T) {
	doc := decode(t, `{"a":[{"b~/":1},null,true],"":"x","a/b":2,"m~n":3}`)
	for at, want := range map[string]string{
		"": `{"a":[{"b~/":1},null,true],"":"x","a/b":2,"m~n":3}`, "/a/0/b~0~1": "1", "/": `"x"`, "/a~1b": "2", "/m~0n": "3", "/a/1": "null",
	} {
		got, err := pointer.Find(doc, at)
		if err != nil || !reflect.DeepEqual(got, decode(t, want)) {
			t.Errorf("%q: %v, %v", at, got, err)
		}
	}
	for at, want := range map[string]string{
		"a": "begins with /", "/a~2": "~ is written ~0", "/a~": "~ is written ~0", "/a~0~~01": "~ is written ~0", "/x": `no field "x"`, "/a/3": "the array has 3", "/a/00": "no item", "/a/-": "no item",
		"/a/0/b~0~1/c": "a number has no parts", "/a/1/x": "null has no parts", "/a/2/x": "true or false has no parts", "//x": "a string has no parts",
		"/" + strings.Repeat("x", 2000): "at most 1024",
	} {
		if got, err := pointer.Find(doc, at); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.20q: %v, %v; want %q", at, got, err, want)
		}
	}
}

func decode(t *testing.T, raw string) any {
	t.Helper()
	var doc any
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// FuzzFind finds each part of a document at the pointer that Append writes for it, and finds no
// other.
func FuzzFind(f *testing.F) {
	f.Add(`{"a":[{"b~/":1}]}`, "/a/0/b~0~1")
	f.Add(`[1]`, "/00")
	f.Add(`{"":2}`, "/")
	f.Fuzz(func(t *testing.T, raw, at string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		doc := decode(t, raw)
		parts := map[string]any{}
		collect(doc, nil, parts)
		got, err := pointer.Find(doc, at)
		want, is := parts[at]
		if is = is && len(at) <= pointer.MaxBytes; is != (err == nil) || is && !reflect.DeepEqual(got, want) {
			t.Fatalf("%s at %q: %v, %v; want %v", raw, at, got, err, want)
		}
		for at, want := range parts {
			if got, err := pointer.Find(doc, at); len(at) <= pointer.MaxBytes && (err != nil || !reflect.DeepEqual(got, want)) {
				t.Fatalf("%s at %q: %v, %v; want %v", raw, at, got, err, want)
			}
		}
	})
}

func collect(doc any, at []byte, parts map[string]any) {
	parts[string(at)] = doc
	switch doc := doc.(type) {
	case map[string]any:
		for name, item := range doc {
			collect(item, pointer.Append(at[:len(at):len(at)], name), parts)
		}
	case []any:
		for i, item := range doc {
			collect(item, pointer.AppendIndex(at[:len(at):len(at)], i), parts)
		}
	}
}
