package picture

import (
	"encoding/base64"
	"encoding/json"
	"ojud/casefile/casetest"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPlain: what a reader cannot see is made visible, what is too long is cut, and letters of all
// scripts stay.
func TestPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"שלום\tnaïve\r\n漢字 🐘", "שלום\tnaïve\n漢字 🐘"},
		{"a\u202eb\u2069", "a<U+202E>b<U+2069>"},
		{"a\x00\x1b\r", "a<U+0000><U+001B><U+000D>"},
		{"a\xffb", "a<U+FFFD>b"},
		{strings.Repeat("x", 401), strings.Repeat("x", 400) + " … (1 more bytes)"},
	} {
		if got := plain(c.in, maxShort); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzBlocks: every document has a bounded picture of text that a reader can see.
func FuzzBlocks(f *testing.F) {
	for _, s := range []string{`{"a":"b"}`, `{"a":{"b":[1,2,{}]}}`, `[]`, `"x"`, `null`, ``, `{`, `{"":""}`, "\xff",
		`{"instruction":["a\u202e"],"output_schema":{"x":"string"},"input_data":[1,"b"],"expected":[{"path":"/\u202e","min_bytes":1}]}`} {
		f.Add([]byte(s))
	}
	for _, raw := range drawn(f, 3, 3) {
		f.Add([]byte(`{"a":"` + base64.StdEncoding.EncodeToString(raw) + `"}`))
	}
	for _, s := range casetest.Hostile() {
		raw, err := json.Marshal(map[string]string{s: s})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, text := range texts(raw) {
			if i, ok := imageOf(text); ok && (i.Width > maxSide || i.Height > maxSide || len(i.Content) > maxImage) {
				t.Fatalf("a picture of %d × %d", i.Width, i.Height)
			}
		}
		all := Passages(raw)
		if len(all) == 0 || len(all) > maxBlocks {
			t.Fatalf("%d blocks", len(all))
		}
		for _, b := range Ordered(raw) {
			if b.Cut {
				t.Fatalf("%s is cut", b.Label)
			}
			for _, r := range b.Text + b.Label {
				if r != '\n' && r != '\t' && !visible(r) {
					t.Fatalf("%q is not visible", r)
				}
			}
		}
		for _, b := range all {
			if utf8.RuneCountInString(b.Text) > 8*maxLong+64 || utf8.RuneCountInString(b.Label) > 8*maxShort+64 {
				t.Fatalf("%d and %d characters", len(b.Label), len(b.Text))
			}
			for _, r := range b.Text + b.Label {
				if r != '\n' && r != '\t' && !visible(r) {
					t.Fatalf("%q is not visible", r)
				}
			}
		}
	})
}

// TestDue: a time that is days away stands there with its date.
func TestDue(t *testing.T) {
	t.Parallel()
	const noon = 1_795_780_800 // 2026-11-27
	if got := due(noon+60, noon); got != "12:01:00 UTC" {
		t.Error(got)
	}
	if got := due(noon+7*86_400, noon); got != "4 December 2026, 12:00:00 UTC" {
		t.Error(got)
	}
}
