package prose

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Clean returns text that is fit for an opinion although it may quote a party: valid UTF-8 without
// control and hidden characters, at most so many bytes.
func Clean(s string, most int) string {
	const room = len("…")
	var b strings.Builder
	for r, seen := range runes(s) {
		if !seen || isLineEnd(r) && r != '\n' || unicode.IsControl(r) && r != '\n' || r == utf8.RuneError {
			fmt.Fprintf(&b, "\\u{%x}", r)
		} else {
			b.WriteRune(r)
		}
		if b.Len() > most {
			break
		}
	}
	out := b.String()
	if len(out) <= most {
		return out
	}
	return out[:runeStart(out, most-room)] + "…"
}

// Quote returns the beginning of a party's text in quotation marks, for a sentence.
func Quote(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:runeStart(s, most)] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// runeStart returns the last index up to at where a character begins.
func runeStart(s string, at int) int {
	for !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// Visible returns text without the characters that readers do not see, and with \n for each line
// end. It also returns how many characters were removed. Letters stay as they are found: in the
// form that makes lookalikes equal, "＜|im_start|＞" would become a mark of a chat template.
func Visible(text string) (string, int) {
	removed := 0
	var b strings.Builder
	for r, seen := range runes(breakLines(text)) {
		switch {
		case !seen || r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t':
			removed++
		case !hidden(r): // the model has no use for a selector, even where it is seen
			b.WriteRune(r)
		}
	}
	return b.String(), removed
}

// Normal returns visible text in the form in which texts are compared (NFKC), with single spaces.
func Normal(text string) string {
	text, _ = Visible(text)
	return strings.Join(strings.Fields(norm.NFKC.String(text)), " ")
}

// OneLine returns visible text as one line of at most so many bytes.
func OneLine(text string, most int) string {
	text, _ = Visible(text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Marked puts "| " before each line, so that no line of a stranger looks like one of the judge's.
func Marked(text string) string {
	return "| " + strings.ReplaceAll(strings.Trim(breakLines(text), "\n"), "\n", "\n| ")
}

// Concealed counts hidden characters, and says where the first one is.
func Concealed(raw []byte) (n int, first string) {
	at := 0
	for r, seen := range runes(string(raw)) {
		if !seen {
			if n++; n == 1 {
				first = fmt.Sprintf("U+%04X at byte %d", r, at)
			}
		}
		at += utf8.RuneLen(r)
	}
	return n, first
}

// Blank reports whether there is nothing to see in a text.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) && !hidden(r) })
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
