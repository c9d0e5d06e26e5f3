package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/cmd/ojud/view"
)

// TestEscape checks that a terminal obeys no part of an escaped text, and that a reader sees all of
// it.
func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain 🐘 ä":             "plain 🐘 ä",
		"a\x1b[2Jb\x7f":         `a\u001b[2Jb\u007f`,
		"\u009b2J":              `\u009b2J`,
		"two\nlines\tand\rmore": `two\u000alines\u0009and\u000dmore`,
		"\u202eright to left":   `\u202eright to left`,
		"a\u2028b\u200dc\ufe0f": `a\u2028b\u200dc\ufe0f`,
		"\U000e0041":            `\udb40\udc41`,
		"\xff\xc3":              `\xff\xc3`,
		"\ufffd":                "\ufffd",
	} {
		if got := view.Escape(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestEscaper checks that lines and columns stay, and that JSON stays JSON.
func TestEscaper(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	const hostile = "\x1b[2J\u009b\u202e\U000e0041\ufe0f\nx"
	if err := json.NewEncoder(view.Escaper(&out)).Encode(map[string]string{"a": hostile}); err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back["a"] != hostile {
		t.Errorf("%s %v", out.String(), err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u009b\u202e") {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	if _, err := view.Escaper(&out).Write([]byte("a\tb\nc\x1b")); err != nil || out.String() != "a\tb\nc\\u001b" {
		t.Errorf("%q %v", out.String(), err)
	}
}
