package judge

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	errCost    = errors.New("it costs too much on this result")
	errEndless = errors.New("it refers to itself without end")
)

// meter works out, before a validation, what it costs at most: allOf of two references to an allOf of two references…
// doubles with every level, and the validator cannot be stopped. The meter walks as the validator would, never stopping
// early, until its budget is spent.
type meter struct{ left int }

// deepest is how many schemas may be applied inside each other: 64 levels of the result, and references on each.
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
	if s.DynamicRef != nil || s.RecursiveRef != nil || s.ContentSchema != nil {
		return errors.New("it has references that are resolved only while validating")
	}
	if err := m.spend(1 + width(v)/8 + m.constants(s, v)); err != nil {
		return err
	}
	for _, sub := range inPlace(s) {
		if err := m.charge(sub, v, depth+1); err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return m.object(s, v, depth)
	case []any:
		return m.array(s, v, depth)
	case string:
		return m.pattern(s.Pattern, v)
	}
	return nil
}

// constants is the cost of comparing with enum and const, and of looking for duplicates.
func (m *meter) constants(s *jsonschema.Schema, v any) int {
	n := 0
	if s.Enum != nil {
		n += len(s.Enum.Values) * (1 + width(v)/8)
	}
	if _, ok := v.([]any); ok && s.UniqueItems {
		n += values(v)
	}
	return n
}

// width is the number of items of an array or object.
func width(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

// inPlace lists the schemas that apply to the same value.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	out := append([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf...)
	out = append(append(out, s.AnyOf...), s.OneOf...)
	for _, sub := range s.DependentSchemas {
		out = append(out, sub)
	}
	for _, d := range s.Dependencies {
		if sub, ok := d.(*jsonschema.Schema); ok {
			out = append(out, sub)
		}
	}
	return out
}

// object charges what applies to the fields of an object.
func (m *meter) object(s *jsonschema.Schema, v map[string]any, depth int) error {
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, value := range v {
		subs := []*jsonschema.Schema{s.Properties[name], additional, s.UnevaluatedProperties}
		for re, sub := range s.PatternProperties {
			if err := m.pattern(re, name); err != nil {
				return err
			}
			subs = append(subs, sub)
		}
		for _, sub := range subs {
			if err := m.charge(sub, value, depth+1); err != nil {
				return err
			}
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
		for _, sub := range subs {
			if err := m.charge(sub, item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// pattern charges a match.
func (m *meter) pattern(re jsonschema.Regexp, text string) error {
	if p, ok := re.(*pattern); ok {
		return m.spend(p.cost(text))
	}
	return nil
}
