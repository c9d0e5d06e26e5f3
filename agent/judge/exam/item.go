package exam

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ojud/agent/judge/class"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/golden/generator"
	"ojud/voting"
)

// Item is a labelled dispute. The package comment explains its fields.
type Item struct {
	ID         string          `json:"id"`
	Class      class.Class     `json:"class"`
	Difficulty int             `json:"difficulty"`
	Task       json.RawMessage `json:"task"`
	Result     json.RawMessage `json:"result,omitempty"`
	Submitted  json.RawMessage `json:"submitted,omitempty"`
	Objection  json.RawMessage `json:"objection,omitempty"`
	Counter    json.RawMessage `json:"counter_objection,omitempty"`
	Exhibits   []string        `json:"exhibits,omitempty"`
	Answers    []Fixture       `json:"answers,omitempty"`
	Label      casefile.Choice `json:"label"`
	Why        string          `json:"why"`
	Checks     []string        `json:"checks"`
	Made       *Made           `json:"made,omitempty"` // of a generated dispute
}

// Made says how a dispute was made. No judge sees it.
type Made struct {
	Kind    generator.Kind    `json:"kind"`
	Shape   generator.Shape   `json:"shape"`
	Support generator.Support `json:"support"` // what the task carries for code
	Plea    generator.Plea    `json:"plea"`    // what the objection is about
	True    bool              `json:"true"`    // whether the objection is
}

// Fixture is the answer of a data source in an exam.
type Fixture struct {
	Source  string          `json:"data_source"`
	Request json.RawMessage `json:"request,omitempty"` // object; nil: any
	Holders []Holder        `json:"holders"`           // 1 to 8
}

// Holder is a holder with its answer: any JSON of at most 1 MiB.
type Holder struct {
	Name    string          `json:"name"`
	Content json.RawMessage `json:"content"`
}

// errItem is wrapped by errors about an item. They name the item, the field, the limit and the fix.
var errItem = errors.New("exam: not an item")

// The limits of an item, besides those of casefile's documents.
const (
	maxID       = 64   // bytes
	maxWhy      = 2000 // bytes, also of a check
	maxChecks   = 16
	maxExhibits = 32
	maxFixtures = 64
	maxHolders  = 8
	hardest     = 3 // difficulty
)

// Validate returns an error that names the first wrong field.
func (i Item) Validate() error {
	if i.ID == "" || len(i.ID) > maxID || strings.Trim(i.ID, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
		return fmt.Errorf("%w: id %.80q is not 1 to %d of a-z 0-9 . _ -", errItem, i.ID, maxID)
	}
	for _, check := range []func() error{i.marks, i.papers, i.evidence} {
		if err := check(); err != nil {
			return fmt.Errorf("%w: %s: %w", errItem, i.ID, err)
		}
	}
	return nil
}

// marks checks class, difficulty, label, reason and checks.
func (i Item) marks() error {
	const _ = uint(3 - voting.Choices) // the truth of an item is one of two sides
	switch {
	case !i.Class.Known():
		return fmt.Errorf("class %.40q is none of %v", i.Class, class.All())
	case i.Difficulty < 1 || i.Difficulty > hardest:
		return fmt.Errorf("difficulty is %d; write 1 to %d", i.Difficulty, hardest)
	case i.Label != casefile.Choice(voting.Accept) && i.Label != casefile.Choice(voting.Reject):
		return errors.New(`label is not "accept" or "reject"`)
	case i.Why == "" || len(i.Why) > maxWhy:
		return fmt.Errorf("why has %d bytes; write 1 to %d", len(i.Why), maxWhy)
	case len(i.Checks) == 0 || len(i.Checks) > maxChecks:
		return fmt.Errorf("checks has %d entries; write 1 to %d", len(i.Checks), maxChecks)
	}
	for k, c := range i.Checks {
		if c == "" || len(c) > maxWhy {
			return fmt.Errorf("checks[%d] has %d bytes; write 1 to %d", k, len(c), maxWhy)
		}
	}
	return nil
}

// papers checks the documents. Parties may write wrong documents in an exam as in a case, except
// for the task, because without a task a label means nothing.
func (i Item) papers() error {
	if _, err := casefile.ParseTask(i.Task); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		raw  json.RawMessage
	}{{"result", i.Result}, {"submitted", i.Submitted}, {"objection", i.Objection}, {"counter_objection", i.Counter}} {
		if p.raw == nil {
			continue
		}
		if _, err := canon.JSON(p.raw, casefile.MaxDocument); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (i Item) evidence() error {
	if len(i.Exhibits) > maxExhibits || len(i.Answers) > maxFixtures {
		return fmt.Errorf("%d exhibits and %d answers; at most %d and %d", len(i.Exhibits), len(i.Answers), maxExhibits, maxFixtures)
	}
	for k, a := range i.Answers {
		if a.Source == "" || len(a.Holders) == 0 || len(a.Holders) > maxHolders {
			return fmt.Errorf("answers[%d] needs a data_source and 1 to %d holders", k, maxHolders)
		}
		if _, err := canon.JSON(a.request(), casefile.MaxDocument); err != nil {
			return fmt.Errorf("answers[%d].request: %w", k, err)
		}
		for _, h := range a.Holders {
			if _, err := canon.JSON(h.Content, casefile.MaxBlob); err != nil {
				return fmt.Errorf("answers[%d]: holder %.40q: %w", k, h.Name, err)
			}
		}
	}
	return nil
}

func (f Fixture) request() json.RawMessage {
	if f.Request == nil {
		return json.RawMessage("{}")
	}
	return f.Request
}
