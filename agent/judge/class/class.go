// Package class sorts tasks into a few kinds of work, because a judge is not equally good at all of them: personas weigh classes
// (agent/judge/persona), the exam reports them one by one (agent/judge/exam).
//
// What a caller must do: nothing. Of reads a task that package casefile has validated.
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
	Extraction Class = "extraction" // take what is asked for out of the input, into fields
	Code       Class = "code"       // write or change something that a machine runs
	Arithmetic Class = "arithmetic" // compute from numbers and tables
	Format     Class = "format"     // keep to a form: lines, ASCII, order, separators
	Facts      Class = "facts"      // what is so in the world, as a data source tells
	Writing    Class = "writing"    // prose for somebody, within bounds
)

// All are the classes in the order of the list above.
func All() []Class { return []Class{Extraction, Code, Arithmetic, Format, Facts, Writing} }

// Known reports whether it is one of All.
func (c Class) Known() bool { return slices.Contains(All(), c) }

// signs are words by which a task shows its class; the first class with a sign counts.
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

// Of guesses the class of a task: by what a judge can ask for, then by the words of the instruction, then by whether there is input.
// It is a guess; nothing but weights may depend on it. How often it finds the class of the shipped exam, with which in hand the words were
// chosen: go test ./agent/judge/exam -run Classes -v.
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
