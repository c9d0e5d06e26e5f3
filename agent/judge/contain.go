package judge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// contains says whether a text occurs in a string of the result, as whole words; case and the kind of white space are ignored.
// What occurs only inside a longer word ("owl" in "fowl"), in a key, or as a number is for no code to decide.
func (r reading) contains(text string) (truth, string) {
	text = squeeze(text)
	partly := false
	for _, s := range r.leaves.squeezed {
		whole, part := occurs(s, text)
		if whole {
			return isTrue, "the result contains " + quote(text)
		}
		partly = partly || part
	}
	if partly || elsewhere(r.doc, text) {
		return cannotTell, fmt.Sprintf("%s stands in the result only inside something else", quote(text))
	}
	return isFalse, "the result does not contain " + quote(text)
}

// occurs reports whether text stands in s with no letter or digit beside it, and whether it stands there at all.
func occurs(s, text string) (whole, part bool) {
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

// joined reports whether the end of a and the beginning of b make one word. Scripts without spaces have no such bounds.
func joined(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return a != "" && b != "" && inWord(last) && inWord(first)
}

func inWord(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unspaced(r) }

// elsewhere reports whether text occurs in a key, or in a number or boolean.
func elsewhere(doc any, text string) bool {
	switch v := doc.(type) {
	case map[string]any:
		for key, item := range v {
			if strings.Contains(squeeze(key), text) || elsewhere(item, text) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if elsewhere(item, text) {
				return true
			}
		}
	case string, nil:
		return false
	default:
		return strings.Contains(fold(fmt.Sprint(v)), text)
	}
	return false
}
