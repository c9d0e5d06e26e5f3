package datasource

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	errCost    = errors.New("the schema costs too much on this value")
	errEndless = errors.New("the schema refers to itself without end")
)

// meter works out before a check what it costs at most: allOf of two references to an allOf of two references doubles with every
// level, and the validator cannot be stopped. It walks as the validator would, but never stops early, until its steps are spent.
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
	if err := m.spend(m.own(s, v)); err != nil {
		return err
	}
	for _, sub := range sameValue(s) {
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
		return m.match(s.Pattern, v)
	}
	return nil
}

// own is the cost of a schema's own keywords: enum, const and uniqueItems compare whole values.
func (m *meter) own(s *jsonschema.Schema, v any) int {
	n := 1
	if s.Enum == nil && s.Const == nil && !s.UniqueItems {
		return n
	}
	width := size(v)
	if s.Enum != nil {
		n += len(s.Enum.Values) * (1 + width/8)
	}
	if s.Const != nil || s.UniqueItems {
		n += width
	}
	return n
}

// sameValue lists the schemas that apply to the same value.
func sameValue(s *jsonschema.Schema) []*jsonschema.Schema {
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

// match charges a match: RE2 takes time linear in the text, but also in the size of the expression.
func (m *meter) match(re jsonschema.Regexp, text string) error {
	if p, ok := re.(*pattern); ok {
		return m.spend(1 + p.size*len(text)/64)
	}
	return nil
}
