package english

import (
	"strings"

	"ojud/agent/judge/prose"
)

// A count may mean something else than it seems to. Then code decides nothing, because a wrong
// rejection takes a worker's pay, while an abstention costs one vote.

var (
	// people matches works whose characters are persons.
	people = english(`\b(?:story|stories|tale|fable|novel|book|play|drama|scene|sketch|screenplay|script|film|movie|show|series|cartoon|comic|anime|game|fiction|fictional|cast|roles?|protagonists?|heroe?s?|villains?|dialogue|poem|chinese|japanese|korean|special|unique|different|distinct)\b`)
	// length matches phrases that make characters letters.
	length = english(`\bcharacters? (?:long|in length)\b`)
	// strokes matches works with drawn lines, and networks that consist of lines.
	strokes = english(`\b(?:draw|drawing|paint|painting|picture|image|diagram|chart|graph|svg|figure|metro|subway|tram|bus|railway|train|product|list|name)\b`)
	// naming matches verbs that ask for single words: "list exactly 10 words with their meanings".
	naming = english(`^(?:please )?(?:(?:you|the worker|the agent) ` + duty + ` )?(?:list|name|draw)\b`)
	// appended matches anything that a sentence may ask for besides the counted text.
	appended = english(`[,:(/&+]|\b(?:and|with|plus|followed|follow|following|includ(?:e|es|ing)|contain(?:s|ing)?|before|after|then|along|together|also|too|add(?:s|ed|ing|itionally)?|additional(?:ly)?|append|prepend|begin|beginning|start|starting|end|ending|finish|close|sign|signed|signature|title[ds]?|heading|header|footer|caption|label|subject|greeting|salutation|intro|introduction|conclusion|hashtags?|links?|urls?|sources?|references?|citations?|explain|explanation|reason|rationale|translat(?:e|ion)|definitions?|meanings?|date|author|number(?:s|ed|ing)?|separate[ds]?|table|code|besides|as well|both|all|each|every|per)\b`)
	// several matches a plural between verb and count: "a list of sentences with at most 10 words"
	// counts the words of each sentence. A plural that is only the topic does not matter.
	several = english(`\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+|some|several|many|few|multiple|various|\w{2,}[^\Wsiu]s)\b`)
	topic   = english(`\b(?:about|on|regarding|describing|concerning)\b`)
)

// doubtful reports whether a count may be about persons, drawn lines or single words.
func doubtful(u prose.Unit, n int, sentence string) bool {
	switch u {
	case prose.UnitCharacters:
		return !length.MatchString(sentence) && (n < 20 || people.MatchString(sentence))
	case prose.UnitLines:
		return strokes.MatchString(sentence)
	case prose.UnitWords:
		return naming.MatchString(sentence)
	}
	return false
}

// shared reports whether the count may be for each of several things.
func shared(between string) bool {
	thing := between
	if at := topic.FindStringIndex(between); at != nil {
		thing = between[:at[0]]
	}
	return several.MatchString(thing) || appended.MatchString(between)
}

// layered reports whether the instructions may ask for more than the counted part, such as a title
// above ten lines. A count of everything then proves only that there is too little. Demands that
// code understands ask for nothing else.
func layered(instructions []string) bool {
	for _, text := range instructions {
		for _, sentence := range Sentences(text) {
			rest := sentence
			demands, _ := Understand(sentence)
			for _, d := range demands {
				rest = strings.Replace(rest, d.Text, " ", 1)
			}
			if appended.MatchString(anyQuoted.ReplaceAllString(rest, " ")) {
				return true
			}
		}
	}
	return false
}
