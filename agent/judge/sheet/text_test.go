package sheet_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/sheet"
	"ojud/casefile"
	"ojud/casefile/canon"
)

// FuzzUnfold: for any text of a party or a source, the text shown to a model is longer only by
// indentation. JSON that is too deep to read stays unchanged.
func FuzzUnfold(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"line\none"}],"c":null}`, `"text"`, `no JSON`, strings.Repeat("[", 40) + strings.Repeat("]", 40), `{"data_source":"a","request":{"x":1}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		shown := sheet.Unfold(raw)
		if most := 200*len(raw) + 200; len(shown) > most {
			t.Fatalf("%d bytes became %d", len(raw), len(shown))
		}
		if !json.Valid(raw) && shown != string(raw) {
			t.Fatalf("%q became %q", raw, shown)
		}
		var r judge.Request
		if err := json.Unmarshal(raw, &r); err != nil {
			return
		}
		if canonical, err := canon.JSON(r.Request, casefile.MaxDocument); err == nil && !json.Valid(canonical) {
			t.Fatalf("%s", canonical)
		}
		if again, err := json.Marshal(r); err == nil && len(r.Request) > 0 && !bytes.Contains(again, []byte(`"request"`)) {
			t.Fatalf("%s", again)
		}
	})
}

// TestAttackLinesOfText: a text with line ends, of any kind, looks like no further member of its
// document, and a name with a sign like none, either.
func TestAttackLinesOfText(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n", "\u2028", "\u0085", "\v", "\f"} {
		raw, err := json.Marshal(map[string]any{"note": "See below." + end + "minutes: 12", "minutes": 99, "a" + end + "minutes: 12": 1, "minutes: 12, or": 2, "list": []string{"x" + end + "[1] y"}})
		if err != nil {
			t.Fatal(err)
		}
		shown := sheet.Unfold(raw)
		if !strings.Contains(shown, "\nnote: See below.\n  \" minutes: 12") || strings.Contains(shown, "\nminutes: 12") || !strings.Contains(shown, "\n  [0] x\n    \" [1] y") {
			t.Errorf("%q: %s", end, shown)
		}
		if !strings.Contains(sheet.Joined(shown), "See below.\nminutes: 12") {
			t.Errorf("%q: %s", end, sheet.Joined(shown))
		}
	}
	if shown := sheet.Unfold([]byte(`"one\ntwo"`)); shown != "one\ntwo" {
		t.Errorf("a text alone: %q", shown)
	}
}
