package beside

import (
	"encoding/json"
	"strings"
	"testing"
)

func decode(t testing.TB, raw string) (doc any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func written(t testing.TB, doc any) string {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestPut: the other document has the other value, and the first one is as before.
func TestPut(t *testing.T) {
	const is = `{"a":{"b~/":[1,2]},"c":3}`
	for _, c := range []struct {
		at    string
		other any
		want  string
	}{
		{"/a/b~0~1/1", "x", `{"a":{"b~/":[1,"x"]},"c":3}`},
		{"/new", nil, `{"a":{"b~/":[1,2]},"c":3,"new":null}`}, {"", "all", `"all"`}, {"/a/b~0~1/2", "x", ""}, {"/c/d", "x", ""}, {"/x/y", "x", ""}, {"/a/b~0~1/-", "x", ""},
	} {
		doc := decode(t, is)
		got, ok := Put(doc, c.at, c.other)
		if ok != (c.want != "") || ok && written(t, got) != c.want || written(t, doc) != is {
			t.Errorf("%s: %s, %t; %s", c.at, written(t, got), ok, written(t, doc))
		}
	}
}

// TestValues: every other value differs, and has the form of the first one.
func TestValues(t *testing.T) {
	for raw, want := range map[string]string{
		`5`: `[6]`, `2.5`: `[3.5]`, `1e300`: `null`, `true`: `[false]`, `null`: `null`, `"INV-007"`: `["INV-008"]`, `"az9."`: `["az0."]`, `"Z!"`: `["A!"]`, `"…"`: `["…x"]`, `""`: `["x"]`,
		`[]`: `[["x"]]`, `["a","b"]`: `[["a"],["b","b"],["a","c"]]`, `[1]`: `[[],[2]]`, `{"a":1,"b":"x"}`: `[{"a":2,"b":"x"},{"a":1,"b":"y"}]`,
	} {
		if got := written(t, Values(decode(t, raw))); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
