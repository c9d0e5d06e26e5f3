package english

import (
	"regexp"
	"strings"
)

// named are sentences about the value of a field: "total_cents should be 5580", "id is "a7" instead
// of "a8"". The value is a number, a date or a quotation, because "text is rude" may be about
// another demand on the text.
var named = regexp.MustCompile(`^(?i:the )?(?i:right |correct )?(?i:value of |field )?["'` + "`" + `]?([A-Za-z][A-Za-z0-9_]{1,63})["'` + "`" + `]? (?i:is|should be|must be|has to be|was) ` +
	exact + `(?:,? (?i:and should be|but should be|instead of|rather than|not|and not) ` + exact + `)?$`)

// exact is a value that means one thing.
const exact = `(?:-?\d[\d.,:-]{0,40}|true|false|` + quoted + `)`

// Place returns the pointer of the field that a sentence is about: one whose name the result has at
// one place only. It is empty if the sentence is about anything else.
func Place(sentence string, doc any) string {
	g := named.FindStringSubmatch(strings.TrimSuffix(strings.TrimSpace(sentence), "."))
	if g == nil {
		return ""
	}
	at, many := find(doc, g[1], "")
	if many != 1 {
		return ""
	}
	return at
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
			place, many = at+"/"+key, many+1
			continue
		}
		inner, n := find(v, name, at+"/"+key)
		if many += n; n == 1 {
			place = inner
		}
	}
	return place, many
}
