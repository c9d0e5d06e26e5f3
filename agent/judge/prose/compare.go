package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold maps each character to the smallest one that differs from it by case only.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf { // the least of an orbit is the capital letter
			if 'a' <= r && r <= 'z' {
				r -= 'a' - 'A'
			}
			return r
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// Squeeze makes texts equal that differ in case and white space only.
func Squeeze(s string) string { return strings.Join(strings.Fields(Fold(s)), " ") }

// Occurs reports whether a text stands in s as whole words, and whether it stands there at all.
func Occurs(s, text string) (whole, part bool) {
	for from := 0; text != "" && from <= len(s); {
		i := strings.Index(s[from:], text)
		if i < 0 {
			return false, part
		}
		begin, end := from+i, from+i+len(text)
		if !joined(s[:begin], text) && !joined(text, s[end:]) {
			return true, true
		}
		_, width := utf8.DecodeRuneInString(s[begin:])
		part, from = true, begin+width
	}
	return false, part
}

// joined reports whether a and b make one word. In scripts without spaces they never do.
func joined(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return a != "" && b != "" && inWord(last) && inWord(first)
}

func inWord(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unspaced(r) }
