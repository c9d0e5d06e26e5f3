package meaning

import (
	"slices"
	"strings"
	"unicode"
)

// units are words for signs. Texts write either.
var units = func() map[string]string {
	out := map[string]string{}
	for sign, words := range map[string]string{"%": "percent percentage", "‰": "permille", "$": "dollar dollars usd", "€": "euro euros eur", "£": "pound pounds gbp",
		"¥": "yen jpy", "₹": "rupee rupees inr", "°": "degree degrees"} {
		for _, w := range strings.Fields(words) {
			out[w] = sign
		}
	}
	return out
}()

// ornaments are signs that say nothing.
const ornaments = "|~`´¨©®™"

// sign returns the sign at a place of a text, or nothing. A hyphen, a slash or a star is one only
// between digits, and a slash between letters, too: elsewhere they join words or mark them.
func sign(runes []rune, i int) string {
	r := runes[i]
	near := func(k int, is func(rune) bool) bool { return k >= 0 && k < len(runes) && is(runes[k]) }
	digits := near(i-1, unicode.IsDigit) && near(i+1, unicode.IsDigit)
	switch {
	case strings.ContainsRune(ornaments, r):
	case isDash(r) && digits:
		return "-"
	case r == '*' && digits, r == ':' && digits, r == '/' && (digits || near(i-1, unicode.IsLetter) && near(i+1, unicode.IsLetter)):
		return string(r)
	case isDash(r): // also the minus of mathematics
	case r == '%', r == '‰', r == '?', unicode.IsSymbol(r):
		return string(r)
	}
	return ""
}

// isDash reports whether a character is written for a minus.
func isDash(r rune) bool { return strings.ContainsRune("-‐‑‒–−", r) }

// minus reports whether a dash is the sign of a number behind it, also before its currency.
func minus(runes []rune, i int) bool {
	if !isDash(runes[i]) || i > 0 && (unicode.IsLetter(runes[i-1]) || unicode.IsDigit(runes[i-1]) || isDash(runes[i-1])) {
		return false
	}
	if i++; i < len(runes) && unicode.Is(unicode.Sc, runes[i]) {
		i++
	}
	return i < len(runes) && unicode.IsDigit(runes[i])
}

// isSign reports whether a token is a sign, and no word or number.
func isSign(token string) bool {
	r := []rune(token)
	return !unicode.IsLetter(r[0]) && !unicode.IsDigit(r[0]) && !unicode.IsMark(r[0]) && (r[0] != '-' || len(r) == 1)
}

// signs are the signs of a text in one spelling each, without repetition: "dollars" is $.
func signs(tokens []string) (out []string) {
	for _, w := range tokens {
		if unit := units[strings.ToLower(w)]; unit != "" {
			w = unit
		}
		if isSign(w) && !strings.Contains("?/:*+-", w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}

// measures are signs that a text may leave out. Behind ° a letter may stand, as in °C.
const measures = "%‰$€£¥₹°"

// clash reports whether two texts have other signs. A text may leave out all signs of measures, so
// that "40" and "40 euros" do not clash, and "40 dollars" and "40 euros" do.
func clash(a, b []string) bool {
	measure := func(s string) bool { return strings.ContainsRune(measures, []rune(s)[0]) }
	x, y := slices.DeleteFunc(slices.Clone(a), measure), slices.DeleteFunc(slices.Clone(b), measure)
	if !slices.Equal(x, y) {
		return true
	}
	return len(x) < len(a) && len(y) < len(b) && !slices.Equal(a, b)
}
