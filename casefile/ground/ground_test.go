package ground

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestString: each kind has a sentence.
func TestString(t *testing.T) {
	for _, kind := range Kinds() {
		said := Ground{Pointer: "/a", Kind: Comparison(kind), Expected: json.RawMessage(`3`), Found: json.RawMessage(`"b"`)}.String()
		if !strings.HasPrefix(said, "At /a the result ") || !strings.HasSuffix(said, `. It has "b".`) || strings.Contains(said, "%!") {
			t.Errorf("%s: %s", kind, said)
		}
	}
	if got := Reason([]Ground{{Kind: Unique}, {Kind: Extra, Pointer: "/x"}}); got != "The result has an item twice.\nAt /x the result has something that should not be there." {
		t.Error(got)
	}
}

// FuzzGround: a ground either has a problem with a name, or the value that its kind expects.
func FuzzGround(f *testing.F) {
	f.Add("/a", "value", `{"b":1}`, "")
	f.Add("", "order", `"ascending"`, "7")
	f.Add("x", "count", "-1", "")
	f.Fuzz(func(t *testing.T, pointer, kind, expected, found string) {
		g := Ground{Pointer: pointer, Kind: Comparison(kind), Expected: json.RawMessage(expected), Found: json.RawMessage(found)}
		field, problem := g.problem()
		if field == "" && problem != "" || problem == "" && (len(expected) > maxValue || len(found) > maxValue) {
			t.Errorf("%q: %q", field, problem)
		}
		if g.String() == "" {
			t.Error("no sentence")
		}
	})
}
