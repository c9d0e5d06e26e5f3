package datasource

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"ojud/casefile/canon"
	"ojud/datasource/kind"
)

func redacted(t *testing.T, r Redact, in string) string {
	t.Helper()
	compiled, err := r.compile()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := kind.DecodeJSON([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = compiled.apply(doc); err != nil {
		t.Fatal(err)
	}
	out, err := canonical(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestRedact(t *testing.T) {
	mail := []string{`[a-z]+@[a-z.]+`}
	for _, c := range []struct {
		rules    Redact
		in, want string
	}{
		{Redact{}, `{"a":1}`, `{"a":1}`},
		{Redact{Remove: []string{"ssn"}}, `{"ssn":1,"a":[{"ssn":{"b":1},"c":2}]}`, `{"a":[{"c":2}]}`},
		{Redact{Remove: []string{"/a/b"}}, `{"a":{"b":1,"c":{"b":2}},"b":3}`, `{"a":{"c":{"b":2}},"b":3}`},
		{Redact{Remove: []string{"/a/*/b", "/a/0/c"}}, `{"a":[{"b":1,"c":2},{"b":3,"c":4}]}`, `{"a":[{},{"c":4}]}`},
		{Redact{Remove: []string{"/*/1"}}, `[[1,2,3],[4,5]]`, `[[1,3],[4]]`},
		{Redact{Remove: []string{"/a~1b/c~0"}}, `{"a/b":{"c~":1,"d":2}}`, `{"a/b":{"d":2}}`},
		{Redact{Mask: []string{"phone", "/a/0"}}, `{"phone":{"n":1},"a":[5,6],"b":{"phone":"x"}}`, `{"a":["[redacted]",6],"b":{"phone":"[redacted]"},"phone":"[redacted]"}`},
		{Redact{Patterns: mail}, `{"t":"write to me@x.org or you@y.org","me@x.org":1,"you@y.org":2,"[redacted] 2":3}`, `{"[redacted]":1,"[redacted] 2":3,"[redacted] 3":2,"t":"write to [redacted] or [redacted]"}`},
		{Redact{Patterns: mail}, `"me@x.org"`, `"[redacted]"`},
		{Redact{Patterns: mail, Remove: []string{"a"}}, `[{"a":1},"x@y",[["z@w"]]]`, `[{},"[redacted]",[["[redacted]"]]]`},
	} {
		if got := redacted(t, c.rules, c.in); got != c.want {
			t.Errorf("%+v of %s\n\tgives %s\n\twant  %s", c.rules, c.in, got, c.want)
		}
	}
}

// TestRedactCost: an answer that would take too long is not returned. The bound does not depend on
// the speed of this machine.
func TestRedactCost(t *testing.T) {
	compiled, err := Redact{Patterns: []string{`[a-z]{1,64}@[a-z]{1,64}`}}.compile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compiled.apply(map[string]any{"a": []any{strings.Repeat("x", MaxAnswer)}}); !errors.Is(err, ErrLarge) {
		t.Error(err)
	}
	if _, err := compiled.apply(strings.Repeat("x", 64<<10)); err != nil {
		t.Error(err)
	}
	growing, err := Redact{Patterns: []string{`x`, `\]\[`, `d\[r`, `\[\[`, `\]r`, `\]\]`}}.compile()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := growing.apply(strings.Repeat("x", MaxAnswer)); err != nil || out != Redacted {
		t.Errorf("%.100v %v", out, err)
	}
}

// BenchmarkRedact measures the most work that maxRedaction allows.
func BenchmarkRedact(b *testing.B) {
	compiled, err := Redact{Patterns: []string{`[a-z]{1,64}@[a-z]{1,64}`}}.compile()
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("x", maxRedaction/compiled.size)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := compiled.apply(text); err != nil {
			b.Fatal(err)
		}
	}
}

func TestOnly(t *testing.T) {
	in := `{"a":{"b":1,"c":2},"d":[{"e":1,"f":2},{"e":3}],"g":5}`
	for access, want := range map[string]string{
		``: in, `g`: `{"g":5}`, `a`: `{"a":{"b":1,"c":2}}`, `b`: `{}`, `/a/b`: `{"a":{"b":1}}`, `/d/*/e`: `{"d":[{"e":1},{"e":3}]}`, `/d/0`: `{"d":[{"e":1,"f":2}]}`,
		`/g/x`: `{}`, `g,/a/c,a`: `{"a":{"b":1,"c":2},"g":5}`, `/d/*/none`: `{"d":[{},{}]}`, `/*/b`: `{"a":{"b":1},"d":[]}`,
	} {
		var list []string
		if access != "" {
			list = strings.Split(access, ",")
		}
		got, err := Only([]byte(in), list)
		if err != nil || string(got) != want {
			t.Errorf("%s gives %s %v, want %s", access, got, err, want)
		}
	}
	if got, err := Only([]byte(`7`), []string{"a"}); Reason(err) != ErrRefused.Error() {
		t.Error(got, err)
	}
	if _, err := Only([]byte(`{}`), []string{"/~"}); err == nil {
		t.Error("a bad pointer is taken")
	}
}

// FuzzRedact: removed and matched parts are gone, and the rest keeps its place.
func FuzzRedact(f *testing.F) {
	f.Add(`{"ssn":1,"a":[{"ssn":"x@y"},"p@q"],"p@q":{"b":2}}`, "/a/0")
	f.Add(`[[],{"":{"ssn":[]}}]`, "/*/*")
	f.Fuzz(func(t *testing.T, text, pointer string) {
		whole, err := canon.JSON([]byte(text), 4096)
		if err != nil {
			return
		}
		rules := Redact{Remove: []string{"ssn"}, Patterns: []string{`[a-z]+@[a-z]+`}}
		if pointer != "ssn" {
			rules.Mask = []string{pointer}
		}
		compiled, err := rules.compile()
		if err != nil {
			return
		}
		doc, err := kind.DecodeJSON(whole)
		if err != nil {
			t.Fatal(err)
		}
		if doc, err = compiled.apply(doc); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		after, err := kind.DecodeJSON(out)
		if err != nil {
			t.Fatal(err)
		}
		absent(t, after, regexp.MustCompile(rules.Patterns[0]))
	})
}

// absent walks over a value and fails if it finds a part that should be removed.
func absent(t *testing.T, doc any, re *regexp.Regexp) {
	switch v := doc.(type) {
	case map[string]any:
		for name, item := range v {
			if name == "ssn" || re.MatchString(name) {
				t.Fatalf("there is a member %q", name)
			}
			absent(t, item, re)
		}
	case []any:
		for _, item := range v {
			absent(t, item, re)
		}
	case string:
		if re.MatchString(v) {
			t.Fatalf("there is a text %q", v)
		}
	}
}

// FuzzOnly: the narrowed answer has only parts of the whole one, and narrowing twice changes
// nothing.
func FuzzOnly(f *testing.F) {
	f.Add(`{"a":{"b":1,"c":[1,2]},"d":3}`, "/a/c/*", "d")
	f.Fuzz(func(t *testing.T, text, one, two string) {
		whole, err := canon.JSON([]byte(text), 4096)
		if err != nil {
			return
		}
		got, err := Only(whole, []string{one, two})
		if err != nil {
			return
		}
		if len(got) > len(whole) {
			t.Fatalf("%s becomes %s", whole, got)
		}
		names := regexp.MustCompile(`"(\\.|[^"\\])*"`).FindAllString(string(got), -1)
		for _, name := range names {
			if !strings.Contains(string(whole), name) {
				t.Fatalf("%s is in %s and not in %s", name, got, whole)
			}
		}
	})
}
