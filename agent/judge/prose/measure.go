package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Unit is a thing that people count in a result.
type Unit string

// The units in instructions and objections that code understands.
const (
	UnitLines      Unit = "lines"
	UnitWords      Unit = "words"
	UnitCharacters Unit = "characters"
	UnitBytes      Unit = "bytes"
	UnitItems      Unit = "items"
)

// Count counts a unit in a text in every way that people count it. It returns nil for items, and
// for words of scripts without spaces.
func Count(u Unit, s string) []int {
	switch u {
	case UnitLines:
		n := 0
		for line := range strings.SplitSeq(s, "\n") {
			if !Blank(line) {
				n++
			}
		}
		return []int{Lines(s), n, Lines(strings.TrimSpace(s))}
	case UnitBytes:
		return []int{len(s), len(strings.TrimSpace(s))}
	case UnitCharacters:
		visible := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
		return []int{utf8.RuneCountInString(s), len(utf16.Encode([]rune(s))), utf8.RuneCountInString(strings.TrimSpace(s)), utf8.RuneCountInString(visible), len(s)}
	case UnitWords:
		if strings.ContainsFunc(s, unspaced) {
			return nil
		}
		lettered := 0 // without dashes, numbers and the numbering of a list
		for _, field := range strings.Fields(s) {
			if strings.ContainsFunc(field, unicode.IsLetter) {
				lettered++
			}
		}
		return []int{lettered, len(strings.Fields(s)), len(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }))}
	}
	return nil
}

// Lines counts lines, without a \n at the end; "" has none (docs/protocol.md, section 2).
func Lines(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}

// unspaced reports whether a character belongs to a script that writes words without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// Bounds are the numbers that a demand allows. A plain "10 lines" is loose: it may mean more.
type Bounds struct {
	Least, Most int
	Loose       bool
}

// Holds compares all counts of a text with the bounds. If all are inside, it returns true, true; if
// none is, false, true; otherwise the answer is not known.
func (b Bounds) Holds(counts []int) (ok, known bool) {
	inside, above := 0, 0
	for _, n := range counts {
		if n >= b.Least && n <= b.Most {
			inside++
		}
		if n > b.Most {
			above++
		}
	}
	switch {
	case len(counts) == 0:
		return false, false
	case inside == len(counts):
		return true, true
	case inside == 0 && (!b.Loose || above == 0):
		return false, true
	}
	return false, false
}

// Missed reports whether every count is below the bounds.
func (b Bounds) Missed(counts []int) bool {
	return len(counts) > 0 && slices.Max(counts) < b.Least
}
