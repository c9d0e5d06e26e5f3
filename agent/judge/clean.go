package judge

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/casefile"
)

// clean makes text that may quote a party fit for an opinion: valid UTF-8 without control and hidden
// characters, at most casefile.MaxDetail bytes.
func clean(s string) string {
	const room = len("…")
	var b strings.Builder
	for r, seen := range runes(s) {
		if !seen || isLineEnd(r) && r != '\n' || unicode.IsControl(r) && r != '\n' || r == utf8.RuneError {
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

// hidden reports whether readers do not see a character, or whether it changes how others look:
// format characters, fillers, variation selectors, and characters without a meaning of their own.
func hidden(r rune) bool {
	const brailleBlank = '\u2800'
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == brailleBlank
}

// runes yields each character of a text, and whether readers see it or its effect. One selector of
// text or emoji form after a symbol, as in ❤️, counts as seen.
func runes(text string) iter.Seq2[rune, bool] {
	const textForm, emojiForm = '\ufe0e', '\ufe0f'
	return func(yield func(rune, bool) bool) {
		var before rune
		for _, r := range text {
			form := (r == textForm || r == emojiForm) && (unicode.In(before, unicode.So, unicode.Sm, unicode.Po) || unicode.IsDigit(before))
			if !yield(r, form || !hidden(r)) {
				return
			}
			before = r
		}
	}
}

// isLineEnd reports whether some program starts a new line at a character: those of Unicode's line
// breaking algorithm that always do.
func isLineEnd(r rune) bool { return strings.ContainsRune("\n\v\f\r\u0085\u2028\u2029", r) }

// breakLines writes each line end as \n.
func breakLines(text string) string {
	return strings.Map(func(r rune) rune {
		if isLineEnd(r) {
			return '\n'
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}
