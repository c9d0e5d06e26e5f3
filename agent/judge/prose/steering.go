package prose

import (
	"encoding/json"
	"regexp"
	"strings"
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
	`<\|[a-z_]{2,24}\|>`, `\[/?INST\]`, `<</?SYS>>`, `(?:^|\n)\s*#{2,4}\s*(?:instruction|system|assistant)s?\b`,
	`(?:^|\n)\s*(?:system|assistant)\s*:`,
}, "|"))

// copies are verdicts in JSON inside a string of JSON: bait for a model that copies.
var copies = regexp.MustCompile(`\\"(?:choice|accept|verdict|agent_id)\\"\s*:`)

// maxScanned bounds the part of a text that is searched, in bytes. An answer may have a megabyte.
const maxScanned = 128 << 10

// Steering looks for words that speak to a model. Hidden characters and escapes of JSON do not hide
// them. It returns the beginning of the text that it found.
func Steering(raw []byte) (quoted string, found bool) {
	raw = raw[:min(len(raw), maxScanned)]
	match := steers.FindString(unescaped(raw))
	if match == "" {
		match = string(copies.Find(raw))
	}
	return Quote(strings.TrimSpace(match)), match != ""
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
