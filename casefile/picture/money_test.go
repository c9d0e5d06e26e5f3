package picture

import (
	"strings"
	"testing"

	"ojud/casefile"
)

// TestBalances: the differences of all sides add up to nothing if what is put in is paid out.
func TestBalances(t *testing.T) {
	t.Parallel()
	const unit = 1_000_000_000
	in := []Share{{Who: "A", Class: "creator", Size: 2 * unit}, {Who: "A", Class: "creator bond", Size: unit}, {Who: "B", Class: "worker bond", Size: unit}}
	if even := balances(in[:1], in[:1]); len(even) != 1 || even[0].Difference != sol(0) {
		t.Errorf("%+v", even)
	}
	out := []Share{{Who: "B", Class: "worker", Size: 3 * unit}, {Who: "A", Class: "creator", Size: unit / 2}, {Who: "J", Class: "judges", Size: unit / 2}}
	var got []string
	for _, b := range balances(in, out) {
		got = append(got, b.Who+" "+b.Class+" "+b.In+" "+b.Out+" "+b.Difference)
	}
	want := "A creator " + sol(3*unit) + " " + sol(unit/2) + " −" + sol(5*unit/2) + ", B worker " + sol(unit) + " " + sol(3*unit) + " +" + sol(2*unit) +
		", J judges " + sol(0) + " " + sol(unit/2) + " +" + sol(unit/2)
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

// TestCheckWords: the names of checks that judges give have words, and a name of no known class
// stays as it is.
func TestCheckWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"specification/expected[0]": "demand: expected 1", "undisputed/instruction[1]": "not disputed: instruction 2",
		"objection/grounds[2]": "the objection is refuted: grounds 3", "note/x": "note: x", "exhibit/photo": "exhibit: photo",
		"mine": "mine", "other/a[1]": "other/a[1]", "specification/a[x]": "demand: a[x]", "specification/a[-1]": "demand: a[-1]",
		"specification/a[9223372036854775807]": "demand: a[9223372036854775807]", "/": "/", "": "",
	} {
		if got := checkWords(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if modelWords(casefile.CodeChecks) == casefile.CodeChecks || modelWords("a model") != "a model" {
		t.Error(modelWords(casefile.CodeChecks), modelWords("a model"))
	}
}
