package english

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile/ground"
	"ojud/schema/pointer"
)

// Truth says whether something is true, if code can tell.
type Truth int

// The values of Truth.
const (
	CannotTell Truth = iota
	True
	False
)

// Claim is what a sentence says is wrong with a result. One of its fields is set.
type Claim struct {
	Schema   bool           // it does not satisfy the schema
	Expected bool           // it does not pass the expected checks
	Lacks    string         // it does not contain this text
	Ground   *ground.Ground // it should have something else at a place
}

// The forms of a claim that are not about a place.
var (
	claimSchema   = english(`^` + subject + ` (?:(?:does not|doesn't|did not|didn't|fails to) (?:match|follow|satisfy|conform to|meet|comply with|fit|respect|adhere to)|violates|breaks|is not valid under|is not valid against|is invalid under|is invalid against) (?:the )?(?:task's )?(?:output |json |output_)?schema(?: of the task)?$`)
	claimExpected = english(`^` + subject + ` (?:(?:does not|doesn't|fails to) (?:pass|meet|satisfy)|fails) (?:the )?(?:task's )?expected checks(?: of the task)?$`)
	claimLacks    = english(`^` + subject + ` (?:(?:does not|doesn't|did not|didn't|fails to) (?:contain|mention|include)|lacks|omits) (?:the (?:word|words|phrase|text|name|string) )?` + quoted + `$`)
	claimOmits    = regexp.MustCompile(`^(?i:` + spaced(subject+` (?:(?:does not|doesn't|did not|didn't|fails to) (?:mention|include)|omits) `) + `)` + spaced(proper) + `$`)
	claimGone     = english(`^(?:the (?:word|phrase|name|text|string) )?` + quoted + ` (?:is|was) (?:missing|absent|not (?:there|present|mentioned|included|contained))(?: (?:from|in) (?:the|this|your) (?:result|output|answer))?$`)
)

// The forms of a claim about a place.
var (
	claimField = english(`^(?:` + subject + ` (?:lacks|has no|misses|omits) (?:the )?(?:field|key|property) ` + quoted + `|the (?:field|key|property) ` + quoted + ` (?:is|was) missing(?: from the result)?)$`)
	claimCount = english(`^(?:` + subject + ` (?:has|had|contains|contained|consists of)|there (?:are|is|were|was)) (?:exactly |only |just )?` + number + ` ` + counted +
		`,? (?:rather than|instead of|not|and not|but not) (?:the )?(?:required |requested |expected |demanded )?(?:exactly )?` + number + `(?: ` + counted + `)?$`)
	claimFewer = english(`^` + subject + ` (?:does not|doesn't|did not|didn't) (?:have|contain) (?:exactly )?()` + number + ` ` + counted + `$`)
)

// idle matches sentences that say nothing about the result, word for word.
var idle = english(`^(?:hello|hi|dear judges?|i (?:hereby )?object(?: to (?:this|the) result)?|please refund me|refund me|thank you|thanks|regards|sincerely)$`)

// Claim returns what a sentence says is wrong with the result, if code understands all of it.
func (r Reading) Claim(sentence string) (Claim, bool) {
	for _, form := range []*regexp.Regexp{claimLacks, claimOmits, claimGone} {
		if g := form.FindStringSubmatch(sentence); g != nil {
			return Claim{Lacks: quotedText(g[1:])}, true
		}
	}
	switch {
	case claimSchema.MatchString(sentence):
		return Claim{Schema: true}, true
	case claimExpected.MatchString(sentence):
		return Claim{Expected: true}, true
	}
	if g := claimField.FindStringSubmatch(sentence); g != nil {
		return Claim{Ground: &ground.Ground{Pointer: member("", quotedText(g[1:])), Kind: ground.Missing}}, true
	}
	for _, form := range []*regexp.Regexp{claimCount, claimFewer} {
		if g := form.FindStringSubmatch(sentence); g != nil {
			return r.count(g[1:])
		}
	}
	return r.value(sentence)
}

// count is the claim about a number of lines or items, if the result has one part with such a
// number.
func (r Reading) count(g []string) (Claim, bool) {
	found, unit, wanted, again := g[0], g[1], g[2], ""
	if len(g) == 3 { // "it does not have 10 lines"
		wanted, unit = g[1], g[2]
	} else {
		again = g[3]
	}
	lines := isLines(unit)
	if again != "" && isLines(again) != lines {
		return Claim{}, false
	}
	out := ground.Ground{Kind: ground.Count, Expected: json.RawMessage(fmt.Sprint(numberOf(wanted)))}
	if found != "" {
		out.Found = json.RawMessage(fmt.Sprint(numberOf(found)))
	}
	switch {
	case len(r.Lists) == 1 && (!lines || r.lined()):
		out.Pointer = r.listAt[0]
	case lines && len(r.Lists) == 0 && len(r.Texts) == 1 && alike(prose.Count(prose.UnitLines, r.Texts[0])):
		out.Pointer, out.Kind = r.TextAt[0], ground.Lines
	default:
		return Claim{}, false
	}
	return Claim{Ground: &out}, true
}

func isLines(unit string) bool { return strings.HasPrefix(strings.ToLower(unit), "line") }

// lined reports whether the only list consists of lines, and there is no other text.
func (r Reading) lined() bool {
	for _, item := range r.Lists[0] {
		if s, ok := item.(string); !ok || prose.Blank(s) || prose.Lines(s) != 1 {
			return false
		}
	}
	return len(r.Texts) == len(r.Lists[0])
}

// alike reports whether all ways to count give the same number.
func alike(counts []int) bool {
	for _, n := range counts {
		if n != counts[0] {
			return false
		}
	}
	return true
}

// Contains says whether a string of the result contains a text as whole words. It ignores case and
// the kind of white space. If the text stands only inside a longer word ("owl" in "fowl"), code
// does not decide.
func (r Reading) Contains(text string) Truth {
	text = prose.Squeeze(prose.Normal(text))
	partly := false
	for _, s := range r.Texts {
		whole, part := prose.Occurs(prose.Squeeze(prose.Normal(s)), text)
		if whole {
			return True
		}
		partly = partly || part
	}
	if partly {
		return CannotTell
	}
	return False
}

// Grounds returns the claims of an objection that may be about the result: its sentences, split at
// "and" if code understands every part but not the whole.
func Grounds(reason string) (out []string) {
	for _, sentence := range sentences(reason) {
		for _, part := range clauses(sentence) {
			if !idle.MatchString(part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// maxClauses bounds the parts of one sentence.
const maxClauses = 16

var conjunction = english(`,? and |; `)

// clauses splits a sentence at "and" if every part is a claim or idle, and the whole is not.
func clauses(sentence string) []string {
	understood := func(s string) bool {
		for _, form := range []*regexp.Regexp{claimSchema, claimExpected, claimLacks, claimOmits, claimGone, claimField, claimCount, claimFewer, named, idle} {
			if form.MatchString(s) {
				return true
			}
		}
		return false
	}
	if understood(sentence) {
		return []string{sentence}
	}
	parts := conjunction.Split(sentence, maxClauses)
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if i > 0 && !understood(p) {
			p = "it " + p // "has 7 lines rather than 10 and does not match the schema"
		}
		if !understood(p) {
			return []string{sentence}
		}
		parts[i] = p
	}
	return parts
}

// member returns the pointer of a member of an object.
func member(at, name string) string { return string(pointer.Append([]byte(at), name)) }
