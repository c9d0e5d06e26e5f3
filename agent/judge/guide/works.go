package guide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ojud/agent/judge/check"
	"ojud/casefile/demand"
)

// image proposes that an image shows something, if the example has one there.
func (g *guide) image(p place) {
	d := demand.Demands{Media: &demand.Media{}}
	if p.kind != "string" || len(p.values) == 0 || slices.ContainsFunc(p.values, func(v any) bool { _, err := check.Make(d, v, g.papers); return err != nil }) {
		return
	}
	g.propose(p, demand.Demands{Media: &demand.Media{NotBlank: true}}, fmt.Sprintf("%q is an image; bound its size, and name images of the input in \"not_in\"", p.name))
}

// into is how instructions ask for a translation.
var into = regexp.MustCompile(`(?i)\btranslat[a-z]*\b.{0,200}?\b(?:into|to) (\p{L}+)`)

// translation looks for texts of the input in the place of the same name.
func (g *guide) translation(p place) {
	if p.kind != "string" || !p.list || p.by != "" {
		return
	}
	for _, text := range g.task.Instruction {
		m := into.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for _, l := range g.inputs() {
			if l.name != p.name || l.by != "" || l.kind != "string" {
				continue
			}
			g.propose(p, demand.Demands{Translation: &demand.Translation{Of: l.path, To: codes()[strings.ToLower(m[1])]}},
				fmt.Sprintf("the instruction says %q; add names that stay as they are in \"keep\"", m[0]))
			return
		}
	}
}

// spoken is how instructions name a language of code. The word Go alone is a verb.
var spoken = map[string]*regexp.Regexp{
	demand.JavaScript: regexp.MustCompile(`\bJavaScript\b|\bECMAScript\b|\bNode\.js\b`),
	demand.SQL:        regexp.MustCompile(`\bSQL\b|\bSQLite\b|(?i)\bquery for SQLite\b`),
	demand.Python:     regexp.MustCompile(`\bPython\b`),
}

// named is how members with code of one language are called.
var named = map[string]*regexp.Regexp{
	demand.JavaScript: regexp.MustCompile(`(?i)^(javascript|js|.*_(javascript|js))$`),
	demand.SQL:        regexp.MustCompile(`(?i)^(sql|.*_sql)$`),
	demand.Python:     regexp.MustCompile(`(?i)^(python|py|.*_(python|py))$`),
	demand.Go:         regexp.MustCompile(`(?i)^(golang|.*_go)$`),
	demand.JSON:       regexp.MustCompile(`(?i)^(json|.*_json)$`),
}

// begun is how code begins in an example. Prose may begin so, too; then it does not parse.
var begun = map[string]*regexp.Regexp{
	demand.JavaScript: regexp.MustCompile(`(?m)^(?:export |async )*(?:function\b|const |let |var |class \w+ .*\{|import\b.*['"])`),
	demand.SQL:        regexp.MustCompile(`(?i)^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|WITH)\s`),
	demand.Python:     regexp.MustCompile(`(?m)^(?:def \w+\(.*:|class \w+.*:|import \w|from \S+ import |async def )`),
	demand.Go:         regexp.MustCompile(`(?m)^package \w+$`),
	demand.JSON:       regexp.MustCompile(`^\s*[\[{]`),
}

var (
	// goCode is how instructions ask for Go. The word alone is a verb.
	goCode = regexp.MustCompile(`\bGo (?:function|code|source)\b|\b(?:in|as) Go\b|\bGolang\b`)
	// goWord is a word that may name Go, or be a verb.
	goWord = regexp.MustCompile(`\bGo\b`)
	// goFile is how they ask for a whole file of it. A function alone is none.
	goFile = regexp.MustCompile(`\bGo (?:program|package|file)\b`)
	// codeName is how members with code are called.
	codeName = regexp.MustCompile(`(?i)^(code|source|program|script|query|.*_(code|query|script))$`)
)

// parses looks for code and JSON in texts.
func (g *guide) parses(p place) {
	if p.kind != "string" {
		return
	}
	asks := func(language string) bool {
		return slices.ContainsFunc(g.task.Instruction, func(text string) bool {
			if language == demand.Go {
				return goFile.MatchString(text) || g.shown && goCode.MatchString(text)
			}
			return spoken[language] != nil && spoken[language].MatchString(text)
		})
	}
	mentioned := 0 // without an example, it does not say which member has which of two languages
	for language := range title {
		if asks(language) || language == demand.Go && slices.ContainsFunc(g.task.Instruction, goWord.MatchString) {
			mentioned++
		}
	}
	shown := func(language string) bool {
		return len(p.values) > 0 && !slices.ContainsFunc(p.values, func(v any) bool { s, _ := v.(string); return !begun[language].MatchString(s) })
	}
	for _, language := range []string{demand.JSON, demand.Go, demand.JavaScript, demand.SQL, demand.Python} {
		d := demand.Demands{Parses: &language}
		if d.InEngine() && p.list {
			continue // such a check looks at one text
		}
		why := ""
		switch {
		case named[language].MatchString(p.name):
			why = fmt.Sprintf("%q is %s in a text", p.name, title[language])
		case codeName.MatchString(p.name) && asks(language) && (g.shown || mentioned == 1):
			why = fmt.Sprintf("the instruction asks for %s, and %q has the code; what it does is proved by tests", title[language], p.name)
		case shown(language):
			why = fmt.Sprintf("%q looks like %s; what it does is proved by tests", p.name, title[language])
		default:
			continue
		}
		g.propose(p, d, why)
	}
}

// title is how a grammar is called.
var title = map[string]string{demand.JSON: "JSON", demand.Go: "Go", demand.JavaScript: "JavaScript", demand.SQL: "SQL", demand.Python: "Python"}

// written is how instructions name the language of a text.
var written = regexp.MustCompile(`(?i)\b(?:in|into) (\p{L}+)\b`)

// fewWords is the least number of words of an example in which a language is told.
const fewWords = 15

// language proposes the language that the instruction names, for the texts of the example that are
// long enough to tell.
func (g *guide) language(p place) {
	if p.kind != "string" || len(p.values) == 0 || slices.ContainsFunc(p.values, func(v any) bool { s, _ := v.(string); return len(strings.Fields(s)) < fewWords }) {
		return
	}
	for _, text := range g.task.Instruction {
		for _, m := range written.FindAllStringSubmatch(text, -1) {
			if code, ok := codes()[strings.ToLower(m[1])]; ok {
				g.propose(p, demand.Demands{Language: &code}, fmt.Sprintf("the instruction says %q", m[0]))
				return
			}
		}
	}
}

// codes are the codes of languages by their names in English.
func codes() map[string]string {
	return map[string]string{
		"arabic": "ar", "bulgarian": "bg", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr", "german": "de",
		"greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko", "norwegian": "nb",
		"persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro", "russian": "ru", "spanish": "es", "swedish": "sv", "thai": "th", "turkish": "tr", "ukrainian": "uk",
	}
}
