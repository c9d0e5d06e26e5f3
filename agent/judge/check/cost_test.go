package check_test

import (
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
)

// hostile are the most expensive values that were found for each demand, at the size of a result.
func hostile() map[string]row {
	const room = casefile.MaxDocument - 200
	list := func(item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", room/(len(item)+1)), ",") + "]"
	}
	text := func(s string) string { return `"` + strings.Repeat(s, room/len(s)) + `"` }
	var ids strings.Builder
	for i := range room / 8 {
		fmt.Fprintf(&ids, "%07d,", 1000000+i)
	}
	numbers := "[" + strings.TrimSuffix(ids.String(), ",") + "]"
	sixteen := func(s string) string { return `"` + strings.Repeat(s, (16<<10)/len(s)) + `"` }
	return map[string]row{
		"sorted":       {`"sorted":{}`, list(`"é"`), met},
		"sorted long":  {`"sorted":{}`, `[` + text("é") + `]`, met},
		"unique":       {`"unique":{}`, numbers, met},
		"unique deep":  {`"unique":{}`, list(strings.Repeat("[", 60) + strings.Repeat("]", 60)), "are the same"},
		"set":          {`"set":{"relation":"superset","from":"/input_data/0/rows"}`, numbers, "it lacks"},
		"near":         {`"each":"","near":{"to":1e308,"within":1e-300}`, "[" + strings.TrimSuffix(strings.Repeat("1e300,", 800), ",") + "]", "away from"},
		"dates":        {`"each":"","dates":{"min":"0001-01-01T00:00:00Z"}`, list(`"2026-01-31T12:00:00Z"`), met},
		"pattern":      {`"pattern":"^(?:[ab]?){100}$"`, sixteen("a"), "match"},
		"pattern each": {`"each":"","pattern":"(a|aa|aaa|aaaa)*$"`, "[" + strings.TrimSuffix(strings.Repeat(`"aaaaaaaa",`, 2048), ",") + "]", met},
		"not_contains": {`"not_contains":["` + strings.Repeat("a", 1000) + `b"]`, text("a"), met},
		"normal forms": {`"not_contains":["b"]`, text("ﷺ"), met},
		"marks":        {`"not_contains":["b"]`, `"a` + strings.Repeat("\u0301\u0316", room/4) + `"`, met},
		"words":        {`"words":{"min":1}`, text("a "), met},
		"url":          {`"each":"","url":{}`, list(`"http://a.b"`), met},
		"numbers":      {`"grounded":{"in":["/input_data"],"what":["numbers"]}`, text("7,777"), "does not stand"},
		"many numbers": {`"grounded":{"in":["/input_data"],"what":["numbers"]}`, text("18 "), unknown},
		"names":        {`"grounded":{"in":["/input_data"],"what":["names"]}`, text("x Maria "), unknown},
		"quotes":       {`"grounded":{"in":["/input_data"],"what":["quotes"]}`, text("«we will sail» "), unknown},
		"cut quote":    {`"grounded":{"in":["/input_data"],"what":["quotes"]}`, `"«we will sail` + strings.Repeat("...a", room/5) + `»"`, "does not stand"},
		"has":          {`"has":{"a":{"b":{"c":1}}}`, list(`{"a":{"b":{"c":2}}}`), "none of"},
	}
}

// TestHostileValues: the most expensive values have an answer, too.
func TestHostileValues(t *testing.T) {
	for name, r := range hostile() {
		t.Run(name, func(t *testing.T) {
			found, err := made(t, `{"path":"/v",`+r.demand+`}`, `{"v":`+r.v+`}`, "")
			say(t, r.demand, r.want, found, err)
		})
	}
}

// BenchmarkDemand measures each demand on its most expensive value, with the reading of the
// documents. It should stay below 200 ms.
func BenchmarkDemand(b *testing.B) {
	for name, r := range hostile() {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				if _, err := made(b, `{"path":"/v",`+r.demand+`}`, `{"v":`+r.v+`}`, ""); err == nil && r.want != met {
					b.Fatal("it is met")
				}
			}
		})
	}
}
