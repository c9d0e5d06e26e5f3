package sheet

import (
	"strings"

	"ojud/agent/judge/english"
	"ojud/agent/judge/prose"
)

// minQuote is the shortest quote that proves something, in bytes, unless it is a whole value. Words
// such as "The" stand everywhere.
const minQuote = 8

// Has reports whether a shown text has some words, with single spaces. Few words must be a whole
// value: a line, a member of an object or an element of a list. More must say what they are about:
// "of which it is the" stands everywhere.
func Has(text, words string) bool {
	if len(words) >= minQuote && len(english.Subjects(words)) > 0 {
		return strings.Contains(prose.Normal(Joined(text)), words)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if whole := Joined(line); whole != line {
			if prose.Normal(whole) == words {
				return true
			}
			continue // a further line of a text has no members
		}
		line = prose.Normal(line)
		_, member, _ := strings.Cut(line, ": ")
		_, element, _ := strings.Cut(line, "] ")
		if line == words || member == words || strings.HasPrefix(line, "[") && element == words {
			return true
		}
	}
	return false
}
