package judge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ojud/casefile"
)

// find returns the value at a JSON pointer (RFC 6901) of a document as decodeTree decodes it.
func find(doc any, pointer string) (any, error) {
	if err := casefile.ValidPointer(pointer); err != nil {
		return nil, err
	}
	if pointer == "" {
		return doc, nil
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := doc.(type) {
		case map[string]any:
			next, ok := v[token]
			if !ok {
				return nil, fmt.Errorf("there is no field %s", quote(token))
			}
			doc = next
		case []any:
			i, ok := index(token, len(v))
			if !ok {
				return nil, fmt.Errorf("there is no item %s; the array has %d", quote(token), len(v))
			}
			doc = v[i]
		default:
			return nil, fmt.Errorf("there is nothing at %s: %s has no parts", quote(token), nameOf(v))
		}
	}
	return doc, nil
}

// index reads an array index: digits without a leading zero.
func index(token string, n int) (int, bool) {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= n || strconv.Itoa(i) != token {
		return 0, false
	}
	return i, true
}

// nameOf names the kind of a decoded value.
func nameOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	}
	return "null"
}
