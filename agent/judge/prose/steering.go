package prose

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// steers are ways to speak to a reader that is a language model: instructions, roles, marks of chat
// templates, a verdict to copy. A text with one is flagged and nothing else, because parties and
// holders may have good reasons to quote such words, and an attacker finds other words.
var steers = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(?:ignore|disregard|forget|override)\W+(?:\w+\W+){0,3}?(?:previous|prior|above|earlier|preceding|your|system)\b`,
	`\b(?:system|developer)\W+(?:prompt|message|instructions?|override)\b`,
	`\b(?:new|updated|revised)\W+(?:system\W+)?instructions?\b\W*:`,
	`\b(?:you|the judges?|judges)\W+(?:must|shall|should|have to|are (?:required|obliged|instructed|ordered) to)\W+(?:\w+\W+){0,2}?(?:accept|reject|abstain|vote|approve|rule)\b`,
	`\b(?:vote|answer|respond|reply|output)\W+(?:with\W+)?(?:only\W+)?["']?(?:accept|reject|abstain)\b`,
	`\byou are (?:now|no longer)\b`, `\b(?:jailbreak|DAN mode|developer mode)\b`,
	`<[|｜][a-z_▁ ]{2,32}[|｜]>`, `\[/?(?:INST|SYSTEM(?:_PROMPT)?|AVAILABLE_TOOLS|TOOL_RESULTS)\]`, `<</?SYS>>`, `</?(?:start|end)_of_turn>`,
	`(?:^|\n)\s*#{2,4}\s*(?:(?:instruction|system|assistant)s?\b|response\s*:)`,
	`(?:^|\n)\s*(?:system|assistant)\s*:`,
	// The same order in German, Spanish, French, Italian, Portuguese, Russian and Chinese.
	`\bignorier(?:e|en sie|t)?\W+(?:\w+\W+){0,3}?(?:bisherigen|vorherigen|obigen|alle)\b`,
	`\bignor(?:a|e|ez|ate|em|ar)\W+(?:\S+\s+){0,3}?(?:instruc\S*|consignes|istruzioni|anteriores|précédentes|precedenti)`,
	`игнорируй\S*\s+(?:\S+\s+){0,3}?(?:инструкци|указани)`, `(?:忽略|无视|忽視).{0,8}(?:指令|指示|说明|規則|规则)`,
	`\b(?:antworte|stimme|responde|vota|répond[sz]?|votez?)\W+(?:\S+\s+){0,6}?["']?(?:accept|reject|yes|no)\b`,
	// Words for the memory of a reader, which would meet them in another case.
	`\bnote (?:for|to) (?:later|future|other|all) (?:cases|judges)\b`, `\b(?:in|for) all (?:later|future) cases\b`,
}, "|"))

// copies are verdicts in JSON inside a string of JSON: bait for a model that copies.
var copies = regexp.MustCompile(`\\"(?:choice|accept|verdict|agent_id)\\"\s*:`)

// maxScanned bounds the part of a text that is searched, in bytes. An answer may have a megabyte.
const maxScanned = 128 << 10

// Steering looks for words that speak to a model. Hidden characters, escapes of JSON, letters of
// other fonts and letters that look like Latin ones do not hide them. It returns the beginning of
// the text that it found. Other words do: no list of words is complete.
func Steering(raw []byte) (quoted string, found bool) {
	raw = raw[:min(len(raw), maxScanned)]
	text := norm.NFKC.String(unescaped(raw))
	match := steers.FindString(text)
	if folded := strings.Map(latin, text); match == "" && folded != text {
		match = steers.FindString(folded)
	}
	if match == "" {
		match = string(copies.Find(raw))
	}
	return Quote(strings.TrimSpace(match)), match != ""
}

// latin returns the Latin letter that a letter of another alphabet looks like.
func latin(r rune) rune {
	const others, alike = "аеорсухіјѕһԁӏԛԝАВЕКМНОРСТУХІЈЅαορικνυτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijshdlqwABEKMHOPCTYXIJSaopikvutABEZHIKMNOPTYX"
	i := strings.IndexRune(others, r)
	if i < 0 {
		return r
	}
	return rune(alike[utf8.RuneCountInString(others[:i])])
}

// unescaped undoes the escapes of JSON and removes hidden characters.
func unescaped(raw []byte) string {
	text := string(raw)
	if strings.Contains(text, `\`) {
		text = escapes.ReplaceAllStringFunc(text, func(e string) string {
			var s string
			if json.Unmarshal([]byte(`"`+e+`"`), &s) != nil {
				return e
			}
			return s
		})
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, text)
}

var escapes = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|[bfnrt"\\/])`)
