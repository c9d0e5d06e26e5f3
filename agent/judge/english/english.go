package english

import (
	"regexp"
	"strconv"
	"strings"
)

// The closed set of English that code understands. A sentence is understood as a whole or not at
// all, so that a number inside a longer thought ("it has 7 lines, if you count the title") is never
// taken for a claim.
const (
	number  = `(\d{1,6}|\d{1,3},\d{3}|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|a hundred|one hundred|a dozen)`
	counted = `(lines?|items?|entries|entry|elements?)`
	// subject names the whole result, and no part of it such as a poem or a summary.
	subject = `(?:(?:the |this |your |its |their )?(?:worker's |submitted |given |delivered )?(?:result|output|answer|response|reply|submission)|it)`
	quoted  = `(?:"([^"]{1,200})"|“([^”]{1,200})”|'([^']{1,200})'|` + "`([^`]{1,200})`)"
	proper  = `(\p{Lu}[\p{L}\d'’-]*(?: \p{Lu}[\p{L}\d'’-]*){0,3})`
)

var numberWords = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "a hundred": 100, "one hundred": 100, "a dozen": 12,
}

// sentences splits text at line ends, and after . ! ? ; but not within quotes.
func sentences(text string) []string {
	var out []string
	begin, inQuote := 0, false
	flush := func(end int) {
		if s := strings.Trim(strings.TrimSpace(text[begin:end]), ".!?; "); s != "" {
			out = append(out, s)
		}
		begin = end
	}
	for i, r := range text {
		switch {
		case r == '"' || r == '“' || r == '”':
			inQuote = !inQuote
		case r == '\n':
			inQuote = false
			flush(i)
		case !inQuote && strings.ContainsRune(".!?;", r) && (i+1 == len(text) || strings.ContainsRune(" \n\t\r", rune(text[i+1]))):
			flush(i + 1)
		}
	}
	flush(len(text))
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

// quotedText returns the text of the group that matched.
func quotedText(groups []string) string {
	for _, g := range groups {
		if g != "" {
			return g
		}
	}
	return ""
}
