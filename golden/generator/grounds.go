package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/casefile/ground"
)

// claimed returns what an objection says of the result, as a typed ground.
func claimed(d *dice, t twins, given int, about Plea) ground.Ground {
	mine, theirs := leaves("", t.sides[given].result), leaves("", t.sides[1-given].result)
	var apart, alike []string
	for _, at := range slices.Sorted(maps.Keys(mine)) {
		if bytes.Equal(mine[at], theirs[at]) {
			alike = append(alike, at)
		} else if theirs[at] != nil {
			apart = append(apart, at)
		}
	}
	if about == Decisive || about == Vague {
		for _, at := range apart {
			if strings.HasSuffix(at, "/"+t.topic) {
				return ground.Ground{Pointer: at, Kind: ground.Value, Expected: theirs[at], Found: mine[at]}
			}
		}
		if len(apart) == 0 { // one is longer
			n, m := json.RawMessage(fmt.Sprint(long(t.sides[1-given], t.topic))), json.RawMessage(fmt.Sprint(long(t.sides[given], t.topic)))
			return ground.Ground{Pointer: "/" + t.topic, Kind: ground.Count, Expected: n, Found: m}
		}
		at := pick(d, apart...)
		return ground.Ground{Pointer: at, Kind: ground.Value, Expected: theirs[at], Found: mine[at]}
	}
	g := ground.Ground{Kind: ground.Count}
	is := json.RawMessage(fmt.Sprint(len(t.sides[given].result)))
	if len(alike) > 0 {
		g.Pointer, g.Kind = pick(d, alike...), ground.Value
		is = mine[g.Pointer]
	}
	if other := differing(d, is); about == Present {
		g.Expected, g.Found = other, is
	} else {
		g.Expected, g.Found = is, other
	}
	return g
}

// long is how many items a list of a right result has.
func long(s side, field string) int {
	var list []json.RawMessage
	if json.Unmarshal(quoteAny(s.result[field]), &list) != nil {
		return 0
	}
	return len(list)
}

// leaves returns the values of a result that are no objects and no long lists, by pointer.
func leaves(at string, v any) map[string]json.RawMessage {
	const long = 1500 // bytes
	out := map[string]json.RawMessage{}
	raw := quoteAny(v)
	var fields map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case json.Unmarshal(raw, &fields) == nil:
		for name, v := range fields {
			maps.Copy(out, leaves(at+"/"+name, v))
		}
	case len(raw) > long && json.Unmarshal(raw, &list) == nil:
		for i, v := range list {
			maps.Copy(out, leaves(fmt.Sprintf("%s/%d", at, i), v))
		}
	default:
		out[at] = raw
	}
	return out
}

// differing returns a value that looks like one, and is another.
func differing(d *dice, raw json.RawMessage) json.RawMessage {
	var n int
	if json.Unmarshal(raw, &n) == nil {
		return json.RawMessage(fmt.Sprint(max(0, n+pick(d, -1, 1, 10)) + map[bool]int{true: 2}[n == 0]))
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 1 {
		at := d.below(len(list))
		out, err := json.Marshal(slices.Delete(list, at, at+1))
		if err == nil {
			return out
		}
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && len(text) > 3 {
		if at := strings.LastIndexAny(text, "0123456789"); at >= 0 {
			digit := (text[at]-'0'+byte(d.from(1, 8)))%10 + '0'
			return quote(text[:at] + string(rune(digit)) + text[at+1:])
		}
		return quote(d.person())
	}
	return quote("none")
}

func quote(text string) json.RawMessage {
	raw, err := canonical(text)
	if err != nil {
		panic(err) // texts of templates
	}
	return raw
}

// pleaded is what an objection says in words. What is said of the twins' difference and of other
// things is worded alike.
func pleaded(d *dice, t twins, given int, about Plea, g ground.Ground) string {
	if about == Vague {
		for {
			if text := objection(d, t, given); !strings.Contains(text, t.sides[1-given].claim) && !strings.Contains(text, t.sides[1-given].reason) {
				return text
			}
		}
	}
	name := strings.TrimPrefix(strings.ReplaceAll(g.Pointer, "/", " "), " ")
	if g.Pointer == "" {
		name = "the number of fields"
	} else if at := strings.LastIndex(g.Pointer, "/"); at >= 0 {
		name = g.Pointer[at+1:]
	}
	var said string
	if g.Expected != nil {
		said = fill(d.spin("{$1 should be $2|$1 must be $2|$1 is $3, and should be $2|$1 has to be $2|the right $1 is $2|$1 should be $2, not $3|$1 is $3 instead of $2}"), name, plainly(g.Expected), plainly(g.Found))
	} else {
		said = fill(d.spin("{$1 is $2|I find that $1 is $2|$1 is $2, and I did not expect that|the result has $2 as $1|$1 is given as $2|so $1 is $2, according to the result|$1 is $2 there}"), name, plainly(g.Found))
	}
	parts := []string{said}
	if d.chance(30) {
		parts = append(parts, d.spin("{I went through it line by line|I did it again myself|a colleague did it again|we compared it with our own figures|I have read it twice|please check it|one error is enough}"))
	}
	return manner(d)(parts)
}

// plainly writes a value as people do.
func plainly(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
