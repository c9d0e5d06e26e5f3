// Package class sorts tasks into a few kinds of work, because a judge is better at some of them.
// Personas have a weight for each class (agent/judge/persona), and the exam reports each class
// (agent/judge/exam).
//
// Of needs a task that package casefile validated.
package class

import (
	"encoding/json"
	"regexp"
	"slices"

	"ojud/casefile"
)

// Class is a kind of work.
type Class string

// The classes.
const (
	Extraction Class = "extraction" // copy parts of the input into fields
	Code       Class = "code"       // write or change a program
	Arithmetic Class = "arithmetic" // compute from numbers and tables
	Format     Class = "format"     // follow a form: lines, ASCII, order, separators
	Facts      Class = "facts"      // facts of the world, as data sources state them
	Writing    Class = "writing"    // prose for a reader, within bounds
)

// All returns the classes in the order of the list above.
func All() []Class { return []Class{Extraction, Code, Arithmetic, Format, Facts, Writing} }

// Known reports whether the class is one of All.
func (c Class) Known() bool { return slices.Contains(All(), c) }

// signs are words that reveal the class of a task. The first class with a sign counts.
var signs = []struct {
	class Class
	words *regexp.Regexp
}{
	{Extraction, regexp.MustCompile(`(?i)\b(?:extract|collect|take from|list (?:every|all)|find (?:every|all)|return (?:the )?(?:ids?|names?|action items))\b`)},
	{Code, regexp.MustCompile(`(?i)\b(?:function|program|script|code|SQL|query|regular expression|regex|compile[sd]?|python|golang|javascript|rust|refactor|unit tests?)\b`)},
	{Arithmetic, regexp.MustCompile(`(?i)\b(?:add up|sums?|total|averages?|mean|median|percent(?:age)?|compute|calculate|interest|how (?:much|many)|multipl(?:y|ied)|differences?|ratio|balance|days? (?:after|before|between))\b`)},
	{Writing, regexp.MustCompile(`(?i)\b(?:rewrite|lines about|poem|haiku|story|essay|e-?mail|letter|announcement|biography|tweet|slogan|summar(?:y|ise|ize)|article|paragraph|sentences?|product description|invitation|headline)\b`)},
	{Format, regexp.MustCompile(`(?i)\b(?:ASCII|lines?|format|sort(?:ed)?|alphabetical(?:ly)?|order|upper ?case|lower ?case|separat(?:ed?|or)|pad(?:ded)?|table|columns?|characters?|aligned?|template|markdown|CSV|ISO 8601)\b`)},
}

// Of guesses the class of a task: first from the data that a judge can ask for, then from the words
// of the instruction, then from whether there is input. Only weights may depend on this guess. The
// words were chosen with the shipped exam at hand; to see how often they are right there: go test
// ./agent/judge/exam -run Classes -v.
func Of(t casefile.Task) Class {
	if len(t.DataSources) > 0 {
		return Facts
	}
	for _, s := range signs {
		if slices.ContainsFunc(t.Instruction, s.words.MatchString) {
			return s.class
		}
	}
	if slices.ContainsFunc(t.InputData, func(v json.RawMessage) bool { return len(v) > 0 }) {
		return Extraction
	}
	return Writing
}
