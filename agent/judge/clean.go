package judge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/casefile"
)

// clean makes text that may quote a party fit for an opinion: valid UTF-8 without control and hidden characters, at most
// casefile.MaxDetail bytes.
func clean(s string) string {
	const room = len("…")
	var b strings.Builder
	for _, r := range s {
		if hidden(r) || unicode.IsControl(r) && r != '\n' || r == utf8.RuneError {
			fmt.Fprintf(&b, "\\u{%x}", r)
		} else {
			b.WriteRune(r)
		}
		if b.Len() > casefile.MaxDetail {
			break
		}
	}
	out := b.String()
	if len(out) <= casefile.MaxDetail {
		return out
	}
	cut := casefile.MaxDetail - room
	for !utf8.RuneStart(out[cut]) {
		cut--
	}
	return out[:cut] + "…"
}

// quote shortens text of a party for a sentence.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		cut := most
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// hidden reports whether a character is invisible or changes how others are shown: zero-width and other format characters,
// bidirectional controls, tags, variation selectors beyond the common ones.
func hidden(r rune) bool {
	return unicode.Is(unicode.Cf, r) || r >= 0xe0100 && r <= 0xe01ef || r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800
}
