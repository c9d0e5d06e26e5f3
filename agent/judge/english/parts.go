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

// A sentence demands something of the result if it begins with a verb in the imperative, or says
// what the result, or a part of it, must be. What other things must be is context ("The invoice
// must be paid by Friday."). So is "it", unless the sentence before is a demand.
var (
	imperative = english(`^(?:(?:please|then|also|finally|first|next|and),? )?(?:write|add|use|include|give|list|name|mention|make|keep|end|begin|start|sign|explain|describe|translate|summari[sz]e|cite|quote|return|provide|put|avoid|leave` +
		`|answer|sort|order|format|state|say|show|compute|calculate|draw|choose|pick|do not|don't|never|always|extract|find|correct|rewrite|identify|classify|convert|remove|replace|delete|produce|create|compose|generate|solve|shorten|tell|fill|compare|collect)\b`)
	// telling begins as an order does, and goes on as a statement: "Order 4711 is late."
	telling = english(`^(?:use|name|end|start|sign|quote|return|answer|order|format|state|show|draw|list|leave)s? (?:\S+ ){0,2}?(?:is|are|was|were|has|have|had|will)\b`)
	must    = `(?:must|should|shall|has to|have to|needs? to|may not|can't|cannot)\b`
	ruling  = english(`^(?:the|your|each|every|all|no)(?: of the)? (?:\w+ )?(?:results?|outputs?|answers?|responses?|texts?|poems?|story|stories|essays?|summary|summaries|translations?|functions?|programs?|lines?|sentences?|paragraphs?|items?|entry|entries|rows?|titles?) .*` + must)
	further = english(`^(?:it|they|these|this) (?:also )?` + must)
)

// demands returns the sentences that demand something.
func demands(all []string) (out []string) {
	before := false
	for _, s := range all {
		before = imperative.MatchString(s) && !telling.MatchString(s) || ruling.MatchString(s) || before && further.MatchString(s)
		if before {
			out = append(out, s)
		}
	}
	return out
}

// shortened matches the end of a text after which a sentence goes on.
var shortened = regexp.MustCompile(`(?i)(?:^|[\s(])(?:\p{L}|e\.g|i\.e|etc|vs|cf|no|nr|mr|mrs|ms|dr|prof|st|fig|approx|ca|incl|max|min|\d+)$`)

// Parts divides an instruction into the demands of its sentences, in their order. Each judge that
// has the task divides it alike. If some sentence demands nothing that is seen, it may say what the
// others mean or demand something after all. Then the whole instruction is the first part, and
// those that it has for each of several things are not asked again. An instruction with one demand
// is its only part.
func Parts(instruction string) []string {
	all := joined(sentences(instruction))
	asked := demands(all)
	if len(asked) < 2 || len(asked) > maxParts {
		return []string{instruction}
	}
	if len(asked) == len(all) {
		return asked
	}
	return append([]string{instruction}, slices.DeleteFunc(asked, Universal)...)
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
