package ground

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestString: each kind has a sentence.
func TestString(t *testing.T) {
	for _, kind := range Kinds() {
		said := Ground{Pointer: "/a", Kind: Comparison(kind), Expected: json.RawMessage(`3`), Found: json.RawMessage(`"b"`)}.String()
		said = strings.Replace(said, "It returns", "It has", 1)
		if !strings.HasPrefix(said, "At /a the result ") || !strings.HasSuffix(said, `. It has "b".`) || strings.Contains(said, "%!") {
			t.Errorf("%s: %s", kind, said)
		}
	}
	if got := Reason([]Ground{{Kind: Unique}, {Kind: Extra, Pointer: "/x"}}); got != "The result has an item twice.\nAt /x the result has something that should not be there." {
		t.Error(got)
	}
}

// TestCall: a call is read as it is written, and only the kind returns has one.
func TestCall(t *testing.T) {
	for text, want := range map[string]string{
		"median([3, 1, 2])": "median([3,1,2])", " f() ": "f()", `$a("x)", {"y": 1});`: `$a("x)", {"y":1})`, "f (1)": "f(1)",
	} {
		if c, err := ReadCall(text); err != nil || c.String() != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"", "f", "f(", "f)", "(1)", "1f()", "f(x)", "a.b()", "f(1)(2)", "f(1) + 1", "f(" + strings.Repeat("1,", 16) + "1)", "f(" + strings.Repeat("1", 9000) + ")",
		"{}", `{"a":1}`, `{"a":[1]}`, `{"a":[],"A":[]}`, `{"sqlite_x":[]}`, `{"a b":[]}`, "ordered f()", `{"a":[{"b":"` + strings.Repeat("x", 9000) + `"}]}`} {
		if c, err := ReadCall(text); err == nil {
			t.Errorf("%.20s: %v", text, c)
		}
	}
	call, two := &Counterexample{Function: "f"}, json.RawMessage("2")
	for want, grounds := range map[string][]Ground{
		"":                          {{Kind: Returns, Expected: two, Counterexample: call}},
		"grounds[0].counterexample": {{Kind: Value, Expected: two, Counterexample: call}},
		"grounds[1].counterexample": {{Kind: Unique}, {Kind: Returns, Expected: two}},
		"grounds[0].expected":       {{Kind: Returns, Counterexample: call}},
		"grounds":                   slices.Repeat([]Ground{{Kind: Returns, Expected: two, Counterexample: call}}, 5),
	} {
		if field, problem := Check(grounds); field != want || (problem == "") != (want == "") {
			t.Errorf("%q instead of %q: %s", field, want, problem)
		}
	}
	tables, err := ReadCall(` ordered { "a": [ {"b": 1} ] } `)
	if err != nil || tables.String() != `ordered {"a":[{"b":1}]}` || !tables.Ordered {
		t.Errorf("%v, %v", tables, err)
	}
	for want, g := range map[string]Ground{
		"":                          {Kind: Returns, Expected: json.RawMessage(`[[1],["x",null]]`), Counterexample: tables},
		"grounds[0].expected":       {Kind: Returns, Expected: json.RawMessage(`[1]`), Counterexample: tables},
		"grounds[0].counterexample": {Kind: Returns, Expected: json.RawMessage(`[]`), Counterexample: &Counterexample{Function: "f", Tables: tables.Tables}},
	} {
		if field, problem := Check([]Ground{g}); field != want {
			t.Errorf("%q instead of %q: %s", field, want, problem)
		}
	}
	if said := (Ground{Pointer: "/code", Kind: Returns, Expected: two, Counterexample: call}).String(); said != "At /code the result should return 2 for f()." {
		t.Error(said)
	}
}

// FuzzGround: a ground either has a problem with a name, or the value that its kind expects.
func FuzzGround(f *testing.F) {
	f.Add("/a", "value", `{"b":1}`, "")
	f.Add("", "order", `"ascending"`, "7")
	f.Add("/q", "returns", `ordered {"a":[{"b":1}]}`, "[[1]]")
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
		if c, err := ReadCall(expected); err == nil {
			if again, err := ReadCall(c.String()); err != nil || again.String() != c.String() {
				t.Errorf("%s: %v, %v", c, again, err)
			}
		}
	})
}
