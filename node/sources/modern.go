package sources

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// modern turns a schema of draft 6 or 7, which many servers of the Model Context Protocol use, into
// one of JSON Schema 2020-12, which a source has. Of the differences only the spelling of tuples is
// in use (2020-12 core, appendix of changes). A schema that names no such draft stays as it is.
func modern(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var doc map[string]any
	if d.Decode(&doc) != nil {
		return raw
	}
	dialect, ok := doc["$schema"].(string)
	if !ok || !strings.Contains(dialect, "draft-07") && !strings.Contains(dialect, "draft-06") {
		return raw
	}
	delete(doc, "$schema")
	tuples(doc)
	out, err := json.Marshal(doc)
	if err != nil {
		return raw
	}
	return out
}

// tuples rewrites {"items": […], "additionalItems": x} as {"prefixItems": […], "items": x}.
func tuples(node any) {
	switch v := node.(type) {
	case []any:
		for _, item := range v {
			tuples(item)
		}
	case map[string]any:
		if list, ok := v["items"].([]any); ok {
			v["prefixItems"] = list
			delete(v, "items")
			if rest, there := v["additionalItems"]; there {
				v["items"] = rest
			}
		}
		delete(v, "additionalItems")
		for name, item := range v {
			if !slices.Contains([]string{"const", "enum", "default", "examples"}, name) {
				tuples(item)
			}
		}
	}
}
