package schema

import "slices"

var (
	// dataKeywords are keywords whose values are data, not schemas.
	dataKeywords = []string{"const", "enum", "default", "examples"}
	// tableKeywords are keywords whose members are schemas, under names that the author chose.
	tableKeywords = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	// wholeKeywords are keywords that a part may violate although the whole does not.
	wholeKeywords = []string{"required", "minProperties", "dependentRequired", "dependentSchemas", "minItems", "contains", "minContains",
		"not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems", "prefixItems"}
)

// CompilePartial is like Compile, but the schema also accepts parts of the values that it accepts:
// nothing is required, and keywords that a missing part can violate are left out.
func CompilePartial(raw []byte, l Limits) (*Schema, error) {
	doc, err := l.DecodeSchema(raw)
	if err != nil {
		return nil, err
	}
	relax(doc)
	return CompileDecoded(doc, l)
}

// relax removes the keywords that a part of a value may violate, in a schema and all its parts.
func relax(node any) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			relax(item)
		}
	case map[string]any:
		for _, name := range wholeKeywords {
			delete(node, name)
		}
		if list, ok := node["oneOf"].([]any); ok { // a part may satisfy several of the list
			delete(node, "oneOf")
			all, _ := node["allOf"].([]any)
			node["allOf"] = append(all, map[string]any{"anyOf": list})
		}
		for name, value := range node {
			relaxMember(name, value)
		}
	}
}

func relaxMember(name string, value any) {
	if slices.Contains(dataKeywords, name) {
		return
	}
	table, ok := value.(map[string]any)
	if !ok || !slices.Contains(tableKeywords, name) {
		relax(value)
		return
	}
	for _, item := range table {
		relax(item)
	}
}
