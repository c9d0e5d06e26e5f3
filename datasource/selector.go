package datasource

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/datasource/kind"
	"ojud/schema/pointer"
)

// selector names parts of a value: a path with * for any step, or if deep a member anywhere.
type selector struct {
	path []string
	deep bool
}

const maxSelectors = 64

// selectors parses a list. An entry that begins with / is a JSON pointer, and any other is a name.
func selectors(field string, list []string) ([]selector, error) {
	if len(list) > maxSelectors {
		return nil, wrong(field, "has %d entries; at most %d", len(list), maxSelectors)
	}
	var out []selector
	for i, text := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		if text == "" || len(text) > 256 || slices.Contains(list[:i], text) {
			return nil, wrong(at, "is no field: a name, or a JSON pointer such as /user/email, of 1 to 256 bytes, once")
		}
		if text[0] != '/' {
			out = append(out, selector{[]string{text}, true})
			continue
		}
		if err := pointer.Validate(text); err != nil {
			return nil, wrong(at, "is no JSON pointer: ~ is written ~0, and / inside a name ~1")
		}
		path := strings.Split(text[1:], "/")
		for j, token := range path {
			path[j] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		}
		out = append(out, selector{path, false})
	}
	return out, nil
}

// step returns the rest of the selectors at a member or item. hit reports that one ends there.
func step(list []selector, token string) (left []selector, hit bool) {
	for _, s := range list {
		match := s.path[0] == token || s.path[0] == "*" && !s.deep
		if hit = hit || match && len(s.path) == 1; match && len(s.path) > 1 {
			left = append(left, selector{s.path[1:], false})
		}
		if s.deep {
			left = append(left, s)
		}
	}
	return left, hit
}

// Only returns the parts of an answer that access lists, as Terms.Access does, so that only agreed
// fields are sent. An empty list means everything. An answer that is neither object nor array has
// no parts, so Only returns ErrRefused.
func Only(answer []byte, access []string) ([]byte, error) {
	list, err := topLevel(access)
	if err != nil || len(list) == 0 {
		return answer, err
	}
	doc, err := kind.DecodeJSON(answer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if doc, err = narrow(doc, list); err != nil {
		return nil, err
	}
	return canonical(doc)
}

// topLevel parses a list of access. A name in it means only the top level.
func topLevel(access []string) ([]selector, error) {
	list, err := selectors("access", access)
	for i := range list {
		list[i].deep = false
	}
	return list, err
}

func narrow(doc any, list []selector) (any, error) {
	kept, ok := keep(doc, list)
	if !ok {
		return nil, fmt.Errorf("%w: the answer has no fields, so none of those that may be given", ErrRefused)
	}
	return kept, nil
}

// keep copies the selected parts. It keeps a container on the way even if the copy is empty.
func keep(doc any, list []selector) (any, bool) {
	switch v := doc.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, item := range v {
			left, hit := step(list, name)
			if hit {
				out[name] = item
			} else if part, ok := keep(item, left); ok && len(left) > 0 {
				out[name] = part
			}
		}
		return out, true
	case []any:
		out := []any{}
		for i, item := range v {
			left, hit := step(list, strconv.Itoa(i))
			if hit {
				out = append(out, item)
			} else if part, ok := keep(item, left); ok && len(left) > 0 {
				out = append(out, part)
			}
		}
		return out, true
	}
	return nil, false
}
