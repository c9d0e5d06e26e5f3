package shelf

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ojud/datasource"
	"ojud/datasource/kind"
)

// TestWords: as a shell would.
func TestWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"npx -y  a@1":         "npx|-y|a@1",
		`run 'a b' "c 'd'"`:   `run|a b|c 'd'`,
		`run a\ b '\' "\""`:   `run|a b|\|"`,
		`run ''`:              "run|",
		"\trun\n--x='y z' ":   "run|--x=y z",
		`run "$HOME" ${env:}`: "run|$HOME|${env:}",
	} {
		if got, err := words(line); err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "  ", "''", `run "`, "run 'x", `run \`} {
		if got, err := words(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// TestVisible: what strangers say does nothing to a terminal.
func TestVisible(t *testing.T) {
	t.Parallel()
	if got := Visible("a\x1b[2J\u009b\u202eb\nä\x7f"); got != `a\u001b[2J\u009b\u202eb\u000aä\u007f` {
		t.Errorf("%q", got)
	}
}

// FuzzWords: what is quoted word by word comes back.
func FuzzWords(f *testing.F) {
	f.Add("npx", "-y")
	f.Add("a'b", `\"`)
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, "")
		if a == "" {
			a = "x"
		}
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		if got, err := words(quote(a) + " " + quote(b)); err != nil || !slices.Equal(got, []string{a, b}) {
			t.Errorf("%q %q: %q, %v", a, b, got, err)
		}
		if _, err := words(a); err != nil && !errors.As(err, new(*Wrong)) {
			t.Error(err)
		}
	})
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"select 1": "", "select * from a where b = :b and c > :c_1 or b = :b": "b c_1",
		`select ':x', ":y", x::text /* :z */ -- :w` + "\n" + `where a = :a`: "a", "select 'it''s :x' || :y": "y", "select '": "",
	} {
		if got := strings.Join(parameters(sql), " "); got != want {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	if got := variables("https://x.example/{a}/${env:KEY}?b={b}&c=${file:/x}", `{"d":"{d}","a":"{a}"}`); !slices.Equal(got, []string{"a", "b", "d"}) {
		t.Error(got)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]datasource.Rate{"60/60s": {Requests: 60, Seconds: 60}, "10/1m": {Requests: 10, Seconds: 60}, "5/s": {Requests: 5, Seconds: 1}, "1 / 24h": {Requests: 1, Seconds: 86_400}} {
		if got, ok := parseRate(text); !ok || got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, text := range []string{"", "60", "/60s", "x/60s", "60/", "60/1.5s", "60/100ms", "60/60"} {
		if got, ok := parseRate(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
	d := datasource.DefaultTerms().Rate
	if got, ok := parseRate(rateText(d)); !ok || got != d {
		t.Error(got)
	}
}

// TestModern: tuples of draft 7 are those of 2020-12, values stay, and other drafts are left alone.
func TestModern(t *testing.T) {
	t.Parallel()
	const seven = `"$schema":"http://json-schema.org/draft-07/schema#"`
	for in, want := range map[string]string{
		`{` + seven + `,"type":"object"}`: `{"type":"object"}`,
		`{` + seven + `,"properties":{"a":{"items":[{"type":"string"}],"additionalItems":false}}}`: `{"properties":{"a":{"items":false,"prefixItems":[{"type":"string"}]}}}`,
		`{` + seven + `,"const":{"items":[1]},"anyOf":[{"items":[{}]}]}`:                           `{"anyOf":[{"prefixItems":[{}]}],"const":{"items":[1]}}`,
		`{` + seven + `,"maximum":18446744073709551615}`:                                           `{"maximum":18446744073709551615}`,
		`{"items":[{}]}`: `{"items":[{}]}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`: `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`,
		`not JSON`: `not JSON`, `[]`: `[]`,
	} {
		if got := string(modern(json.RawMessage(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// FuzzModern: a server may say anything; what was JSON stays JSON.
func FuzzModern(f *testing.F) {
	f.Add([]byte(`{"$schema":"draft-07","items":[{"items":[1]}],"additionalItems":{"x":[]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if out := modern(raw); json.Valid(raw) && !json.Valid(out) {
			t.Errorf("%q: %q", raw, out)
		}
	})
}

func TestWithheld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, given, want string }{
		{`{"a":1,"b":{"c/d":2,"e":"x"}}`, `{"a":1,"b":{"e":"[redacted]"}}`, "/b/c~1d removed|/b/e masked"},
		{`{"a":[{"x":1},{"x":2}]}`, `{"a":[{},{}]}`, "/a/0/x removed|/a/1/x removed"},
		{`[1,2,3]`, `[1]`, "the answer: 2 of 3 items removed"},
		{`"me@x.example"`, `"[redacted]"`, "the answer masked"},
		{`{"a":{"b":1}}`, `{"a":"[redacted]"}`, "/a masked"},
		{`{"a":"[redacted]"}`, `{"a":"[redacted]"}`, ""},
		{`{"a":1.0}`, `{"a":1}`, ""},
		{`{"a":1}`, `not JSON`, ""},
	} {
		if got := strings.Join(withheld(json.RawMessage(c.raw), json.RawMessage(c.given)), "|"); got != c.want {
			t.Errorf("%s -> %s: %s", c.raw, c.given, got)
		}
	}
	long := `{"x":0`
	for i := range 50 {
		long += fmt.Sprintf(`,"f%02d":%d`, i, i)
	}
	if got := withheld(json.RawMessage(long+"}"), json.RawMessage(`{"x":0}`)); len(got) != mostWithheld+1 || got[mostWithheld] != "and 30 more" {
		t.Error(got)
	}
}

// TestDiscreet: literal values of headers and variables are not shown, for one may be a secret under an innocent name.
func TestDiscreet(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	for _, u := range []kind.Settings{
		&kind.HTTP{URL: "https://x.example", Headers: map[string]string{"X-Visitor": secret, "Authorization": "Bearer ${env:KEY}", "X-Other": secret + "${file:k}"}},
		&kind.MCP{Tool: "x", Command: "y", Env: map[string]string{"WHO": secret, "KEY": "${env:KEY}"}},
	} {
		raw, err := discreet(u)
		if err != nil || strings.Contains(string(raw), secret) || !strings.Contains(string(raw), "${env:KEY}") {
			t.Errorf("%s, %v", raw, err)
		}
	}
}

// TestFlags: each field that a source is refused for has a flag in ojud source add, or says its own name.
func TestFlags(t *testing.T) {
	t.Parallel()
	d := &Draft{HTTP: "x"}
	for field, flag := range d.flagOf() {
		if flag == "" || strings.HasPrefix(flag, "-") || field == "" {
			t.Errorf("%q: %q", field, flag)
		}
	}
	if got := (&Draft{Files: "x"}).flagOf()["dir"]; got != "files" {
		t.Error(got)
	}
	other := errors.New("x")
	if !errors.Is(d.flagged(other), other) || d.flagged(nil) != nil {
		t.Error("an error of another kind is changed")
	}
}

// TestFile: the source of a file keeps its relative paths, which begin at the home, and the file is read whole or not at all.
func TestFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s, err := New(datasource.DefaultConfig(), Deps{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("a.txt", "hello")
	file := put("mine", `{"name":"mine","description":"x","inputSchema":{},"upstream":{"kind":"files","dir":".","allow":["a.txt"]}}`)
	added, err := s.Add(t.Context(), Draft{File: file}, Options{})
	if err != nil || added.Trial == nil || !strings.Contains(string(added.Trial.Answer), "hello") {
		t.Fatalf("%+v, %v", added, err)
	}
	if _, err := s.Add(t.Context(), Draft{File: file, Name: "yours"}, Options{}); err == nil || !strings.Contains(err.Error(), "name both alike") {
		t.Error(err)
	}
	large := put("large", strings.Repeat(" ", 2*datasource.MaxFile+1))
	if _, err := s.Add(t.Context(), Draft{File: large}, Options{}); err == nil || !strings.Contains(err.Error(), "262144 bytes") {
		t.Error(err)
	}
	if sheet, err := s.Show("mine"); err != nil || sheet.Hash != added.Hash {
		t.Errorf("%+v, %v", sheet, err)
	}
	for _, name := range []string{"", "..", "../mine", "A"} {
		if _, err := s.Show(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := s.Remove("mine"); err != nil {
		t.Error(err)
	}
	if err := s.Remove("mine"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// TestSample: a request is made up where it only reads, and never for what might do something.
func TestSample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b", "c.json"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(datasource.DefaultConfig(), Deps{Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	numbers := filepath.Join(dir, "schema")
	if err := os.WriteFile(numbers, []byte(`{"properties":{"id":{"type":"integer"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		draft       Draft
		want, asked string
	}{
		{Draft{HTTP: "https://x.example/{id}"}, `{"id":"1"}`, AskedAnswer},
		{Draft{HTTP: "https://x.example/{id}", InputSchema: numbers}, ``, AskedNothing},
		{Draft{HTTP: "https://x.example/", Body: `{"a":"{a}"}`}, ``, AskedNothing},
		{Draft{HTTP: "https://x.example/", Query: []string{"a={a}"}}, `{}`, AskedAnswer},
		{Draft{Files: dir, Allow: []string{"*.txt", "b/*.json"}}, `{"name":"b/c.json"}`, AskedAnswer},
		{Draft{Files: dir, Allow: []string{"*.txt"}}, ``, AskedNothing},
		{Draft{Files: dir, Allow: []string{"one"}}, `{"name":"one"}`, AskedAnswer},
		{Draft{SQLite: "x", SQL: "select :b, :a"}, `{"a":null,"b":null}`, AskedAnswer},
		{Draft{Solana: "account"}, `{"address":"11111111111111111111111111111111"}`, AskedAnswer},
		{Draft{Solana: "account", Address: []string{"11111111111111111111111111111111"}}, `{}`, AskedAnswer},
		{Draft{Solana: "transaction"}, `{"signature":"` + strings.Repeat("1", 64) + `"}`, AskedAnswer},
		{Draft{Solana: "transaction", Address: []string{"11111111111111111111111111111111"}}, ``, AskedNothing},
		{Draft{Solana: "account", Programs: []string{"11111111111111111111111111111111"}}, ``, AskedNothing},
		{Draft{Solana: "account", Programs: []string{"11111111111111111111111111111111"}, Address: []string{"11111111111111111111111111111111"}}, `{}`, AskedAnswer},
		{Draft{MCP: "x", Tool: "y"}, ``, AskedServer},
		{Draft{MCPURL: "https://x.example", Tool: "y"}, ``, AskedServer},
	} {
		c.draft.Name = "x"
		settings, err := c.draft.settings()
		if err != nil {
			t.Fatal(err)
		}
		src, err := c.draft.compose(settings, nil)
		if err != nil {
			t.Fatalf("%+v: %v", c.draft, err)
		}
		if got, asked := s.sample(src); string(got) != c.want || asked != c.asked {
			t.Errorf("%+v: %s, %s; want %s, %s", c.draft, got, asked, c.want, c.asked)
		}
	}
}
