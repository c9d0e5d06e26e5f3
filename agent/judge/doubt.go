package judge

import (
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile"
)

// What people say may mean something else than the count that it seems to name. Where it may, code decides nothing: a wrong
// rejection takes a worker's pay, an abstention costs a vote.

var (
	// people are works in which characters are persons.
	people = english(`\b(?:story|stories|tale|fable|novel|book|play|drama|scene|sketch|screenplay|script|film|movie|show|series|cartoon|comic|anime|game|fiction|fictional|cast|roles?|protagonists?|heroe?s?|villains?|dialogue|poem|chinese|japanese|korean|special|unique|different|distinct)\b`)
	// length says that characters are letters.
	length = english(`\bcharacters? (?:long|in length)\b`)
	// strokes are works in which lines are drawn, and networks that consist of lines.
	strokes = english(`\b(?:draw|drawing|paint|painting|picture|image|diagram|chart|graph|svg|figure|metro|subway|tram|bus|railway|train|product|list|name)\b`)
	// naming are the verbs that ask for words, or what goes with them, one by one: "list exactly 10 words with their meanings".
	naming = english(`^(?:please )?(?:(?:you|the worker|the agent) ` + duty + ` )?(?:list|name|draw)\b`)
	// appended is what a sentence may ask for besides what it counts.
	appended = english(`[,:(/&+]|\b(?:and|with|plus|followed|follow|following|includ(?:e|es|ing)|contain(?:s|ing)?|before|after|then|along|together|also|too|add(?:s|ed|ing|itionally)?|additional(?:ly)?|append|prepend|begin|beginning|start|starting|end|ending|finish|close|sign|signed|signature|title[ds]?|heading|header|footer|caption|label|subject|greeting|salutation|intro|introduction|conclusion|hashtags?|links?|urls?|sources?|references?|citations?|explain|explanation|reason|rationale|translat(?:e|ion)|definitions?|meanings?|date|author|number(?:s|ed|ing)?|separate[ds]?|table|code|besides|as well|both|all|each|every|per)\b`)
	// several is a plural between verb and count: "a list of sentences with at most 10 words" counts in each of them. A plural that
	// is only the topic does not.
	several = english(`\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+|some|several|many|few|multiple|various|\w{2,}[^\Wsiu]s)\b`)
	topic   = english(`\b(?:about|on|regarding|describing|concerning)\b`)
)

// doubtful reports whether a count in a sentence may be of something else than the text: persons, strokes, words one by one.
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

// shared reports whether what stands between verb and count names several things, so that the count may be of each or of one.
func shared(between string) bool {
	thing := between
	if at := topic.FindStringIndex(between); at != nil {
		thing = between[:at[0]]
	}
	return several.MatchString(thing) || appended.MatchString(between)
}

// layered reports whether the instructions may ask for more than the part that a count is about, such as a title above ten
// lines. Then nobody can say by counting all whether that part is right, except that less than it is too little. Demands that
// are understood ask for nothing besides.
func layered(task casefile.Task) bool {
	for _, text := range task.Instruction {
		for _, sentence := range sentences(text) {
			rest := sentence
			demands, _ := understand(sentence)
			for _, d := range demands {
				rest = strings.Replace(rest, d.text, " ", 1)
			}
			if appended.MatchString(anyQuoted.ReplaceAllString(rest, " ")) {
				return true
			}
		}
	}
	return false
}
