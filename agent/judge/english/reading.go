package english

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Reading is a result in the form that claims are compared with.
type Reading struct {
	Doc    any // as package schema decodes it
	Texts  []string
	Lists  [][]any
	TextAt []string // the pointers of the texts; of the items of a list, that of the list
	Others int      // numbers and booleans

	listAt []string // the pointers of the lists
}

// Read reads a result.
func Read(doc any) Reading {
	r := Reading{Doc: doc}
	r.add("", doc)
	return r
}

func (r *Reading) add(at string, doc any) {
	switch v := doc.(type) {
	case string:
		r.Texts, r.TextAt = append(r.Texts, v), append(r.TextAt, at)
	case []any:
		r.Lists, r.listAt = append(r.Lists, v), append(r.listAt, at)
		for i, item := range v {
			if s, ok := item.(string); ok {
				r.Texts, r.TextAt = append(r.Texts, s), append(r.TextAt, at)
				continue
			}
			r.add(member(at, fmt.Sprint(i)), item)
		}
	case map[string]any:
		for name, item := range v {
			r.add(member(at, name), item)
		}
	case nil:
	default:
		r.Others++
	}
}

// told returns an item as text.
func told(item any) string {
	if s, ok := item.(string); ok {
		return s
	}
	raw, err := json.Marshal(item)
	if err != nil {
		return fmt.Sprint(item)
	}
	return string(raw)
}

// Several reports whether a result is made of several things.
func (r Reading) Several() bool {
	return len(r.Texts)+r.Others > 1 || len(r.Texts) == 1 && strings.Contains(strings.TrimSpace(r.Texts[0]), "\n")
}
