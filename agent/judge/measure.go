package judge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// unit is what people count in a result.
type unit string

// The units that instructions and objections are understood to speak of.
const (
	unitLines      unit = "lines"
	unitWords      unit = "words"
	unitCharacters unit = "characters"
	unitBytes      unit = "bytes"
	unitItems      unit = "items"
)

// leaves are the parts of a result, as far as counting and searching are concerned.
type leaves struct {
	strings  []string
	squeezed []string // the same, see squeeze
	lists    [][]any
	others   int // numbers and booleans
	counts   map[unit][]int
}

// gather collects the strings and arrays of a result, and counts everything once: a task may ask for it hundreds of times.
func gather(doc any) leaves {
	l := leaves{counts: map[unit][]int{}}
	l.add(doc)
	for _, s := range l.strings {
		l.squeezed = append(l.squeezed, squeeze(s))
	}
	for _, u := range []unit{unitLines, unitWords, unitCharacters, unitBytes, unitItems} {
		l.counts[u] = l.count(u)
	}
	return l
}

// measure counts a unit in the one part of a result that can be meant, in every way in which people count it. Nothing is
// returned if it is not clear which part is meant.
func (l leaves) measure(u unit) []int { return l.counts[u] }

func (l *leaves) add(doc any) {
	switch v := doc.(type) {
	case string:
		l.strings = append(l.strings, v)
	case []any:
		l.lists = append(l.lists, v)
		for _, item := range v {
			l.add(item)
		}
	case map[string]any:
		for _, item := range v {
			l.add(item)
		}
	case nil:
	default:
		l.others++
	}
}

func (l leaves) count(u unit) []int {
	switch {
	case u == unitItems && len(l.lists) == 1:
		return []int{len(l.lists[0]), filled(l.lists[0])}
	case u == unitItems:
		return nil
	case len(l.strings) == 1 && len(l.lists) == 0:
		return readings(u, l.strings[0])
	case u == unitLines && len(l.lists) == 1 && len(l.strings) == len(l.lists[0]):
		// A list of strings and no other text: its items are the lines, unless they have lines themselves.
		all := 0
		for _, s := range l.strings {
			all += lines(s)
		}
		return []int{len(l.strings), filled(l.lists[0]), all}
	}
	return nil
}

// filled counts the items that are not blank.
func filled(list []any) int {
	n := 0
	for _, item := range list {
		if s, ok := item.(string); !ok || !blank(s) {
			n++
		}
	}
	return n
}

// readings counts a unit in a text in every way in which people count it.
func readings(u unit, s string) []int {
	switch u {
	case unitLines:
		n := 0
		for line := range strings.SplitSeq(s, "\n") {
			if !blank(line) {
				n++
			}
		}
		return []int{lines(s), n, lines(strings.TrimSpace(s))}
	case unitBytes:
		return []int{len(s), len(strings.TrimSpace(s))}
	case unitCharacters:
		visible := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
		return []int{utf8.RuneCountInString(s), len(utf16.Encode([]rune(s))), utf8.RuneCountInString(strings.TrimSpace(s)), utf8.RuneCountInString(visible), len(s)}
	case unitWords:
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

// unspaced reports whether a character is of a script that writes words without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// blank reports whether there is nothing to see in a text.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) && !hidden(r) })
}

// bounds are what is demanded of a number. A plain "10 lines" is loose: more than ten may still be what was meant.
type bounds struct {
	least, most int
	loose       bool
}

// holds compares every reading with the bounds: true and known if all are within, false and known if none is.
func (b bounds) holds(readings []int) (ok, known bool) {
	inside, above := 0, 0
	for _, n := range readings {
		if n >= b.least && n <= b.most {
			inside++
		}
		if n > b.most {
			above++
		}
	}
	switch {
	case len(readings) == 0:
		return false, false
	case inside == len(readings):
		return true, true
	case inside == 0 && (!b.loose || above == 0):
		return false, true
	}
	return false, false
}

// missed reports whether every reading is below the bounds.
func (b bounds) missed(readings []int) bool {
	return len(readings) > 0 && slices.Max(readings) < b.least
}
