package english

import (
	"encoding/json"
	"fmt"
	"strings"

	"ojud/agent/judge/prose"
)

// Reading is a result in the form that demands and claims are compared with.
type Reading struct {
	Doc    any // as package schema decodes it
	Texts  []string
	Lists  [][]any
	Others int // numbers and booleans

	squeezed []string // the texts, by prose.Squeeze
	counted  map[prose.Unit][]int
	layered  bool // the task may ask for more than the counted text
}

// Read reads a result for the instructions of its task. It counts everything once, because a task
// may ask for a count hundreds of times.
func Read(doc any, instructions []string) Reading {
	r := Reading{Doc: doc, counted: map[prose.Unit][]int{}, layered: layered(instructions)}
	r.add(doc)
	for _, s := range r.Texts {
		r.squeezed = append(r.squeezed, prose.Squeeze(s))
	}
	for _, u := range []prose.Unit{prose.UnitLines, prose.UnitWords, prose.UnitCharacters, prose.UnitBytes, prose.UnitItems} {
		r.counted[u] = r.count(u)
	}
	return r
}

// measure returns the counts of a unit, one for each way that people count it, in the one part of
// the result that can be meant. It returns nil if several parts can be meant.
func (r Reading) measure(u prose.Unit) []int { return r.counted[u] }

// counts counts a unit. It returns nil if the count would not be about the part that is meant.
func (r Reading) counts(u prose.Unit) []int {
	if r.layered && u != prose.UnitItems {
		return nil
	}
	return r.measure(u)
}

func (r *Reading) add(doc any) {
	switch v := doc.(type) {
	case string:
		r.Texts = append(r.Texts, v)
	case []any:
		r.Lists = append(r.Lists, v)
		for _, item := range v {
			r.add(item)
		}
	case map[string]any:
		for _, item := range v {
			r.add(item)
		}
	case nil:
	default:
		r.Others++
	}
}

func (r Reading) count(u prose.Unit) []int {
	switch {
	case u == prose.UnitItems && len(r.Lists) == 1:
		return []int{len(r.Lists[0]), filled(r.Lists[0])}
	case u == prose.UnitItems:
		return nil
	case len(r.Texts) == 1 && len(r.Lists) == 0:
		return prose.Count(u, r.Texts[0])
	case u == prose.UnitLines && len(r.Lists) == 1 && len(r.Texts) == len(r.Lists[0]):
		// If there is one list of strings and no other text, its items are the lines, unless they
		// have lines themselves.
		all := 0
		for _, s := range r.Texts {
			all += prose.Lines(s)
		}
		return []int{len(r.Texts), filled(r.Lists[0]), all}
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
func (r Reading) contains(text string) (Truth, string) {
	text = prose.Squeeze(text)
	partly := false
	for _, s := range r.squeezed {
		whole, part := prose.Occurs(s, text)
		if whole {
			return True, "the result contains " + prose.Quote(text)
		}
		partly = partly || part
	}
	if partly || elsewhere(r.Doc, text) {
		return CannotTell, fmt.Sprintf("%s stands in the result only inside something else", prose.Quote(text))
	}
	return False, "the result does not contain " + prose.Quote(text)
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

// Elements returns the texts of the things that the result is made of, if it is plain which these
// are: the items of its only list, or the lines of its only text.
func (r Reading) Elements() (out []string) {
	switch {
	case len(r.Lists) == 1:
		for _, item := range r.Lists[0] {
			out = append(out, told(item))
		}
	case len(r.Lists) == 0 && len(r.Texts) == 1 && !r.layered:
		for line := range strings.SplitSeq(r.Texts[0], "\n") {
			if !prose.Blank(line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// told returns an item as text.
func told(item any) string {
	if s, ok := item.(string); ok {
		return s
	}
	raw, err := json.Marshal(item)
	if err != nil {
		return fmt.Sprint(item)
	}
	return string(raw)
}

// Several reports whether a result is made of several things.
func (r Reading) Several() bool {
	return len(r.Texts)+r.Others > 1 || len(r.Texts) == 1 && strings.Contains(strings.TrimSpace(r.Texts[0]), "\n")
}

var (
	every = english(`\b(?:(?:each|every|both)\b|all (?:of )?(?:the |its |their |these |those |other )?\w+s\b|all of (?:it|them)\b|no(?:ne)? (?:of the )?(?:other )?\w+s\b)`)
	lined = english(`\b` + number + `[ -](?:\w+ )?(lines?|items?|entries|elements?|bullet points?)\b`)
)

// Universal reports whether a demand is about each of several things: "ten lines about owls",
// "every id of the input".
func Universal(text string) bool {
	if every.MatchString(text) {
		return true
	}
	for _, g := range lined.FindAllStringSubmatch(text, -1) {
		if numberOf(g[1]) > 1 {
			return true
		}
	}
	return false
}
