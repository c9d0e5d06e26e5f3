package kind

import (
	"fmt"
	"strconv"
	"strings"

	"ojud/casefile"
)

// find returns the value at a JSON pointer (RFC 6901). The error says where the way ends.
func find(doc any, pointer string) (any, error) {
	if err := casefile.ValidPointer(pointer); err != nil {
		return nil, err
	}
	if pointer == "" {
		return doc, nil
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		next, ok := child(doc, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		if !ok {
			return nil, fmt.Errorf("nothing at %.60q", token)
		}
		doc = next
	}
	return doc, nil
}

func child(doc any, name string) (any, bool) {
	switch v := doc.(type) {
	case map[string]any:
		next, ok := v[name]
		return next, ok
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != name {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}
