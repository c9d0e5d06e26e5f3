package judge

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"ojud/casefile"
)

// steers are ways of speaking to a reader that is a language model (notes on attacks: instructions, roles, markers of chat templates, a verdict to
// copy). A text that has one is flagged and nothing else: parties and holders may quote such words for good reasons, and who means harm
// finds others.
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

// copies are verdicts in JSON that stands inside a string of JSON: to be copied, not read.
var copies = regexp.MustCompile(`\\"(?:choice|accept|verdict|agent_id)\\"\s*:`)

// maxScanned bounds what is looked at of one text, in bytes: an answer may have a megabyte.
const maxScanned = 128 << 10

// steering looks for a text that speaks to the reader. JSON is looked at as its strings mean it, without the characters that are not seen.
func steering(raw []byte) (quoted string, found bool) {
	raw = raw[:min(len(raw), maxScanned)]
	match := steers.FindString(visible(raw))
	if match == "" {
		match = string(copies.Find(raw))
	}
	return quote(strings.TrimSpace(match)), match != ""
}

// visible undoes the escapes of JSON and leaves out hidden characters.
func visible(raw []byte) string {
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

// steered flags what speaks to the reader in the parties' papers.
func steered(b Brief) []casefile.Finding {
	var out []casefile.Finding
	for _, paper := range b.papers() {
		if said, found := steering(paper.raw); found {
			out = append(out, finding(injection+"instructions", casefile.Fail, fmt.Sprintf("the %s speaks to its reader: %s", paper.name, said), paper.name+":"))
		}
	}
	if len(out) == 0 {
		out = append(out, finding(injection+"instructions", casefile.Pass, "none in what the parties wrote"))
	}
	return out
}

// steeredBy flags what speaks to the reader, or is hidden from him, in the answers of holders.
func steeredBy(source string, answers []Answer) (out []casefile.Finding) {
	for _, a := range answers {
		evidence := "receipt:" + casefile.Digest(a.Receipt).String()
		if said, found := steering(a.Content); found {
			out = append(out, finding(injection+"data", casefile.Fail, fmt.Sprintf("%s: the answer of %s speaks to its reader: %s", source, a.Holder, said), evidence))
		}
		if n, first := conceals(a.Content); n > 0 {
			out = append(out, finding(injection+"data", casefile.Fail,
				fmt.Sprintf("%s: the answer of %s has %d hidden characters, the first %s of its canonical form", source, a.Holder, n, first), evidence))
		}
	}
	return out
}
