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

var (
	// goCode is how instructions ask for Go. The word alone is a verb.
	goCode = regexp.MustCompile(`\bGo (?:function|code|source)\b|\b(?:in|as) Go\b|\bGolang\b`)
	// goFile is how they ask for a whole file of it. A function alone is none.
	goFile = regexp.MustCompile(`\bGo (?:program|package|file)\b`)
	// codeName is how members with code are called.
	codeName = regexp.MustCompile(`(?i)^(code|source|program|script|.*_code)$`)
	// jsonName is how members with JSON in a text are called.
	jsonName = regexp.MustCompile(`(?i)^(json|.*_json)$`)
)

// parses looks for code and JSON in texts.
func (g *guide) parses(p place) {
	if p.kind != "string" {
		return
	}
	goes := func(text string) bool { return goFile.MatchString(text) || g.shown && goCode.MatchString(text) }
	for _, c := range []struct {
		code string
		fits bool
		why  string
	}{
		{demand.JSON, jsonName.MatchString(p.name), fmt.Sprintf("%q is JSON in a text", p.name)},
		{demand.Go, codeName.MatchString(p.name) && slices.ContainsFunc(g.task.Instruction, goes), fmt.Sprintf("the instruction asks for Go, and %q has the code; what it does is proved by tests", p.name)},
	} {
		if c.fits {
			g.propose(p, demand.Demands{Parses: &c.code}, c.why)
		}
	}
}

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
