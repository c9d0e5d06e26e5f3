package schema

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Plain returns the schema with {} for each part that is true, and {"not":{}} for each that is
// false, because some servers of models (llama.cpp) refuse such parts. additionalProperties and
// unevaluatedProperties keep theirs: servers know these. A schema without such parts, or one that
// is no JSON, is returned as it is.
func Plain(raw json.RawMessage) json.RawMessage {
	var doc any
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	if !json.Valid(raw) || in.Decode(&doc) != nil || !withObjects(doc) {
		return raw
	}
	out, err := json.Marshal(doc)
	if err != nil {
		panic(err) // it was JSON
	}
	return out
}

// partKeywords are keywords whose value is a schema or a list of schemas.
var partKeywords = []string{"items", "prefixItems", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else", "allOf", "anyOf", "oneOf"}

// withObjects replaces the boolean parts of a schema, and reports whether it had one.
func withObjects(node any) (found bool) {
	schema, ok := node.(map[string]any)
	if !ok {
		return false
	}
	for name, value := range schema {
		table, isTable := value.(map[string]any)
		switch {
		case isTable && slices.Contains(tableKeywords, name):
			for key := range table {
				found = replace(table[key], func(v any) { table[key] = v }) || found
			}
		case slices.Contains(partKeywords, name):
			list, isList := value.([]any)
			for i := range list {
				found = replace(list[i], func(v any) { list[i] = v }) || found
			}
			if !isList {
				found = replace(value, func(v any) { schema[name] = v }) || found
			}
		case name == "additionalProperties" || name == "unevaluatedProperties" || name == "unevaluatedItems":
			found = withObjects(value) || found
		}
	}
	return found
}

// replace puts an object in the place of a boolean schema, or does so in its parts.
func replace(part any, put func(any)) bool {
	truth, ok := part.(bool)
	switch {
	case !ok:
		return withObjects(part)
	case truth:
		put(map[string]any{})
	default:
		put(map[string]any{"not": map[string]any{}})
	}
	return true
}
