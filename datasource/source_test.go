package datasource

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/datasource/kind"
)

var rewrite = flag.Bool("rewrite", false, "write golden files anew")

const example = "testdata/posts.source.json"

// read parses the example.
func read(t testing.TB) Source {
	t.Helper()
	raw, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// golden compares with a file, or writes it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s (%v) differs; go test -rewrite writes it anew. Got\n%s", path, err, got)
	}
}

// TestExample: Encode writes the example back byte for byte, and the card shows only its public
// part.
func TestExample(t *testing.T) {
	s := read(t)
	out, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/posts.encoded.json", out)
	again, err := Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := again.Encode()
	if err != nil || !bytes.Equal(out, twice) {
		t.Errorf("%v\n%s", err, twice)
	}
	card, err := s.Card().Encode()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/posts.card.json", card)
	for _, hidden := range []string{"api.example.com", "SITE_KEY", "upstream", "X-Api-Key", "ssn", "@"} {
		if !bytes.Contains(out, []byte(hidden)) || bytes.Contains(card, []byte(hidden)) {
			t.Errorf("%q is not in the source, or is on the card", hidden)
		}
	}
	back, shape, err := ParseCard(card)
	if err != nil || shape == nil {
		t.Fatal(err)
	}
	first, err1 := s.Card().Hash()
	second, err2 := back.Hash()
	if err1 != nil || err2 != nil || first != second || first != casefile.HashOf(card) {
		t.Error(first, second, err1, err2)
	}
}

func TestDefaults(t *testing.T) {
	s, err := Parse([]byte(`{"name":"a","description":"b","inputSchema":{},"upstream":{"kind":"solana","read":"account"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Terms.Who.Class != Seated || s.Terms.Price != 0 || s.Terms.Quota != 280 || s.Limits != DefaultLimits() || string(s.OutputSchema) != `{}` {
		t.Errorf("%+v", s)
	}
	card, err := s.Card().Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"description":"b","inputSchema":{},"name":"a","outputSchema":{},"redacts":false,"terms":{"price":"0","promises":{"freshness_seconds":60},"quota":280,"rate":{"requests":30,"seconds":60},"total_rate":{"requests":600,"seconds":60},"who":"seated"}}`
	if string(card) != want {
		t.Errorf("%s", card)
	}
}

// TestBadField changes one field of the example at a time.
func TestBadField(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for _, c := range []struct{ path, value, field, says string }{
		{"name", `"Posts"`, "name", "a-z 0-9"}, {"name", `""`, "name", "1 to 64"}, {"name", `"` + long[:65] + `"`, "name", "1 to 64"}, {"name", `7`, "name", "string"},
		{"nane", `"x"`, "nane", `did you mean "name"`}, {"Name", `"x"`, "Name", "unknown"},
		{"title", `"` + long[:201] + `"`, "title", "200"}, {"title", `"a\u202eb"`, "title", "control"}, {"description", `""`, "description", "1 to 2000"}, {"description", `"` + long + `"`, "description", "2000"},
		{"description", `"a\u0007"`, "description", "control"}, {"description", `null`, "description", "null"},
		{"inputSchema", `true`, "inputSchema", "not an object"}, {"inputSchema", `{"type":"thing"}`, "inputSchema", "2020-12"},
		{"inputSchema", `{"$ref":"https://example.com/s"}`, "inputSchema", "begin it with #"}, {"inputSchema", `{"$ref":"file:///etc/passwd"}`, "inputSchema", "begin it with #"},
		{"inputSchema", `{"properties":{"a":{"$id":"http://x/","$ref":"y"}}}`, "inputSchema", "outside of it"}, {"inputSchema", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, "inputSchema", "2020-12"},
		{"inputSchema", `{"$dynamicRef":"#a"}`, "inputSchema", "not supported"}, {"outputSchema", `{"pattern":"("}`, "outputSchema", ""},
		{"outputSchema", `{"pattern":"` + long[:600] + `"}`, "outputSchema", "/pattern"}, {"outputSchema", `{"pattern":"((a{900}){900}){900}"}`, "outputSchema", ""},
		{"outputSchema", `{"description":"` + strings.Repeat("x", MaxSchema) + `"}`, "outputSchema", "24576"}, {"outputSchema", `{"enum":[` + strings.Repeat("0,", 9000) + `1]}`, "outputSchema", "8000"},
		{"terms.price", `1000`, "terms.price", "a string is needed"}, {"terms.price", `"-1"`, "terms.price", "decimal string"}, {"terms.price", `"18446744073709551616"`, "terms.price", "18446744073709551615"},
		{"terms.rate", `{"requests":0,"seconds":1}`, "terms.rate.requests", "1 to"}, {"terms.rate", `{"requests":1,"seconds":86401}`, "terms.rate.seconds", "86400"}, {"terms.rate", `{"requests":1}`, "terms.rate.seconds", "missing"},
		{"terms.total_rate", `{"requests":1,"seconds":0}`, "terms.total_rate.seconds", "1 to"}, {"terms.quota", `0`, "terms.quota", "1 to"}, {"terms.quota", `1.5`, "terms.quota", "integer"},
		{"terms.who", `"anybody"`, "terms.who", "roster"}, {"terms.who", `[]`, "terms.who", "1 to 256"}, {"terms.who", `["x"]`, "terms.who", "base58"}, {"terms.who", `{}`, "terms.who", "roster"}, {"terms.who", `"listed"`, "terms.who", "roster"},
		{"terms.who", `["11111111111111111111111111111111","11111111111111111111111111111111"]`, "terms.who", "different"},
		{"terms.promises", `{"retention_seconds":-1}`, "terms.promises.retention_seconds", "0 (requests are not kept)"}, {"terms.promises", `{"freshness_seconds":2592001}`, "terms.promises.freshness_seconds", "2592000"},
		{"terms.promises", `{"retention":1}`, "terms.promises.retention", "retention_seconds"}, {"terms.promises", `{"others":["a","a"]}`, "terms.promises.others[1]", "once"},
		{"terms.demands", `[""]`, "terms.demands[0]", "1 to 128"}, {"terms.demands", `["` + long[:129] + `"]`, "terms.demands[0]", "1 to 128"},
		{"terms.demands", `["a(m)"]`, "terms.demands[0]", "(m)"}, {"terms.promises", `{"others":[" a"]}`, "terms.promises.others[0]", "space"}, {"terms.demands", `[` + strings.Repeat(`"a",`, 16) + `"b"]`, "terms.demands", "at most 16"},
		{"terms.access", `["/a/~2"]`, "terms.access[0]", "JSON pointer"}, {"terms.access", `["a","a"]`, "terms.access[1]", "once"}, {"terms.access", `[""]`, "terms.access[0]", "no field"},
		{"terms.cost", `"1"`, "terms.cost", "price"}, {"terms", `[]`, "terms", "an object is needed"},
		{"redact.remove", `["` + long[:300] + `"]`, "redact.remove[0]", "256"}, {"redact.mask", `"ssn"`, "redact.mask", "an array is needed"}, {"redact.patterns", `["("]`, "redact.patterns[0]", "RE2"},
		{"redact.patterns", `["a*"]`, "redact.patterns[0]", "empty text"}, {"redact.patterns", `["redacted"]`, "redact.patterns[0]", "itself"}, {"redact.patterns", `["(a{1000}){1000}"]`, "redact.patterns[0]", ""},
		{"redact.patterns", `["[a-z]{900}x","[a-z]{900}"]`, "redact.patterns[0]", "2000"}, {"redact.hide", `[]`, "redact.hide", "mask"},
		{"limits.seconds", `0`, "limits.seconds", "1 to 300"}, {"limits.bytes", `100`, "limits.bytes", "1024 to"}, {"limits.parallel", `65`, "limits.parallel", "1 to 64"}, {"limits.byte", `65`, "limits.byte", "bytes"},
		{"upstream", `{"kind":"ftp"}`, "upstream.kind", "http"}, {"upstream.hosts", `["other"]`, "upstream.hosts", "api.example.com"}, {"upstream.headers", `{"X-Api-Key":"hidden-key"}`, "upstream.headers.X-Api-Key", "${env:NAME}"},
	} {
		raw := change(t, c.path, c.value)
		_, err := Parse(raw)
		var at *casefile.FieldError
		if !errors.As(err, &at) || at.Field != c.field || !strings.Contains(at.Problem, c.says) {
			t.Errorf("%s = %.80s\n\tgives %v\n\twant %q with %q", c.path, c.value, err, c.field, c.says)
		}
		if err != nil && (strings.Contains(err.Error(), "hidden-key") || len(err.Error()) > 1000) {
			t.Errorf("%s: the error shows too much: %v", c.path, err)
		}
	}
	for _, name := range []string{"name", "description", "inputSchema", "upstream"} {
		var at *casefile.FieldError
		if _, err := Parse(change(t, name, "")); !errors.As(err, &at) || at.Field != name || at.Problem != "missing" {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for _, raw := range []string{``, `[]`, `{"name":"a","name":"b"}`, `{}{}`, strings.Repeat("[", 1000), `{"name":"` + strings.Repeat("x", 600_000) + `"}`, "{\"name\":\"\xff\"}"} {
		if _, err := Parse([]byte(raw)); err == nil {
			t.Errorf("%.40q is taken", raw)
		}
	}
}

// change returns the example with a field set or removed.
func change(t *testing.T, path, value string) []byte {
	t.Helper()
	raw, err := read(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	outer, inner, nested := strings.Cut(path, ".")
	if nested {
		var part map[string]json.RawMessage
		if err := json.Unmarshal(doc[outer], &part); err != nil {
			t.Fatal(err)
		}
		part[inner] = json.RawMessage(value)
		if doc[outer], err = json.Marshal(part); err != nil {
			t.Fatal(err)
		}
	} else if delete(doc, outer); value != "" {
		doc[outer] = json.RawMessage(value)
	}
	if raw, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	return raw
}

func FuzzParse(f *testing.F) {
	raw, err := os.ReadFile(example)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"name":"a","description":"b","inputSchema":{},"upstream":{"kind":"solana","read":"account"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Parse(raw)
		if err != nil {
			return
		}
		out, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(out)
		if err != nil {
			t.Fatalf("%s is written %s: %v", raw, out, err)
		}
		a, err1 := s.Card().Hash()
		b, err2 := again.Card().Hash()
		if err1 != nil || err2 != nil || a != b {
			t.Fatal("the card changed", err1, err2)
		}
	})
}

func FuzzParseCard(f *testing.F) {
	raw, err := os.ReadFile("testdata/posts.card.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw, []byte(`{"id":"7"}`))
	f.Fuzz(func(t *testing.T, raw, answer []byte) {
		c, shape, err := ParseCard(raw)
		if err != nil {
			return
		}
		if _, err := c.Encode(); err != nil {
			t.Fatal(err)
		}
		if _, err := shape.Request(t.Context(), answer); err != nil && !errors.Is(err, ErrRequest) {
			t.Fatal(err)
		}
		if err := shape.Answer(t.Context(), answer, true); err != nil && !errors.Is(err, ErrSchema) {
			t.Fatal(err)
		}
	})
}

func TestWrite(t *testing.T) {
	dir := t.TempDir() + "/sources"
	s := read(t)
	if err := Write(dir, s); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(Path(dir, s.Name))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if back, err := Read(Path(dir, s.Name)); err != nil || back.Name != s.Name {
		t.Error(back, err)
	}
	if err := os.Rename(Path(dir, s.Name), Path(dir, "other")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(Path(dir, "other")); err == nil || !strings.Contains(err.Error(), `"other"`) {
		t.Error(err)
	}
	if err := os.Chmod(Path(dir, "other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(Path(dir, "other")); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
	for _, err := range []error{Remove(dir, "../x"), Remove(dir, "none")} {
		if !errors.Is(err, ErrUnknown) {
			t.Error(err)
		}
	}
	if err := Remove(dir, "other"); err != nil {
		t.Error(err)
	}
	s.Description = ""
	if err := Write(dir, s); err == nil {
		t.Error("a bad source is written")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Error(left, err)
	}
	if kind.NameOf(s.Upstream) != "http" {
		t.Error(kind.NameOf(s.Upstream))
	}
}
