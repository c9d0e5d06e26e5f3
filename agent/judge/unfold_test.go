package judge

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

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
		shown := unfold(raw)
		if most := 200*len(raw) + 200; len(shown) > most {
			t.Fatalf("%d bytes became %d", len(raw), len(shown))
		}
		if !json.Valid(raw) && shown != string(raw) {
			t.Fatalf("%q became %q", raw, shown)
		}
		var r Request
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
