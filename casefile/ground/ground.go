// Package ground has the typed grounds of objections and counter-objections: what a result should
// have at a place, in a form that code compares with it (protocol section 2).
package ground

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ojud/schema/pointer"
)

// Ground is one thing that is wrong with a result (in an objection), or right (in a
// counter-objection).
type Ground struct {
	Pointer  string          `json:"pointer"`            // JSON pointer into the result
	Kind     Comparison      `json:"kind"`               // what is compared
	Expected json.RawMessage `json:"expected,omitempty"` // what should be there
	Found    json.RawMessage `json:"found,omitempty"`    // what is there, as the party says
	// Counterexample is a call of a function of the program in the result, or tables for the query
	// there. Only the kind returns has it.
	Counterexample *Counterexample `json:"counterexample,omitempty"`
}

// Comparison says what a ground compares.
type Comparison string

// The kinds of grounds, with what they expect.
const (
	Value    Comparison = "value"        // any JSON
	Missing  Comparison = "missing"      // something; the ground says no more
	Extra    Comparison = "extra"        // nothing; the ground says no more
	Count    Comparison = "count"        // a number of items or members
	Lines    Comparison = "lines"        // a number of lines of a text
	Type     Comparison = "type"         // the name of a type in JSON Schema
	Contains Comparison = "contains"     // a text that stands there
	Lacks    Comparison = "not_contains" // a text that does not stand there
	Order    Comparison = "order"        // "ascending" or "descending"
	Unique   Comparison = "unique"       // different items; the ground says no more
	Returns  Comparison = "returns"      // what a call of a program returns: any JSON
)

// The directions of Order.
const (
	ascending  = "ascending"
	Descending = "descending"
)

// maxValue bounds the value of a ground, in bytes.
const maxValue = 8192

// shape of the value that a kind expects.
type shape int

const (
	nothing shape = iota
	anything
	number
	typeName
	text
	direction
)

var shapes = map[Comparison]shape{Value: anything, Missing: nothing, Extra: nothing, Count: number, Lines: number,
	Type: typeName, Contains: text, Lacks: text, Order: direction, Unique: nothing, Returns: anything}

// Kinds returns the kinds, sorted.
func Kinds() []string {
	var out []string
	for k := range maps.Keys(shapes) {
		out = append(out, string(k))
	}
	slices.Sort(out)
	return out
}

// maxGrounds bounds the grounds of a pleading.
const maxGrounds = 16

// Check says which field of a pleading's grounds is wrong, and why; nothing if none is.
func Check(grounds []Ground) (field, problem string) {
	if len(grounds) > maxGrounds {
		return "grounds", fmt.Sprintf("has %d grounds; at most %d are allowed", len(grounds), maxGrounds)
	}
	calls := 0
	for i, g := range grounds {
		if field, problem := g.problem(); problem != "" {
			return fmt.Sprintf("grounds[%d].%s", i, field), problem
		}
		if g.Counterexample != nil {
			calls++
		}
	}
	if calls > MaxCounterexamples {
		return "grounds", fmt.Sprintf("has %d counterexamples; at most %d are run", calls, MaxCounterexamples)
	}
	return "", ""
}

func (g Ground) problem() (field, problem string) {
	if err := pointer.Validate(g.Pointer); err != nil {
		return "pointer", err.Error()
	}
	wants, known := shapes[g.Kind]
	switch {
	case !known:
		return "kind", fmt.Sprintf("is %.40q; the kinds are %s", g.Kind, strings.Join(Kinds(), ", "))
	case len(g.Expected) > maxValue:
		return "expected", fmt.Sprintf("has more than %d bytes; name a smaller part of the result", maxValue)
	case len(g.Found) > maxValue:
		return "found", fmt.Sprintf("has more than %d bytes; name a smaller part of the result", maxValue)
	case g.Kind == Returns:
		if problem := g.Counterexample.problem(); problem != "" {
			return "counterexample", problem
		}
		if problem := wrongRows(g.Expected); len(g.Counterexample.Tables) > 0 && problem != "" {
			return "expected", problem
		}
	case g.Counterexample != nil:
		return "counterexample", fmt.Sprintf("is for the kind %q alone; leave it out", Returns)
	}
	return "expected", wants.refuse(g.Expected)
}

// refuse says why a value does not have this shape.
func (s shape) refuse(raw json.RawMessage) string {
	var word string
	if s >= typeName && json.Unmarshal(raw, &word) != nil {
		word = ""
	}
	switch {
	case s == nothing && len(raw) > 0:
		return "is given; leave it out, because the kind says it"
	case s == anything && len(raw) == 0:
		return "missing; say what should be there"
	case s == number:
		if n, err := strconv.ParseUint(string(raw), 10, 53); err != nil || n > 1<<53 {
			return "is no number; give one from 0 to 2^53"
		}
	case s == typeName && !slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"}, word):
		return "is no type; give string, number, integer, boolean, object, array or null"
	case s == direction && word != ascending && word != Descending:
		return fmt.Sprintf("is no order; give %q or %q", ascending, Descending)
	case s == text && word == "":
		return "is no text; give a string of at least a byte"
	}
	return ""
}

// String says what is wrong in a sentence, for people.
func (g Ground) String() string {
	place := "The result"
	if g.Pointer != "" {
		place = "At " + g.Pointer + " the result"
	}
	said := map[Comparison]string{
		Value: "should have the value %s.", Missing: "lacks something.", Extra: "has something that should not be there.", Count: "should have %s items.",
		Lines: "should have %s lines.", Type: "should be of the type %s.", Contains: "should contain %s.", Lacks: "should not contain %s.",
		Order: "should be in the order %s.", Unique: "has an item twice.", Returns: "should return %s",
	}[g.Kind]
	if strings.Contains(said, "%s") {
		said = fmt.Sprintf(said, g.Expected)
	}
	has := "has"
	if g.Kind == Returns {
		said, has = fmt.Sprintf("%s for %s.", said, g.Counterexample), "returns"
	}
	if len(g.Found) > 0 {
		said = fmt.Sprintf("%s It %s %s.", said, has, g.Found)
	}
	return place + " " + said
}

// Reason returns the words of an objection that consists of grounds alone.
func Reason(grounds []Ground) string {
	words := make([]string, len(grounds))
	for i, g := range grounds {
		words[i] = g.String()
	}
	return strings.Join(words, "\n")
}

// Literal returns JSON as it is, and other text as a string; nothing for nothing. People write
// values so.
func Literal(text string) json.RawMessage {
	if text == "" || json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return nil // a string can be written
	}
	return raw
}
