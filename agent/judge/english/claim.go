package english

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/schema/pointer"
)

// Truth says whether a claim of the creator about the result is true, if code can tell.
type Truth int

// The values of Truth.
const (
	CannotTell Truth = iota
	True
	False
)

// Facts are what claims are compared with.
type Facts struct {
	Reading
	Instruction []string // of the task
	Schema      Truth    // whether the result satisfies the schema
	Expected    Truth    // whether it passes the task's expected checks
	Proven      Proven
}

// Proven is what the task demands and code found in the result. A claim that is untrue settles its
// dispute only if code proved what the task demands there: that a result is not empty proves no
// word of what was asked for.
type Proven struct {
	Units       map[prose.Unit]bool // whose demanded count is right
	Texts       []string            // that are demanded and stand there, by prose.Squeeze
	Schema      bool                // the schema refuses some value, and not this one
	JSON, ASCII bool                // it is demanded, and so
	Places      []string            // at which checks of the task proved the value
}

// At reports whether checks of the task proved the value at a place. One of the whole result may
// have looked at a part of it.
func (p Proven) At(place string) bool {
	return slices.ContainsFunc(p.Places, func(at string) bool {
		return at == place || at != "" && strings.HasPrefix(place, at+"/")
	})
}

// claim is a form of sentences.
type claim struct {
	form *regexp.Regexp
	test func(g []string, f Facts) (Truth, string)
	// proved reports whether code proved what the task demands where the claim disputes it.
	proved func(g []string, p Proven) bool
}

func proofOfUnit(g []string, p Proven) bool     { return p.Units[unitOf(g[2])] }
func proofOfSchema(_ []string, p Proven) bool   { return p.Schema }
func proofOfExpected(_ []string, _ Proven) bool { return true } // the claim is about these checks
func proofOfNothing(_ []string, _ Proven) bool  { return false }
func proofOfJSON(_ []string, p Proven) bool     { return p.JSON || p.Schema }
func proofOfASCII(_ []string, p Proven) bool    { return p.ASCII }

func proofOfNumber(g []string, p Proven) bool { return p.At("/" + quotedText(g[:4])) }

func proofOfText(g []string, p Proven) bool {
	text := prose.Squeeze(quotedText(g))
	return slices.ContainsFunc(p.Texts, func(t string) bool { return strings.Contains(t, text) || strings.Contains(text, t) })
}

// has matches the verbs of "the result has 7 lines".
const has = `(?:has|have|had|contains|contained|consists of|is|are|was|delivers|delivered|gives|gave)`

var claims = []claim{
	{english(`^(?:` + subject + ` ` + has + `|there (?:are|is|were|was)) ` + modifier + number + ` ` + counted + `(?: long)?(?:,? (?:rather than|instead of|not|and not|but not) (?:the )?(?:required |requested |expected |demanded )?(?:exactly )?` + number + `(?: ` + counted + `)?)?(?:,? as (?:required|requested|instructed|demanded))?$`), claimCount, proofOfUnit},
	{english(`^` + subject + ` (?:does not|doesn't|did not|didn't) (?:have|contain) ` + modifier + number + ` ` + counted + `(?:,? as (?:required|requested|instructed|demanded))?$`), claimLacksCount, proofOfUnit},
	{english(`^` + subject + ` (?:(?:does not|doesn't|did not|didn't|fails to) (?:match|follow|satisfy|conform to|meet|comply with|fit|respect|adhere to)|violates|breaks|is not valid under|is not valid against|is invalid under|is invalid against) (?:the )?(?:task's )?(?:output |json |output_)?schema(?: of the task)?$`), claimSchema, proofOfSchema},
	{english(`^` + subject + ` (?:(?:does not|doesn't|fails to) (?:pass|meet|satisfy)|fails) (?:the )?(?:task's )?expected (?:checks|values|checks of the task)$`), claimExpected, proofOfExpected},
	{english(`^(?:` + subject + ` (?:is|was) (?:empty|blank|missing)|there (?:is|was) no (?:result|output|answer)|no (?:result|output|answer) was (?:delivered|submitted|given))$`), claimEmpty, proofOfNothing},
	{english(`^` + subject + ` (?:is not|isn't) (?:in )?(?:valid )?JSON$`), claimJSON, proofOfJSON},
	{english(`^` + subject + ` (?:(?:does not|doesn't|did not|didn't|never|fails to) (?:contain|mention|include)s?|lacks|omits) (?:the (?:word|words|phrase|text|name|string) )?` + quoted + `$`), claimLacksText, proofOfText},
	{regexp.MustCompile(`^(?i:` + spaced(subject+` (?:(?:does not|doesn't|did not|didn't|never|fails to) (?:mention|include)s?|omits) `) + `)` + spaced(proper) + `$`), claimLacksText, proofOfText},
	{english(`^(?:the (?:word|phrase|name|text|string) )?` + quoted + ` (?:is|was) (?:missing|absent|not (?:there|present|mentioned|included|contained))(?: (?:from|in) (?:the|this|your) (?:result|output|answer|text))?$`), claimLacksText, proofOfText},
	{english(`^(?:the )?(?:field |key |value of )?` + quoted + ` (?:is|was) (-?\d{1,15}(?:\.\d{1,9})?)(?:,? (?:instead of|rather than|and not|not|but should be|and should be|it should be)) (-?\d{1,15}(?:\.\d{1,9})?)$`), claimNumber, proofOfNumber},
	{english(`^(?:` + subject + ` (?:(?:contains|has|uses) non-ASCII(?: characters)?|(?:is not|isn't) (?:pure |only |all )?ASCII)|(?:the )?(?:field|key|property) (?:is not|isn't) ASCII)$`), claimASCII, proofOfASCII},
	{english(`^` + subject + ` (?:is|was) (?:just |only |merely )?(?:a copy of|copied from|identical to|the same as) the (?:instruction|instructions|task)$`), claimCopy, proofOfNothing},
	{english(`^(?:` + subject + ` (?:lacks|has no|misses|omits) (?:the )?(?:field|key|property) ` + quoted + `|the (?:field|key|property) ` + quoted + ` (?:is|was) missing(?: from the result)?)$`), claimField, proofOfSchema},
}

// idle matches sentences that say nothing about the result.
var idle = english(`^(?:hello|hi|dear judges?|i (?:hereby )?object(?: to (?:this|the) result)?|i (?:do not|don't|cannot|can't) accept (?:this|the|it)(?: result)?|i reject (?:this|the) result|this is not acceptable|please (?:refund|reject|give me).{0,60}|i (?:want|demand|request) (?:a|my|the) (?:refund|money|reward).{0,30}|refund(?: me)?|thank you.{0,20}|thanks|regards|sincerely)$`)

// Judge finds the form of a claim and tests it. It also reports whether code proved what the task
// demands where the claim disputes it.
func (f Facts) Judge(text string) (t Truth, found string, proved bool) {
	for _, g := range amount.FindAllStringSubmatch(text, -1) {
		if u := unitOf(g[2]); doubtful(u, numberOf(g[1]), text) {
			return CannotTell, fmt.Sprintf("%s may count something else than the text", prose.Quote(g[0])), false
		}
	}
	for _, c := range claims {
		if g := c.form.FindStringSubmatch(text); g != nil {
			t, found = c.test(g[1:], f)
			return t, found, c.proved(g[1:], f.Proven)
		}
	}
	return CannotTell, "", false
}

// Grounds returns the claims of an objection that may be about the result: its sentences, split at
// "and" if code understands every part but not the whole.
func Grounds(reason string) (out []string) {
	for _, sentence := range Sentences(reason) {
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

// clauses splits a sentence at "and" if code understands every part but not the whole.
func clauses(sentence string) []string {
	understood := func(s string) bool {
		for _, c := range claims {
			if c.form.MatchString(s) {
				return true
			}
		}
		return idle.MatchString(s)
	}
	if understood(sentence) {
		return []string{sentence}
	}
	parts := conjunction.Split(sentence, maxClauses)
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if i > 0 && !understood(p) {
			p = "it " + p // "has 7 lines and does not match the schema"
		}
		if !understood(p) {
			return []string{sentence}
		}
		parts[i] = p
	}
	return parts
}

var conjunction = english(`,? and |; `)

// claimCount tests "the result has only 7 lines rather than 10".
func claimCount(g []string, f Facts) (Truth, string) {
	u, counts, ok, known := f.compare(g)
	said := describe(u, counts)
	switch {
	case !known:
		return CannotTell, said
	case ok:
		return True, said
	}
	if g[3] != "" { // the second number is the demand
		if right, sure := (prose.Bounds{Least: numberOf(g[3]), Most: numberOf(g[3])}).Holds(counts); right && sure && (g[4] == "" || unitOf(g[4]) == u) {
			return False, said
		}
		return CannotTell, said + ", which is neither number"
	}
	if relative(g[0]) || f.Proven.Units[u] {
		return False, said
	}
	return CannotTell, said + "; what the task demands is not clear"
}

// relative reports whether a modifier compares. If it does, the creator wants the number to hold.
func relative(modifier string) bool {
	switch m := strings.Join(strings.Fields(strings.ToLower(modifier)), " "); m {
	case "", "exactly", "precisely", "only", "just":
		return false
	}
	return true
}

// claimLacksCount tests "the result does not have 10 lines".
func claimLacksCount(g []string, f Facts) (Truth, string) {
	u, counts, ok, known := f.compare(g)
	switch {
	case !known:
		return CannotTell, describe(u, counts)
	case ok:
		return False, describe(u, counts)
	}
	return True, describe(u, counts)
}

// compare counts the unit of a claim, and compares the counts with its modifier and number.
func (f Facts) compare(g []string) (u prose.Unit, counts []int, ok, known bool) {
	u = unitOf(g[2])
	counts = f.counts(u)
	b := boundsOf(g[0], numberOf(g[1]))
	b.Loose = false
	ok, known = b.Holds(counts)
	return u, counts, ok, known
}

func claimSchema(_ []string, f Facts) (Truth, string) {
	return opposite(f.Schema), "the result was compared with output_schema"
}

func claimExpected(_ []string, f Facts) (Truth, string) {
	return opposite(f.Expected), "the result was compared with the expected checks, of which those that nobody answered do not count"
}

func opposite(t Truth) Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return CannotTell
}

func claimEmpty(_ []string, f Facts) (Truth, string) {
	if f.Others > 0 || !prose.Blank(strings.Join(f.Texts, "")) {
		return False, "there is something in the result"
	}
	return CannotTell, "the result holds nothing visible"
}

func claimJSON(_ []string, f Facts) (Truth, string) {
	ok, known, found := structured(f.Reading)
	for _, s := range f.Texts { // JSON inside a text may be meant
		known = known && !strings.HasPrefix(strings.TrimSpace(s), "{") && !strings.HasPrefix(strings.TrimSpace(s), "[")
	}
	if ok && known {
		return False, found
	}
	return CannotTell, found
}

func claimLacksText(g []string, f Facts) (Truth, string) {
	t, found := f.contains(quotedText(g))
	return opposite(t), found
}

func claimASCII(_ []string, f Facts) (Truth, string) {
	if len(f.Texts) == 0 {
		return CannotTell, "there is no text in the result"
	}
	for _, s := range f.Texts {
		if place, found := prose.NotASCII(s); found {
			return True, place
		}
	}
	return False, "every text in the result is printable ASCII"
}

func claimCopy(_ []string, f Facts) (Truth, string) {
	for _, i := range f.Instruction {
		i = prose.Squeeze(i)
		for _, s := range f.squeezed {
			if s != "" && strings.Contains(i, s) || strings.Contains(s, i) {
				return CannotTell, "the result and the instruction share text"
			}
		}
	}
	if len(f.Texts) == 0 {
		return CannotTell, "there is no text in the result"
	}
	return False, "no text of the result is one of the instructions"
}

// claimNumber tests "the field "total" is 12 instead of 13".
func claimNumber(g []string, f Facts) (Truth, string) {
	fields, ok := f.Doc.(map[string]any)
	if !ok {
		return CannotTell, "the result is " + pointer.Describe(f.Doc)
	}
	name := quotedText(g[:4])
	number, ok := fields[name].(json.Number)
	if !ok {
		return CannotTell, "there is no number in a field " + prose.Quote(name)
	}
	is, err := number.Float64()
	claimed, bad := strconv.ParseFloat(g[4], 64)
	wanted, worse := strconv.ParseFloat(g[5], 64)
	found := "the field " + prose.Quote(name) + " is " + number.String()
	switch {
	case err != nil || bad != nil || worse != nil || claimed == wanted:
		return CannotTell, found
	case is == wanted:
		return False, found
	case is == claimed:
		return True, found
	}
	return CannotTell, found + ", which is neither number"
}

func claimField(g []string, f Facts) (Truth, string) {
	fields, ok := f.Doc.(map[string]any)
	if !ok {
		return CannotTell, "the result is " + pointer.Describe(f.Doc)
	}
	name := quotedText(g)
	if _, ok := fields[name]; ok {
		return False, "the field " + prose.Quote(name) + " is there"
	}
	return True, "there is no field " + prose.Quote(name)
}
