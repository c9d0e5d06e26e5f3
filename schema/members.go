package schema

import (
	"hash/maphash"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// object checks the keywords for objects.
func (c *check) object(v map[string]any) {
	s := c.s
	if s.MinProperties != nil && len(v) < *s.MinProperties {
		c.fail(&kind.MinProperties{Got: len(v), Want: *s.MinProperties})
	}
	if s.MaxProperties != nil && len(v) > *s.MaxProperties {
		c.fail(&kind.MaxProperties{Got: len(v), Want: *s.MaxProperties})
	}
	if missing, ok := c.missing(v, s.Required); !ok {
		c.fail(&kind.Required{Missing: missing})
	}
	if c.done() {
		return
	}
	c.members(v)
	for name, s := range s.DependentSchemas {
		if c.has(v, name) && !c.same(s) {
			c.ok = false
		}
	}
	for name, required := range s.DependentRequired {
		if !c.has(v, name) {
			continue
		}
		if missing, ok := c.missing(v, required); !ok {
			c.fail(&kind.DependentRequired{Prop: cut(name), Missing: missing})
		}
	}
}

func (c *check) has(v map[string]any, name string) bool {
	c.spend(1 + len(name)/512)
	_, ok := v[name]
	return ok
}

// missing lists the first of the names that an object lacks, and reports whether it lacks none.
func (c *check) missing(v map[string]any, names []string) (first []string, ok bool) {
	ok, size := true, 0
	for i, name := range names {
		if i%8 == 0 {
			c.spend(1)
		}
		c.spend(len(name) / 512)
		if _, has := v[name]; has {
			continue
		}
		ok = false
		if size <= maxText {
			first = append(first, cut(name))
			size += len(name)
		}
	}
	return first, ok
}

// members checks each member of an object and its name. It never stops early, because the order of
// members differs from run to run and the steps must not.
func (c *check) members(v map[string]any) {
	s := c.s
	refuse, parts := false, s.Properties != nil || s.PatternProperties != nil || s.AdditionalProperties != nil
	if allow, ok := s.AdditionalProperties.(bool); ok {
		refuse = !allow
	}
	var refused []string
	for name, member := range v {
		c.look(1)
		if parts {
			c.spend(len(name) / 512)
			if !c.member(name, member) && refuse {
				refused = smallest(refused, name)
				c.ok = false
			}
		}
		if s.PropertyNames != nil {
			c.name(name)
		}
	}
	if len(refused) > 0 {
		c.fail(&kind.AdditionalProperties{Properties: refused})
	}
}

func (c *check) name(name string) {
	at := *c.at // so that violations of several names are not taken for the same
	if !c.part(c.s.PropertyNames, name, &at) {
		c.ok = false
		c.spend(4) // for the words
	}
}

// smallest inserts a name into a sorted list of the few smallest ones.
func smallest(names []string, name string) []string {
	const most = 64 // names of three bytes fill the longest text
	if len(names) == most && name > names[most-1] {
		return names
	}
	i, _ := slices.BinarySearch(names, name)
	names = slices.Insert(names, i, name)
	return names[:min(len(names), most)]
}

// member checks one member, and reports whether a keyword evaluated it.
func (c *check) member(name string, member any) bool {
	at, known := c.at.member(name), false
	use := func(s *jsonschema.Schema) {
		known = true
		if !c.part(s, member, at) {
			c.ok = false
		}
	}
	if s, ok := c.s.Properties[name]; ok {
		use(s)
	}
	for re, s := range c.s.PatternProperties {
		if c.match(re, name) {
			use(s)
		}
	}
	if !known {
		switch additional := c.s.AdditionalProperties.(type) {
		case bool:
			known = additional
		case *jsonschema.Schema:
			use(additional)
		}
	}
	if known && c.marks != nil {
		c.marks.names[name] = true
	}
	return known
}

func (c *check) array(v []any) {
	s := c.s
	if s.MinItems != nil && len(v) < *s.MinItems {
		c.fail(&kind.MinItems{Got: len(v), Want: *s.MinItems})
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		c.fail(&kind.MaxItems{Got: len(v), Want: *s.MaxItems})
	}
	if s.UniqueItems && !c.done() {
		if i, j := c.duplicates(v); j > 0 {
			c.fail(&kind.UniqueItems{Duplicates: [2]int{i, j}})
		}
	}
	for i, item := range v {
		if c.done() {
			return
		}
		form := s.Items2020
		if i < len(s.PrefixItems) {
			form = s.PrefixItems[i]
		}
		if form == nil {
			break
		}
		if !c.part(form, item, c.at.item(i)) {
			c.ok = false
		}
		if c.marks != nil {
			c.marks.items[i] = true
		}
	}
	c.contains(v)
}

// contains checks contains, minContains and maxContains.
func (c *check) contains(v []any) {
	if c.s.Contains == nil || c.done() {
		return
	}
	start, matched := len(c.notes), []int(nil)
	for i, item := range v {
		if !c.part(c.s.Contains, item, c.at.item(i)) {
			continue
		}
		matched = append(matched, i)
		if c.marks != nil {
			c.marks.items[i] = true
		}
	}
	least := 1
	if c.s.MinContains != nil {
		least = *c.s.MinContains
	}
	switch {
	case len(matched) >= least:
		c.notes = c.notes[:start]
	case len(c.notes) > start: // these say why items do not match
		c.ok = false
	case c.s.MinContains == nil:
		c.fail(&kind.Contains{})
	default:
		c.fail(&kind.MinContains{Got: matched, Want: least})
	}
	if most := c.s.MaxContains; most != nil && len(matched) > *most {
		c.fail(&kind.MaxContains{Got: matched, Want: *most})
	}
}

// duplicates returns the indexes of the first item that equals an earlier one, or 0, 0.
func (c *check) duplicates(v []any) (int, int) {
	c.spend(c.weight(v))
	first := make(map[uint64][]int, len(v))
	h := hasher{c.run, maphash.MakeSeed()}
	for j, item := range v {
		sum := h.sum(item)
		for _, i := range first[sum] {
			if c.equal(v[i], item) {
				return i, j
			}
		}
		first[sum] = append(first[sum], j)
	}
	return 0, 0
}
