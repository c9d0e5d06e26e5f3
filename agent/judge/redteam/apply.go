package redteam

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/agent/judge/exam"
	"ojud/schema/pointer"
)

func (a Attack) item(number int, disputes []exam.Item) (attacked, base exam.Item, err error) {
	t := a.Tries[number]
	for _, d := range disputes {
		if d.ID == t.Base {
			attacked, err = t.apply(d, fmt.Sprintf("%02d.%s.%d", a.Number, a.Name, number+1))
			if err != nil {
				err = fmt.Errorf("%w: %d %s: try[%d]: %w", ErrAttack, a.Number, a.Name, number, err)
			}
			return attacked, d, err
		}
	}
	return attacked, base, fmt.Errorf("%w: %d %s: try[%d]: there is no dispute %.60q", ErrAttack, a.Number, a.Name, number, t.Base)
}

// apply makes the changes of a try in a dispute, which gets another id.
func (t Try) apply(d exam.Item, id string) (exam.Item, error) {
	d.ID = id
	raw, err := json.Marshal(d)
	if err != nil {
		return exam.Item{}, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return exam.Item{}, err
	}
	for _, p := range t.Puts {
		if err := p.into(tree); err != nil {
			return exam.Item{}, fmt.Errorf("at %q: %w", p.At, err)
		}
	}
	if raw, err = json.Marshal(tree); err != nil {
		return exam.Item{}, err
	}
	items, err := exam.Read(bytes.NewReader(raw))
	if err != nil {
		return exam.Item{}, err
	}
	return items[0], nil
}

// The reasons why a change is impossible.
var (
	errNoPlace = errors.New("there is no such place in the dispute")
	errNoText  = errors.New("the value there is no text")
)

// into changes the value at a pointer. The last step may name a new field.
func (p Change) into(tree any) error {
	end := strings.LastIndexByte(p.At, '/')
	parent, err := pointer.Find(tree, p.At[:end])
	if err != nil {
		return errNoPlace
	}
	old, missing := pointer.Find(tree, p.At)
	value, err := p.value(old)
	if err != nil {
		return err
	}
	last := strings.NewReplacer("~1", "/", "~0", "~").Replace(p.At[end+1:])
	switch in := parent.(type) {
	case map[string]any:
		in[last] = value
		return nil
	case []any:
		if i, err := strconv.Atoi(last); err == nil && missing == nil {
			in[i] = value
			return nil
		}
	}
	return errNoPlace
}

// value returns the replacement of old.
func (p Change) value(old any) (any, error) {
	if p.JSON != "" {
		return json.RawMessage(p.JSON), nil
	}
	text, ok := old.(string)
	if !ok {
		return nil, errNoText
	}
	return text + strings.Repeat(p.Text, max(p.Repeat, 1)), nil
}

// changes reports whether the try replaces something, so that code may decide otherwise.
func (t Try) changes() bool {
	return slices.ContainsFunc(t.Puts, func(p Change) bool { return p.JSON != "" })
}
