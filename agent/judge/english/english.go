package english

import (
	"regexp"
	"strconv"
	"strings"

	"ojud/agent/judge/prose"
)

// The closed set of English that code understands. A sentence is read as a whole or from its
// beginning, so that a number inside a longer thought ("summarise the 10 lines below") is never
// taken for a demand.
const (
	number   = `(\d{1,6}|\d{1,3},\d{3}|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|a hundred|one hundred|a dozen)`
	counted  = `(lines?|words?|characters?|chars|bytes?|items?|entries|entry|elements?|bullet points?)`
	modifier = `(exactly |precisely |at least |no fewer than |no less than |not less than |a minimum of |minimum |at most |no more than |not more than |up to |a maximum of |maximum |fewer than |less than |under |below |more than |over |only |just )?`
	subject  = `(?:(?:the |this |your |its |their )?(?:worker's |submitted |given |delivered )?(?:result|output|answer|text|response|reply|list|poem|story|summary|drawing|painting|submission|work)|it)`
	duty     = `(?:should|must|shall|has to|have to|needs to|need to|is to|will)`
	making   = `(?:write|generate|produce|create|compose|give|return|make|list|provide|output|draft|deliver|submit|name|draw)`
	quoted   = `(?:"([^"]{1,200})"|“([^”]{1,200})”|'([^']{1,200})'|` + "`([^`]{1,200})`)"
	proper   = `(\p{Lu}[\p{L}\d'’-]*(?: \p{Lu}[\p{L}\d'’-]*){0,3})`
)

var numberWords = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "a hundred": 100, "one hundred": 100, "a dozen": 12,
}

// Sentences splits text at line ends, and after . ! ? ; but not within quotes.
func Sentences(prose string) []string {
	var out []string
	begin, inQuote := 0, false
	flush := func(end int) {
		if s := strings.Trim(strings.TrimSpace(prose[begin:end]), ".!?; "); s != "" {
			out = append(out, s)
		}
		begin = end
	}
	for i, r := range prose {
		switch {
		case r == '"' || r == '“' || r == '”':
			inQuote = !inQuote
		case r == '\n':
			inQuote = false
			flush(i)
		case !inQuote && strings.ContainsRune(".!?;", r) && (i+1 == len(prose) || strings.ContainsRune(" \n\t\r", rune(prose[i+1]))):
			flush(i + 1)
		}
	}
	flush(len(prose))
	return out
}

// english compiles a regular expression that ignores case. A space in it matches any white space.
func english(text string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + spaced(text)) }

func spaced(text string) string { return strings.NewReplacer(" ?", `\s*`, " ", `\s+`).Replace(text) }

// numberOf reads a number in digits or words.
func numberOf(s string) int {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if n, ok := numberWords[s]; ok {
		return n
	}
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil {
		return -1 // the pattern lets only numbers through
	}
	return n
}

func unitOf(s string) prose.Unit {
	switch s = strings.ToLower(s); {
	case strings.HasPrefix(s, "line"):
		return prose.UnitLines
	case strings.HasPrefix(s, "word"):
		return prose.UnitWords
	case strings.HasPrefix(s, "char"):
		return prose.UnitCharacters
	case strings.HasPrefix(s, "byte"):
		return prose.UnitBytes
	}
	return prose.UnitItems
}

const unbounded = 1 << 30

// boundsOf returns the bounds of a modifier and a number.
func boundsOf(modifier string, n int) prose.Bounds {
	switch m := strings.Join(strings.Fields(strings.ToLower(modifier)), " "); m {
	case "":
		return prose.Bounds{Least: n, Most: n, Loose: true}
	case "exactly", "precisely", "only", "just":
		return prose.Bounds{Least: n, Most: n}
	case "fewer than", "less than", "under", "below":
		return prose.Bounds{Most: n - 1}
	case "more than", "over":
		return prose.Bounds{Least: n + 1, Most: unbounded}
	case "at most", "no more than", "not more than", "up to", "a maximum of", "maximum":
		return prose.Bounds{Most: n}
	}
	return prose.Bounds{Least: n, Most: unbounded}
}

// quotedText returns the text of the group that matched.
func quotedText(groups []string) string {
	for _, g := range groups {
		if g != "" {
			return g
		}
	}
	return ""
}
