package english

import (
	"slices"
	"strings"
	"unicode"

	"ojud/agent/judge/prose"
)

// general are words that stand in all kinds of demands and objections, so that they do not say what
// a sentence is about. They are stems.
var general = strings.Fields(`a about above after all also an and any are as ask at be been before below but by can could did do doe each every few for from give
	gave given had ha have here how i if in into is it its just least less like make many may me more most much must need never no not of off on one only or other our
	out over please should so some such than that the their them then there these they thi those to too two three under up us use very wa want we were what
	when which while who will with without word would write wrote wrong you your
	answer bad character contain deliver entri entry follow generate good include instruction item line list mention missing output part produce provide requirement
	require requested requir return result say said sentence submission submit task text work worker creator judge`)

// Subjects returns the words and numbers of a sentence that say what it is about, as stems.
func Subjects(sentence string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsFuncSeq(prose.Squeeze(prose.Normal(sentence)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
		word = strings.ToLower(word)
		if stem := stem(word); stem != "" && !slices.Contains(general, stem) && !slices.Contains(general, word) {
			out[stem] = true
		}
	}
	return out
}

// stem cuts the endings of an English word.
func stem(word string) string {
	const shortest = 3
	word, _, _ = strings.Cut(strings.ReplaceAll(word, "’", "'"), "'")
	for _, end := range []string{"ing", "ed", "s"} {
		if rest, ok := strings.CutSuffix(word, end); ok && len(rest) >= shortest {
			return rest
		}
	}
	return word
}

// Touches reports whether two sentences are about the same, as far as their words show it.
func Touches(a, b map[string]bool) bool {
	for word := range a {
		if b[word] {
			return true
		}
	}
	return false
}
