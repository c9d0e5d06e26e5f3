package english

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ojud/agent/judge/prose"
)

// Demand is a demand of a sentence on the result.
type Demand struct {
	Text string // the words that were understood
	// Test compares a result with the demand. If code cannot tell, known is false.
	Test func(r Reading) (ok, known bool, found string)
	Unit prose.Unit // of a count; else empty
	Says string     // the text that it wants, by prose.Squeeze; else empty
	JSON bool       // it wants JSON
}

// Prove adds a demand that the result meets.
func (p *Proven) Prove(d Demand) {
	if d.Unit != "" {
		p.Units[d.Unit] = true
	}
	if d.Says != "" {
		p.Texts = append(p.Texts, d.Says)
	}
	p.JSON = p.JSON || d.JSON
}

// The forms of a demand. Each has the groups modifier, number and unit.
var (
	polite     = `^(?:please )?(?:(?:you|the worker|the agent) ` + duty + ` )?`
	demandMake = english(polite + making + `(?: me| us)? (?:an? (?:list|text|poem|summary|answer|story|essay|article|paragraph|response|report|description|tweet|post) (?:of|with|in|containing|that has|having) )?` + modifier + number + ` ` + counted + `\b`)
	demandBe   = english(`^` + subject + `(?: text| field)? ` + duty + ` (?:be|have|contain|consist of|include|comprise) ` + modifier + number + ` ` + counted + `(?: long| in length)?\b`)
	demandKeep = english(polite + `(?:use|keep it to|keep it|limit it to|limit the (?:result|answer|text|output) to|in|with|within)? ?(exactly |at least |no fewer than |no less than |a minimum of |at most |no more than |up to |a maximum of |under |below |fewer than |less than |more than )` + number + ` ` + counted + `(?: long| in length)?$`)
	demandLong = english(polite + making + `(?: me| us)? (?:an? |the )?()` + number + `-(line|word|item|character)\b`)
	demandEnd  = english(polite + making + `(?: me| us)? (?:an?|the|one)\b([^.]*?) (?:in|using|with) (exactly |at least |at most |no more than |up to |fewer than |less than )` + number + ` ` + counted + `$`)

	demandJSON    = english(`\b(?:as|in) (?:valid )?JSON(?: format)?\b`)
	demandContain = english(`^(?:` + subject + ` ` + duty + ` |` + `(?:please )?(?:you ` + duty + ` )?)(?:contain|mention|include)s? (?:the (?:word|words|phrase|text|name|string) )?` + quoted)
	demandNever   = english(`^(?:` + subject + ` (?:must|should|shall|may) not|do not|don't|never) (?:contain|mention|include) (?:the (?:word|words|phrase|text|name|string) )?` + quoted)
	demandName    = regexp.MustCompile(`^(?:(?i:` + spaced(subject+` `+duty+` `) + `)|(?i:please\s+)?)(?i:mention|include)\s+` + spaced(proper) + `$`)

	// unsure matches sentences whose number or text may mean something else: conditions, choices,
	// ranges, limits after the number, and parts of the result.
	unsure = english(`\b(?:each|every|per|respectively|or|either|unless|if|except|approximately|approx|roughly|around|circa|ideally|preferably|maybe|optional|optionally|not|don't|never|between|then|plus|max|maximum|min|minimum|tops|another|extra|additional|for|first|last|beginning|start|end|top|bottom|title|header|heading|introduction|intro|conclusion|paragraphs?|sections?|chapters?|stanzas?|verses?|columns?|pages?) ?\b|\b` +
		counted + ` (?:at most|at least|limit)\b|\b\d+ ?(?:-|–|to) ?\d+\b|\b(?:and|with) (?:exactly |at least |at most )?` + number + `\b`)
	// explicit matches limits before the number, which code understands.
	explicit = english(`\b(?:a )?(?:maximum|minimum)(?: of)? ` + number + `\b`)
	// amount finds each number with a unit.
	amount    = english(`\b` + number + `[ -]` + counted + `\b`)
	anyQuoted = regexp.MustCompile(quoted)
	// neutral matches words that demand nothing by themselves.
	neutral = english(`^(?:please|you|the|worker|agent|should|must|shall|has|have|to|need|needs|is|will|be|a|an|of|in|with|and|me|us|it|result|output|answer|text|response|reply|list|write|generate|produce|create|give|return|make|provide|deliver|submit|contain|contains|include|mention|use|keep|limit|long|length|format|valid|word|phrase|name|string|your|its|as)$`)
)

// Understand returns the demands that code understands, and whether the sentence says no more.
func Understand(sentence string) (demands []Demand, whole bool) {
	rest := sentence
	take := func(re *regexp.Regexp, build func(groups []string) Demand) bool {
		at := re.FindStringSubmatchIndex(rest)
		if at == nil {
			return false
		}
		groups := re.FindStringSubmatch(rest)
		d := build(groups[1:])
		d.Text = strings.TrimSpace(groups[0])
		demands = append(demands, d)
		rest = rest[:at[0]] + " " + rest[at[1]:]
		return true
	}
	never := take(demandNever, func(g []string) Demand { return containing(quotedText(g), false) })
	if plain := anyQuoted.ReplaceAllString(rest, ""); unsure.MatchString(explicit.ReplaceAllString(plain, "")) || len(amount.FindAllString(plain, 2)) > 1 {
		return nil, false
	}
	if never {
		return demands, onlyNeutral(rest)
	}
	take(demandContain, func(g []string) Demand { return containing(quotedText(g), true) })
	take(demandName, func(g []string) Demand { return mentioning(g[0]) })
	take(demandJSON, func([]string) Demand { return Demand{Test: structured, JSON: true} })
	for _, re := range []*regexp.Regexp{demandMake, demandBe, demandKeep, demandLong} {
		if g := re.FindStringSubmatch(rest); g != nil && doubtful(unitOf(g[3]), numberOf(g[2]), sentence) {
			return nil, false
		}
		if take(re, counting) {
			return demands, onlyNeutral(rest)
		}
	}
	if g := demandEnd.FindStringSubmatch(rest); g == nil || shared(g[1]) || doubtful(unitOf(g[4]), numberOf(g[3]), sentence) {
		return demands, g == nil && onlyNeutral(rest)
	}
	take(demandEnd, func(g []string) Demand { return counting(g[1:]) })
	return demands, false // there are more words between verb and number
}

// onlyNeutral reports whether no word is left that could demand something.
func onlyNeutral(rest string) bool {
	words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t\r\n,:()", r) })
	return !slices.ContainsFunc(words, func(word string) bool { return !neutral.MatchString(word) })
}

// counting returns the demand for a number of a unit.
func counting(groups []string) Demand {
	b, u := boundsOf(groups[0], numberOf(groups[1])), unitOf(groups[2])
	return Demand{Unit: u, Test: func(r Reading) (bool, bool, string) {
		counts := r.counts(u)
		if few := r.measure(u); counts == nil && b.Missed(few) {
			counts = few // too few in any case
		}
		ok, known := b.Holds(counts)
		return ok, known, describe(u, counts)
	}}
}

func describe(u prose.Unit, counts []int) string {
	if len(counts) == 0 {
		return fmt.Sprintf("it is not clear in which part of the result the %s are to be counted", u)
	}
	for _, n := range counts {
		if n != counts[0] {
			return fmt.Sprintf("the %s can be counted as %v", u, counts)
		}
	}
	return fmt.Sprintf("the result has %d %s", counts[0], u)
}

// containing returns the demand that the result contains a text, or that it does not.
func containing(text string, wanted bool) Demand {
	says := ""
	if wanted {
		says = prose.Squeeze(text)
	}
	return Demand{Says: says, Test: func(r Reading) (bool, bool, string) {
		t, found := r.contains(text)
		return (t == True) == wanted, t != CannotTell, found
	}}
}

// mentioning returns the demand for a name. If the name is missing, that proves nothing, because
// not every capitalized word is a name ("Include References").
func mentioning(name string) Demand {
	return Demand{Says: prose.Squeeze(name), Test: func(r Reading) (bool, bool, string) {
		t, found := r.contains(name)
		return t == True, t == True, found
	}}
}

// structured is the demand for JSON. A single string may have been meant to contain JSON.
func structured(r Reading) (bool, bool, string) {
	switch r.Doc.(type) {
	case map[string]any, []any:
		return true, true, "the result is JSON"
	}
	return false, false, "the result is a single value; whether that is what was meant is not clear"
}
