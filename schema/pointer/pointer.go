// Package pointer reads and writes JSON pointers (RFC 6901).
package pointer

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MaxBytes bounds a pointer.
const MaxBytes = 1024

// Validate returns an error if a text is no JSON pointer: it must be empty, which names the whole
// value, or begin with /, and each ~ must be followed by 0 or 1.
func Validate(pointer string) error {
	if len(pointer) > MaxBytes {
		return fmt.Errorf("is %d bytes; a path has at most %d", len(pointer), MaxBytes)
	}
	if pointer != "" && pointer[0] != '/' {
		return fmt.Errorf("%.60q is no JSON pointer: it begins with / (or is empty, for the whole result), such as /%.40s", pointer, pointer)
	}
	for rest := pointer; ; {
		_, after, found := strings.Cut(rest, "~")
		if !found {
			return nil
		}
		if after == "" || after[0] != '0' && after[0] != '1' {
			return fmt.Errorf("%.60q is no JSON pointer: ~ is written ~0 and / inside a name ~1", pointer)
		}
		rest = after[1:]
	}
}

// Find returns the value at a pointer of a decoded document. The error says where the path ends.
func Find(doc any, pointer string) (any, error) {
	if err := Validate(pointer); err != nil {
		return nil, err
	}
	if pointer == "" {
		return doc, nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		next, err := child(doc, strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
		if err != nil {
			return nil, err
		}
		doc = next
	}
	return doc, nil
}

func child(doc any, name string) (any, error) {
	switch v := doc.(type) {
	case map[string]any:
		if next, ok := v[name]; ok {
			return next, nil
		}
		return nil, fmt.Errorf("there is no field %.60q", name)
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != name {
			return nil, fmt.Errorf("there is no item %.60q; the array has %d", name, len(v))
		}
		return v[i], nil
	}
	return nil, fmt.Errorf("there is nothing at %.60q: %s has no parts", name, Describe(doc))
}

// Describe names the type of a decoded value, with its article.
func Describe(v any) string {
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

// Append appends / and an escaped token to a pointer.
func Append(to []byte, token string) []byte {
	to = append(to, '/')
	return append(to, strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")...)
}

// AppendIndex appends / and the index of an item to a pointer.
func AppendIndex(to []byte, i int) []byte { return strconv.AppendInt(append(to, '/'), int64(i), 10) }
