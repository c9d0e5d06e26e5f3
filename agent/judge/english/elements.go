package english

import (
	"maps"
	"slices"
	"strings"

	"ojud/agent/judge/prose"
)

// Elements returns the texts of the things that a result is made of: the items of its lists, and
// the lines of its texts. A list inside an item is a part of the item. If there is no list and no
// text of several lines, they are its texts. Members for which demanded says no do not count,
// because a worker could add them to change what is asked about.
//
// Sure says that a demand on each can mean nothing else: no second list or text is there, such as
// sources, whose items are among them and may not be meant.
func (r Reading) Elements(demanded func(path []string) bool) (out []string, sure bool) {
	many, values := 0, []string{}
	var walk func(path []string, doc any)
	walk = func(path []string, doc any) {
		if len(path) > 0 && !demanded(path) {
			return
		}
		switch v := doc.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(append(slices.Clone(path), name), v[name])
			}
		case []any:
			if len(v) > 1 {
				many++
				for _, item := range v {
					out = append(out, told(item))
				}
				return
			}
			for _, item := range v { // one item that has all of them
				walk(path, item)
			}
		case string:
			lines := slices.DeleteFunc(strings.Split(v, "\n"), prose.Blank)
			if len(lines) > 1 {
				many++
				out = append(out, lines...)
				return
			}
			values = append(values, lines...)
		}
	}
	walk(nil, r.Doc)
	if many == 0 {
		return values, true
	}
	return out, many == 1
}

var (
	every    = english(`\b(?:(?:each|every|both)\b|all (?:of )?(?:the |its |their |these |those |other )?\w+s\b|all of (?:it|them)\b|no(?:ne)? (?:of the )?(?:other )?\w+s\b)`)
	lined    = english(`\b` + number + `[ -](?:\w+ )?(lines?|items?|entries|elements?|bullet points?)\b`)
	counting = english(`\b` + number + `[ -]((?:\w+[ -]){0,2}?\w+s)\b`)
	// measures are plurals of what is measured, and not made.
	measures = english(`\b(?:words|characters|letters|sentences|paragraphs|pages|percents|seconds|minutes|hours|days|weeks|months|years|dollars|euros|cents|points|meters|metres|bytes|pixels|times|columns|spaces|digits|tokens|parts|versions)$`)
	plural   = english(`^(?:please )?(?:list|name|translate|answer|summari[sz]e|describe|check|correct|label|classify|explain|compare|rate) (?:all )?(?:the|these|those|our|my|its) (?:\w+ ){0,2}?\w+s\b` +
		`|\b(?:only|nothing but|anything but) (?:\w+ ){0,2}?\w+s\b|\bnothing else\b|\bper (?:row|line|item|entry|element|bullet)\b|\bone by one\b`)
	// appended matches anything that an instruction may ask for besides the elements.
	appended = english(`\b(?:with|plus|followed|before|after|then|besides|also|add|append|prepend|begin|start|end|finish|close|sign|signature|title[ds]?|heading|header|footer|caption|greeting|introduction|conclusion|source|sources|reference|references|note|notes)\b`)
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

// Plural reports whether a demand may be about each of several things: "ten rivers", "translate the
// segments", "only rivers". It is read more widely than Universal, so what it is about may be
// something else.
func Plural(text string) bool {
	for _, g := range counting.FindAllStringSubmatch(text, -1) {
		if numberOf(g[1]) > 1 && !measures.MatchString(g[2]) {
			return true
		}
	}
	return plural.MatchString(text)
}

// Layered reports whether one of the instructions may ask for more than the elements, such as a
// title above ten lines.
func Layered(instructions []string) bool {
	return slices.ContainsFunc(instructions, appended.MatchString)
}
