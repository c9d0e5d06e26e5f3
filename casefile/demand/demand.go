// Package demand has the demands that a task can make on a value of its result, and that code
// decides without opinion (protocol section 2).
package demand

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"ojud/schema/pointer"
)

// Version is that of the rules by which package agent/judge/check makes the checks of a task. It
// grows if the outcome of a check changes (ADR 0092).
const Version = 4

// Demands are what a task demands of a value. A nil or empty field demands nothing.
type Demands struct {
	Each        *string         `json:"each,omitempty"` // the value is an array; the demands on texts and numbers are made on what stands there in each item
	Sorted      *Sorted         `json:"sorted,omitempty"`
	Unique      *Unique         `json:"unique,omitempty"`
	Set         *Set            `json:"set,omitempty"`
	Near        *Near           `json:"near,omitempty"`
	Dates       *Dates          `json:"dates,omitempty"`
	Pattern     *string         `json:"pattern,omitempty"`
	NotContains []string        `json:"not_contains,omitempty"`
	Words       *Words          `json:"words,omitempty"`
	URL         *URL            `json:"url,omitempty"`
	Language    *string         `json:"language,omitempty"`
	Parses      *string         `json:"parses,omitempty"` // the name of a grammar
	Translation *Translation    `json:"translation,omitempty"`
	Media       *Media          `json:"media,omitempty"`
	Grounded    *Grounded       `json:"grounded,omitempty"`
	Quoted      []string        `json:"quoted,omitempty"` // pointers into the result: texts that stand in the source's answer
	Pays        *Pays           `json:"pays,omitempty"`
	Has         json.RawMessage `json:"has,omitempty"` // members that the value, or an item of it, has
}

// Sorted demands that the items of an array are in order.
type Sorted struct {
	By         string `json:"by,omitempty"` // pointer into each item
	Descending bool   `json:"descending,omitempty"`
}

// Unique demands that no two items of an array are equal.
type Unique struct {
	By string `json:"by,omitempty"` // pointer into each item
}

// Set compares the items of an array with those of a list, without their order.
type Set struct {
	Relation Relation          `json:"relation"`
	By       string            `json:"by,omitempty"` // pointer into each item of the value
	Items    []json.RawMessage `json:"items,omitempty"`
	From     *string           `json:"from,omitempty"`    // pointer to an array in the task, instead of Items
	FromBy   string            `json:"from_by,omitempty"` // pointer into each item of that array
}

// Relation says how the items of a value are to those of a list.
type Relation string

// The relations of sets.
const (
	Equal    Relation = "equal"    // the same items
	Subset   Relation = "subset"   // no item that the list lacks
	Superset Relation = "superset" // each item of the list
)

// Near demands a number that differs by so much at most.
type Near struct {
	To     json.RawMessage `json:"to"`
	Within json.RawMessage `json:"within"`
}

// Dates demands a date, or a date with a time, between others.
type Dates struct {
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}

// Words bounds the number of words of a text.
type Words struct {
	Min *uint64 `json:"min,omitempty"`
	Max *uint64 `json:"max,omitempty"`
}

// URL demands the address of a page or a file.
type URL struct {
	Schemes []string `json:"schemes,omitempty"` // http and https if it is empty
	Hosts   []string `json:"hosts,omitempty"`   // one of these hosts, or a part of it
}

// Grounded demands that what the value names stands in a part of the task. With a data source, the
// value at Result is compared with the source's answer instead.
type Grounded struct {
	In   []string `json:"in,omitempty"`     // pointers into the task
	Text *string  `json:"result,omitempty"` // pointer into the result
	What []Named  `json:"what"`
}

// Named is what a text can name.
type Named string

// The kinds of things that a text names.
const (
	Numbers Named = "numbers"
	Names   Named = "names"
	Quotes  Named = "quotes"
)

// The limits of demands.
const (
	maxItems   = 256
	maxTexts   = 64
	maxText    = 1024 // bytes
	maxPattern = 256  // bytes
	maxSize    = 256  // instructions of a pattern
	maxHas     = 4096 // bytes
)

// problem is what is wrong with a field.
type problem struct{ field, text string }

// Given reports whether anything is demanded.
func (d Demands) Given() bool { return len(d.named()) > 0 }

// Decisive reports whether the demands compare a value with the right one, and not only its form
// with a rule. Garbage can have the form.
func (d Demands) Decisive(ofSource bool) bool {
	switch {
	case ofSource:
		return d.Pays != nil || len(d.Has) > 0 || d.Near != nil && d.Each == nil || d.Set != nil && d.Set.Relation == Equal
	case d.Each != nil:
		return false
	}
	return d.Near != nil || d.Set != nil && d.Set.Relation == Equal && d.Set.By == "" || d.Media != nil && d.Media.ScaledFrom != nil
}

// named lists the names of the demands that are made, without each.
func (d Demands) named() (out []string) {
	v := reflect.ValueOf(d)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name != "each" && !v.Field(i).IsZero() {
			out = append(out, name)
		}
	}
	return out
}

// All lists the names of the demands, for a person.
func All() string {
	var out []string
	for f := range reflect.TypeFor[Demands]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "each" {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// Problem says which field is wrong, and why; nothing if none is. A check of a data source may
// compare the result with the source's answer.
func (d Demands) Problem(ofSource bool) (field, text string) {
	for _, rule := range []func(Demands) *problem{
		Demands.each, Demands.sorted, Demands.set, Demands.near, Demands.dates, Demands.pattern, Demands.notContains, Demands.words, Demands.url,
		Demands.language, Demands.parses, Demands.translation, Demands.media,
		func(d Demands) *problem { return d.grounded(ofSource) },
		func(d Demands) *problem { return d.quoted(ofSource) },
		func(d Demands) *problem { return d.pays(ofSource) },
		Demands.has,
	} {
		if p := rule(d); p != nil {
			return p.field, p.text
		}
	}
	return "", ""
}

func wrong(field, format string, args ...any) *problem {
	return &problem{field, fmt.Sprintf(format, args...)}
}

// at checks a pointer.
func at(field, path string) *problem {
	if err := pointer.Validate(path); err != nil {
		return wrong(field, "%v", err)
	}
	return nil
}

func (d Demands) each() *problem {
	switch {
	case d.Each == nil:
		return nil
	case d.Near == nil && d.Dates == nil && d.Pattern == nil && d.NotContains == nil && d.Words == nil && d.URL == nil && d.Language == nil && d.Parses == nil && d.Media == nil:
		return wrong("each", "demands nothing of the items; add one of near, dates, pattern, not_contains, words, url, language, parses, media")
	}
	return at("each", *d.Each)
}

func (d Demands) sorted() *problem {
	if d.Sorted != nil {
		if p := at("sorted.by", d.Sorted.By); p != nil {
			return p
		}
	}
	if d.Unique != nil {
		return at("unique.by", d.Unique.By)
	}
	return nil
}

func (d Demands) set() *problem {
	s := d.Set
	switch {
	case s == nil:
		return nil
	case s.Relation != Equal && s.Relation != Subset && s.Relation != Superset:
		return wrong("set.relation", "is %.20q; give equal, subset or superset", string(s.Relation))
	case (s.From == nil) == (len(s.Items) == 0):
		return wrong("set", "needs either items or from, and not both")
	case len(s.Items) > maxItems:
		return wrong("set.items", "has %d items; at most %d are allowed; put the list into input_data and name it with from", len(s.Items), maxItems)
	case s.From == nil && s.FromBy != "":
		return wrong("set.from_by", "is given without from; leave it out")
	}
	if p := at("set.by", s.By); p != nil {
		return p
	}
	if p := at("set.from_by", s.FromBy); p != nil {
		return p
	}
	if s.From != nil {
		return at("set.from", *s.From)
	}
	return nil
}
