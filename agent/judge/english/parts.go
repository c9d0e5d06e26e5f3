package english

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxParts is how many demands an instruction is divided into.
const maxParts = 8

// demanding matches a sentence that demands something: it begins with a verb in the imperative, or
// has a word such as "must".
var demanding = english(`^(?:(?:please|then|also|finally|first|next|and),? )?(?:write|add|use|include|give|list|name|mention|make|keep|end|begin|start|sign|explain|describe|translate|summari[sz]e|cite|quote|return|provide|put|avoid|leave|answer|sort|order|format|state|say|show|compute|calculate|draw|choose|pick|do not|don't|never|always)\b` +
	`|\b(?:must|should|shall|has to|have to|needs? to|may not|can't|cannot|at least|at most|exactly|no more than|no fewer than|no less than)\b`)

// shortened matches the end of a text after which a sentence goes on.
var shortened = regexp.MustCompile(`(?i)(?:^|[\s(])(?:\p{L}|e\.g|i\.e|etc|vs|cf|no|nr|mr|mrs|ms|dr|prof|st|fig|approx|ca|incl|max|min|\d+)$`)

// Parts divides an instruction into the demands of its sentences, in their order. Each judge that
// has the task divides it alike. If some sentence demands nothing that is seen, it may say what the
// others mean or demand something after all. Then the whole instruction is the first part, and
// those that it has for each of several things are not asked again. An instruction with one demand
// is its only part.
func Parts(instruction string) []string {
	all := joined(sentences(instruction))
	demands := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !demanding.MatchString(s) })
	if len(demands) < 2 || len(demands) > maxParts {
		return []string{instruction}
	}
	if len(demands) == len(all) {
		return demands
	}
	return append([]string{instruction}, slices.DeleteFunc(demands, Universal)...)
}

// joined puts pieces together that are no sentences of their own: what follows an abbreviation or a
// number, what does not begin with a capital letter, and what has fewer than two words.
func joined(pieces []string) (out []string) {
	for _, s := range pieces {
		s = strings.TrimLeft(s, "-*•– \t")
		first, _ := utf8.DecodeRuneInString(s)
		own := unicode.IsUpper(first) && len(strings.Fields(s)) > 1
		switch {
		case s == "":
		case len(out) > 0 && (!own || shortened.MatchString(out[len(out)-1])):
			out[len(out)-1] += ". " + s
		default:
			out = append(out, s)
		}
	}
	return out
}
