package finding

import (
	"crypto/sha256"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestQuestion: a description names a question by its hash in one way, and what a stranger puts
// there is bounded, also as an agent gets it.
func TestQuestion(t *testing.T) {
	text := strings.Repeat("When did the bridge open? ", 40)
	of := Reference([]byte(text))
	if hash, ok := Elsewhere(of); !ok || hash != sha256.Sum256([]byte(text)) || len(of) > MaxDescription {
		t.Errorf("%s: %x, %v", of, hash, ok)
	}
	for _, other := range []string{"", "When?", of[:70], of + "0", strings.ToUpper(of), "sha256:" + strings.ToUpper(of[7:]), "sha256: " + of[8:]} {
		if _, ok := Elsewhere(other); ok {
			t.Errorf("%q names a question", other)
		}
	}
	for _, x := range []struct{ text, fault string }{
		{text, ""}, {strings.Repeat("a", MaxQuestion), ""}, {strings.Repeat("a", MaxQuestion+1), "it has at most 65536"},
		{"a\xff", "UTF-8"}, {" \n", "empty"}, {"", "empty"}, {strings.Repeat("\x01", 20_000), "in JSON"}, {"a" + strings.Repeat("\u2028", 20_000), "in JSON"},
		{strings.Repeat("<", 20_000), ""}, {strings.Repeat("a line of a text\n", 3_500), ""},
	} {
		got, err := ReadQuestion([]byte(x.text))
		if (err == nil) != (x.fault == "") || err != nil && !strings.Contains(err.Error(), x.fault) || err == nil && got != x.text {
			t.Errorf("%.20q: %v, want %q", x.text, err, x.fault)
		}
	}
	if got := Opening(strings.Repeat("é", 300)); got != strings.Repeat("é", 200)+"…" || Opening("é") != "é" {
		t.Errorf("it begins with %q", got)
	}
}

// FuzzQuestion: whatever stands under the hash of a question, what is read is a bounded text.
func FuzzQuestion(f *testing.F) {
	f.Add([]byte("When did the bridge open?\n"))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if text, err := ReadQuestion(raw); err == nil && (text != string(raw) || len(text) > MaxQuestion || !utf8.ValidString(text)) {
			t.Errorf("%q was read as %q", raw, text)
		}
	})
}
