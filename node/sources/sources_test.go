package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
)

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

// TestModern: tuples of draft 7 become those of 2020-12, values stay, and other drafts are left
// alone.
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

// FuzzModern: a server may send anything. JSON stays JSON.
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

// TestDiscreet: literal values of headers and variables are not shown, because one may be a secret
// under an innocent name.
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

// TestFile: the source of a file keeps its relative paths, which begin at the home, and the file is
// read whole or not at all.
func TestFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s, err := New(datasource.DefaultConfig(), Deps{Dir: home})
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

// TestFlags: an error in a field of a source names the flag that sets it.
func TestFlags(t *testing.T) {
	t.Parallel()
	for field, flag := range flagOf() {
		if flag == "" || strings.HasPrefix(flag, "-") || field == "" {
			t.Errorf("%q: %q", field, flag)
		}
	}
	for _, form := range kind.Forms() {
		for field, want := range map[string]string{"terms.quota": "quota", "upstream." + form.Name: form.Name, "limits.seconds": "timeout"} {
			var flag *kind.FlagError
			if err := flagged(form, &casefile.FieldError{Field: field, Problem: "x"}); !errors.As(err, &flag) || flag.Flag != want {
				t.Errorf("--%s: %s: %v, want --%s", form.Name, field, err, want)
			}
		}
	}
	other := errors.New("x")
	if !errors.Is(flagged(kind.Form{}, other), other) || flagged(kind.Form{}, nil) != nil {
		t.Error("another error is changed")
	}
}

// TestSample: a request is made up only if it just reads, and never if it might have an effect.
func TestSample(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b", "c.json"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(datasource.DefaultConfig(), Deps{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	numbers := filepath.Join(dir, "schema")
	if err := os.WriteFile(numbers, []byte(`{"properties":{"id":{"type":"integer"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const zeros = "11111111111111111111111111111111"
	up := func(flags ...string) Draft {
		d := Draft{Upstream: kind.Values{}}
		for i := 0; i < len(flags); i += 2 {
			d.Upstream[flags[i]] = append(d.Upstream[flags[i]], flags[i+1])
		}
		return d
	}
	onlyNumbers := up("http", "https://x.example/{id}")
	onlyNumbers.InputSchema = numbers
	for _, c := range []struct {
		draft       Draft
		want, asked string
	}{
		{up("http", "https://x.example/{id}"), `{"id":"1"}`, AskedAnswer},
		{onlyNumbers, ``, AskedNothing},
		{up("http", "https://x.example/", "body", `{"a":"{a}"}`), ``, AskedNothing},
		{up("http", "https://x.example/", "query", "a={a}"), `{}`, AskedAnswer},
		{up("files", dir, "allow", "*.txt", "allow", "b/*.json"), `{"name":"b/c.json"}`, AskedAnswer},
		{up("files", dir, "allow", "*.txt"), ``, AskedNothing},
		{up("files", dir, "allow", "one"), `{"name":"one"}`, AskedAnswer},
		{up("sqlite", "x", "sql", "select :b, :a"), `{"a":null,"b":null}`, AskedAnswer},
		{up("solana", "account"), `{"address":"` + zeros + `"}`, AskedAnswer},
		{up("solana", "account", "address", zeros), `{}`, AskedAnswer},
		{up("solana", "transaction"), `{"signature":"` + strings.Repeat("1", 64) + `"}`, AskedAnswer},
		{up("solana", "transaction", "address", zeros), ``, AskedNothing},
		{up("solana", "account", "program", zeros), ``, AskedNothing},
		{up("solana", "account", "program", zeros, "address", zeros), `{}`, AskedAnswer},
		{up("mcp", "x", "tool", "y"), ``, AskedServer},
		{up("mcp-url", "https://x.example", "tool", "y"), ``, AskedServer},
	} {
		c.draft.Name = "x"
		form, err := c.draft.Form()
		if err != nil {
			t.Fatal(err)
		}
		settings, err := form.Settings(c.draft.Upstream)
		if err != nil {
			t.Fatal(err)
		}
		src, err := c.draft.compose(*form, settings, nil)
		if err != nil {
			t.Fatalf("%+v: %v", c.draft, err)
		}
		if got, asked, err := s.sample(t.Context(), src); string(got.Request) != c.want || asked != c.asked || err != nil {
			t.Errorf("%+v: %s, %s; want %s, %s", c.draft, got.Request, asked, c.want, c.asked)
		}
	}
}

// TestNoFolder: a folder that does not exist is an error that names it, for any allowed files.
func TestNoFolder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s, err := New(datasource.DefaultConfig(), Deps{Dir: home})
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(home, "prices")
	for _, allow := range []string{"*.json", "one.json"} {
		d := Draft{Name: "prices", Upstream: kind.Values{"files": {missing}, "allow": {allow}}}
		_, err := s.Add(t.Context(), d, Options{})
		if err == nil || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), "no such file or directory") {
			t.Errorf("%s: %v", allow, err)
		}
		if strings.Contains(fmt.Sprint(err), "down") {
			t.Errorf("the upstream is blamed: %v", err)
		}
	}
	if names, err := s.names(); len(names) != 0 || err != nil {
		t.Errorf("%q was written, %v", names, err)
	}
	d := Draft{Name: "prices", Upstream: kind.Values{"files": {missing}, "allow": {"*.json"}}}
	if added, err := s.Add(t.Context(), d, Options{Untried: true}); err != nil || added.Result != "added" {
		t.Errorf("untried: %+v, %v", added, err)
	}
	if trial, err := s.Test(t.Context(), "prices", nil); err != nil || trial.OK || !strings.Contains(trial.Problem, missing) ||
		strings.Contains(trial.Told, home) {
		t.Errorf("%+v, %v", trial, err)
	}
}

// TestNamesNoKind: this package works with any kind of source, so it names none.
func TestNamesNoKind(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	named := func(source string) bool {
		for _, word := range []string{"kind.HTTP", "kind.MCP", "kind.Files", "kind.SQLite", "kind.Solana", `"http"`, `"mcp"`, `"files"`, `"sqlite"`, `"solana"`} {
			if strings.Contains(source, word) {
				return true
			}
		}
		return false
	}
	if !named("case *kind.HTTP:") {
		t.Error("the check finds nothing")
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil || named(string(source)) {
			t.Errorf("%s names a kind of source; package kind must know about it, %v", name, err)
		}
	}
}
