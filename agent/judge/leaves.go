package judge

import (
	"fmt"
	"strings"

	"ojud/agent/judge/prose"
)

// leaves are the parts of a result for counting and searching.
type leaves struct {
	strings  []string
	squeezed []string // the same, by prose.Squeeze
	lists    [][]any
	others   int // numbers and booleans
	counts   map[prose.Unit][]int
}

// gather collects the strings and arrays of a result. It counts everything once, because a task may
// ask for a count hundreds of times.
func gather(doc any) leaves {
	l := leaves{counts: map[prose.Unit][]int{}}
	l.add(doc)
	for _, s := range l.strings {
		l.squeezed = append(l.squeezed, prose.Squeeze(s))
	}
	for _, u := range []prose.Unit{prose.UnitLines, prose.UnitWords, prose.UnitCharacters, prose.UnitBytes, prose.UnitItems} {
		l.counts[u] = l.count(u)
	}
	return l
}

// measure returns the counts of a unit, one for each way that people count it, in the one part of
// the result that can be meant. It returns nil if several parts can be meant.
func (l leaves) measure(u prose.Unit) []int { return l.counts[u] }

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

func (l leaves) count(u prose.Unit) []int {
	switch {
	case u == prose.UnitItems && len(l.lists) == 1:
		return []int{len(l.lists[0]), filled(l.lists[0])}
	case u == prose.UnitItems:
		return nil
	case len(l.strings) == 1 && len(l.lists) == 0:
		return prose.Count(u, l.strings[0])
	case u == prose.UnitLines && len(l.lists) == 1 && len(l.strings) == len(l.lists[0]):
		// If there is one list of strings and no other text, its items are the lines, unless they
		// have lines themselves.
		all := 0
		for _, s := range l.strings {
			all += prose.Lines(s)
		}
		return []int{len(l.strings), filled(l.lists[0]), all}
	}
	return nil
}

// filled counts the items that are not blank.
func filled(list []any) int {
	n := 0
	for _, item := range list {
		if s, ok := item.(string); !ok || !prose.Blank(s) {
			n++
		}
	}
	return n
}

// contains says whether a string of the result contains a text as whole words. It ignores case and
// the kind of white space. If the text stands only inside a longer word ("owl" in "fowl"), in a
// key, or as a number, code does not decide.
func (r reading) contains(text string) (truth, string) {
	text = prose.Squeeze(text)
	partly := false
	for _, s := range r.leaves.squeezed {
		whole, part := prose.Occurs(s, text)
		if whole {
			return isTrue, "the result contains " + prose.Quote(text)
		}
		partly = partly || part
	}
	if partly || elsewhere(r.doc, text) {
		return cannotTell, fmt.Sprintf("%s stands in the result only inside something else", prose.Quote(text))
	}
	return isFalse, "the result does not contain " + prose.Quote(text)
}

// elsewhere reports whether text occurs in a key, or in a number or boolean.
func elsewhere(doc any, text string) bool {
	switch v := doc.(type) {
	case map[string]any:
		for key, item := range v {
			if strings.Contains(prose.Squeeze(key), text) || elsewhere(item, text) {
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
		return strings.Contains(prose.Fold(fmt.Sprint(v)), text)
	}
	return false
}
