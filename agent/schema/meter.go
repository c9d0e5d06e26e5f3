package schema

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	errCost    = errors.New("it costs too much on this value")
	errEndless = errors.New("it refers to itself without end")
	errDialect = errors.New("a part of it is not JSON Schema 2020-12, or refers to what only a check can find")
)

// meter works out before a check what it costs at most: allOf of two references to an allOf of two references doubles with every level, and
// the validator cannot be stopped. It walks as the validator would, but never stops early, until its steps are spent.
type meter struct{ left int }

// deepest is how many schemas may be applied inside each other.
const deepest = 1000

func (m *meter) spend(n int) error {
	if m.left -= n; m.left < 0 {
		return errCost
	}
	return nil
}

// charge spends what it costs to apply s to v.
func (m *meter) charge(s *jsonschema.Schema, v any, depth int) error {
	if s == nil {
		return nil
	}
	if depth > deepest {
		return errEndless
	}
	if s.DraftVersion != 2020 || s.DynamicRef != nil || s.RecursiveRef != nil || s.ContentSchema != nil {
		return errDialect
	}
	if err := m.spend(own(s, v)); err != nil {
		return err
	}
	if err := m.all(here(s), v, depth); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		return m.object(s, v, depth)
	case []any:
		return m.array(s, v, depth)
	case string:
		return m.match(s.Pattern, v)
	}
	return nil
}

func (m *meter) all(subs []*jsonschema.Schema, v any, depth int) error {
	for _, sub := range subs {
		if err := m.charge(sub, v, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// own is the cost of a schema's own keywords: most look at each member once, enum, const and uniqueItems compare whole values.
func own(s *jsonschema.Schema, v any) int {
	n := 1 + width(v)/8
	if s.Enum != nil {
		n += len(s.Enum.Values) * (1 + size(v)/8)
	}
	if s.Const != nil {
		n += size(v)
	}
	if s.UniqueItems {
		n += 8 * size(v) // hashes every one
	}
	return n
}

// width is the number of members of an array or object.
func width(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

// size is the number of values in a value.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			n += size(item)
		}
	case []any:
		for _, item := range v {
			n += size(item)
		}
	}
	return n
}

// here lists the schemas that apply to the same value.
func here(s *jsonschema.Schema) []*jsonschema.Schema {
	out := append([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf...)
	out = append(append(out, s.AnyOf...), s.OneOf...)
	for _, sub := range s.DependentSchemas {
		out = append(out, sub)
	}
	return out
}

// object charges what applies to the members of an object.
func (m *meter) object(s *jsonschema.Schema, v map[string]any, depth int) error {
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, value := range v {
		subs := []*jsonschema.Schema{s.Properties[name], additional, s.UnevaluatedProperties}
		for re, sub := range s.PatternProperties {
			if err := m.match(re, name); err != nil {
				return err
			}
			subs = append(subs, sub)
		}
		if err := m.all(subs, value, depth); err != nil {
			return err
		}
		if err := m.charge(s.PropertyNames, name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// array charges what applies to the items of an array.
func (m *meter) array(s *jsonschema.Schema, v []any, depth int) error {
	for i, item := range v {
		subs := []*jsonschema.Schema{s.Items2020, s.Contains, s.UnevaluatedItems}
		if i < len(s.PrefixItems) {
			subs = append(subs, s.PrefixItems[i])
		}
		if err := m.all(subs, item, depth); err != nil {
			return err
		}
	}
	return nil
}

// match charges a match.
func (m *meter) match(re jsonschema.Regexp, text string) error {
	if p, ok := re.(*pattern); ok {
		return m.spend(p.cost(text))
	}
	return nil
}
