package sources

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/datasource"
	"ojud/datasource/kind"
)

// FuzzTerms: a person's text for a rate or for who may ask is shown again with the same meaning.
func FuzzTerms(f *testing.F) {
	f.Add("60/60s", "roster")
	f.Add("5/h", "11111111111111111111111111111111, SysvarC1ock11111111111111111111111111111111")
	f.Add("-1/9223372036854775807ns", "")
	f.Add("/", ",")
	f.Fuzz(func(t *testing.T, rate, who string) {
		if r, ok := parseRate(rate); ok {
			if again, ok := parseRate(rateText(r)); !ok || again != r {
				t.Errorf("%q is %v, shown as %q", rate, r, rateText(r))
			}
		}
		w, err := parseWho(who)
		if err != nil {
			return
		}
		if again, err := parseWho(whoText(w)); err != nil || whoText(again) != whoText(w) {
			t.Errorf("%q is shown as %q: %v", who, whoText(w), err)
		}
	})
}

// FuzzWithheld: the list of parts left out of an answer is bounded, quotes no value, and is empty
// if nothing is left out.
func FuzzWithheld(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"secret value",null]},"c":2}`), []byte(`{"a":{"b":[1,"[redacted]"]}}`))
	f.Add([]byte(`[]`), []byte(`"[redacted]"`))
	f.Fuzz(func(t *testing.T, raw, given []byte) {
		if got := withheld(raw, raw); len(got) != 0 && !strings.Contains(string(raw), datasource.Redacted) {
			t.Errorf("%s against itself: %q", raw, got)
		}
		if got := withheld(raw, given); len(got) > mostWithheld+1 {
			t.Errorf("%d lines", len(got))
		}
	})
}

// FuzzSheet: the sheet of a source has no literal value of its headers and variables.
func FuzzSheet(f *testing.F) {
	const head = `{"name":"a","description":"b","inputSchema":{},"upstream":`
	f.Add(`{"kind":"http","url":"https://x.example/","headers":{"authorization":"Bearer ${env:KEY}","x-key":"%"}}`, "literal-secret")
	f.Add(`{"kind":"mcp","command":"x","tool":"y","env":{"KEY":"%"}}`, "${file:/k} literal")
	s := &Home{deps: Deps{Dir: f.TempDir(), LookupEnv: func(string) (string, bool) { return "", false }}}
	f.Fuzz(func(t *testing.T, upstream, secret string) {
		if len(secret) < 8 {
			secret += "-longer-than-eight"
		}
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		src, err := datasource.Parse([]byte(head + strings.ReplaceAll(upstream, `"%"`, string(quoted)) + "}"))
		if err != nil {
			return
		}
		shown, err := discreet(src.Upstream)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.secrets(src); err != nil {
			t.Fatal(err)
		}
		var doc struct{ Headers, Env map[string]string }
		if err := json.Unmarshal(shown, &doc); err != nil {
			return
		}
		for _, values := range []map[string]string{doc.Headers, doc.Env} {
			for name, value := range values {
				if value == secret && len(kind.References(secret)) == 0 {
					t.Errorf("%s is shown: %s", name, shown)
				}
			}
		}
	})
}
