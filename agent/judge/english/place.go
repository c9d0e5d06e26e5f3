package english

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"ojud/casefile/ground"
	"ojud/schema/pointer"
)

// named are sentences about the value of a field: "total_cents should be 5580", "id is "a7" instead
// of "a8"". The value is a number, a date, a truth value or a quotation, because "text is rude" may
// be about anything.
var named = regexp.MustCompile(`^(?i:the )?(?i:right |correct )?(?i:value of |field )?["'` + "`" + `]?([A-Za-z][A-Za-z0-9_]{1,63})["'` + "`" + `]? ` +
	`(is|was|should be|must be|has to be) ` + exact + `(?:(,? (?:and should be|and must be|but should be|instead of|rather than)|,? (?:not|and not)) ` + exact + `)?$`)

// exact is a value that means one thing.
const exact = `(-?\d(?:[\d.,:-]{0,40}\d)?|true|false|"[^"]{1,200}"|“[^”]{1,200}”|'[^']{1,200}'|` + "`[^`]{1,200}`)"

// value is the claim about the value of a field whose name the result has at one place only.
func (r Reading) value(sentence string) (Claim, bool) {
	g := named.FindStringSubmatch(strings.TrimSpace(sentence))
	if g == nil {
		return Claim{}, false
	}
	at, many := find(r.Doc, g[1], "")
	v, err := pointer.Find(r.Doc, at)
	if many != 1 || err != nil {
		return Claim{}, false
	}
	first, ok := literal(g[3], v)
	if !ok {
		return Claim{}, false
	}
	out := ground.Ground{Pointer: at, Kind: ground.Value, Expected: first}
	states, begins := g[2] == "is" || g[2] == "was", strings.ToLower(sentence)
	switch link := strings.TrimSpace(strings.TrimPrefix(g[4], ",")); {
	case link == "": // "the total is 7" does not say what it should be
		return Claim{Ground: &out}, !states || strings.HasPrefix(begins, "the right ") || strings.HasPrefix(begins, "the correct ")
	case strings.HasSuffix(link, "not") && states, strings.HasSuffix(link, " be") && !states:
		return Claim{}, false // which of the two should be there is not clear
	}
	second, ok := literal(g[5], v)
	if !ok {
		return Claim{}, false
	}
	if out.Found = second; states { // "it is 8 instead of 7"
		out.Expected, out.Found = second, first
	}
	return Claim{Ground: &out}, true
}

// literal reads a value as one of the kind that stands at its place, in canonical JSON.
func literal(text string, at any) (json.RawMessage, bool) {
	switch at.(type) {
	case string:
		if quotes := []rune(text); strings.ContainsRune("\"“'`", quotes[0]) {
			text = string(quotes[1 : len(quotes)-1])
		} else {
			text = strings.TrimRight(text, ".,:-")
		}
		odd := func(r rune) bool { return r < ' ' || strings.ContainsRune("<>&\u2028\u2029", r) } // which are written in two ways
		raw, err := json.Marshal(text)
		return raw, err == nil && !strings.ContainsFunc(text, odd)
	case json.Number:
		const most = 1e15 // below it, a number has one form
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(n) > most {
			return nil, false
		}
		raw, err := json.Marshal(n)
		return raw, err == nil
	case bool:
		return json.RawMessage(text), text == "true" || text == "false"
	}
	return nil, false
}

// find returns a place at which a result has a field, and how many there are.
func find(doc any, name, at string) (place string, many int) {
	fields, ok := doc.(map[string]any)
	if !ok {
		list, isList := doc.([]any)
		for _, v := range list {
			if _, n := find(v, name, at); isList && n > 0 {
				return "", 2 // a field of one of several things
			}
		}
		return "", 0
	}
	for key, v := range fields {
		if key == name {
			place, many = member(at, key), many+1
			continue
		}
		inner, n := find(v, name, member(at, key))
		if many += n; n == 1 {
			place = inner
		}
	}
	return place, many
}
