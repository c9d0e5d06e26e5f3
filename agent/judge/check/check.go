// Package check makes the checks of a task that code decides, on the result or on the answer of a
// source. Among them are its demands on a value: order, sets, numbers, dates, texts, and whether
// everything that a text names stands in its source.
//
// A demand is met, not met, or code cannot tell. The answer depends on the documents alone, so it
// is the same on every node. What looks at nothing proves nothing: of an empty list or text code
// cannot tell. The work is bounded by the limits of documents and of demands.
package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"ojud/casefile/demand"
	"ojud/schema/pointer"
)

// ErrCannotTell means that code cannot tell whether a demand is met. It decides nothing.
var ErrCannotTell = errors.New("code cannot tell")

// Papers are the decoded documents beside a value.
type Papers struct{ Task, Result any }

// subject is a value with the demands on it.
type subject struct {
	demand.Demands
	Papers
	value any
}

// rules are the demands that code makes, in order.
var rules = [...]struct {
	name string
	make func(*subject) (string, error)
}{
	{"sorted", (*subject).sorted},
	{"unique", (*subject).unique},
	{"set", (*subject).set},
	{"near", (*subject).near},
	{"dates", (*subject).dates},
	{"pattern", (*subject).pattern},
	{"not_contains", (*subject).notContains},
	{"words", (*subject).words},
	{"url", (*subject).url},
	{"language", (*subject).language},
	{"parses", (*subject).parses},
	{"translation", (*subject).translation},
	{"media", (*subject).media},
	{"grounded", (*subject).grounded},
	{"quoted", (*subject).quoted},
	{"pays", (*subject).pays},
	{"has", (*subject).has},
}

// Make makes all demands on a value. It returns what it found, or an error that says what is not
// met. The error is ErrCannotTell if nothing else is wrong.
func Make(d demand.Demands, value any, papers Papers) (found []string, err error) {
	if !d.Given() {
		return nil, nil
	}
	s := &subject{Demands: d, Papers: papers, value: value}
	var doubt error
	for _, r := range rules {
		text, err := r.make(s)
		switch {
		case errors.Is(err, ErrCannotTell):
			doubt = errors.Join(doubt, err)
		case err != nil:
			return nil, err
		case text != "":
			found = append(found, text)
		}
	}
	return found, doubt
}

// unknown says why code cannot tell.
func unknown(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCannotTell, fmt.Sprintf(format, args...))
}

// part is a value with its place, for the reader.
type part struct {
	value any
	place string
}

// parts are the values that a demand on a text or number looks at: the value itself, or with each,
// a part of each of its items.
func (s *subject) parts() ([]part, error) {
	if s.Each == nil {
		return []part{{s.value, "it"}}, nil
	}
	return s.items(*s.Each)
}

// items are the parts of the items of an array.
func (s *subject) items(by string) ([]part, error) {
	list, ok := s.value.([]any)
	if !ok {
		return nil, fmt.Errorf("it is %s; only an array has items", pointer.Describe(s.value))
	}
	if len(list) == 0 {
		return nil, unknown("an array without items shows nothing")
	}
	out := make([]part, len(list))
	for i, item := range list {
		v, err := pointer.Find(item, by)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		out[i] = part{v, fmt.Sprintf("item %d", i)}
	}
	return out, nil
}

// key returns what equal values have in common. Texts that differ only in how characters are
// composed are equal, and so are numbers that are one double.
func key(v any) (string, error) {
	var b strings.Builder
	err := write(&b, v)
	return norm.NFC.String(b.String()), err
}

func write(b *strings.Builder, v any) error {
	switch v := v.(type) {
	case string:
		b.WriteString(strconv.Quote(v))
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return unknown("a number beyond a double")
		}
		b.WriteString(strconv.FormatFloat(f+0, 'g', -1, 64)) // no -0
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := write(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Quote(name) + ":")
			if err := write(b, v[name]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v) // true, false, and nothing
	}
	return nil
}

// decoded reads a value of a task, with its numbers as they are written.
func decoded(raw json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
