package judge

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ojud/casefile"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\ntext é 🐘", "plain\ntext é 🐘"},
		{"a\u200bb\u202ec", `a\u{200b}b\u{202e}c`},
		{"\x00\x1b[31m\t", `\u{0}\u{1b}[31m\u{9}`},
		{"\xff", `\u{fffd}`},
		{"\U000e0061", `\u{e0061}`},
	} {
		if got := clean(c.in); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
	for _, long := range []string{strings.Repeat("é", 5000), strings.Repeat("\u200b", 5000), strings.Repeat("x", casefile.MaxDetail+1)} {
		if got := clean(long); len(got) > casefile.MaxDetail || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
			t.Errorf("%d bytes, %q", len(got), got[len(got)-10:])
		}
	}
	exact := strings.Repeat("x", casefile.MaxDetail)
	if clean(exact) != exact {
		t.Error("text that fits was cut")
	}
}
