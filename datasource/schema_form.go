package datasource

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// data are keywords whose values are data, tables those whose members are schemas by names of the author's.
var (
	data   = []string{"const", "enum", "default", "examples"}
	tables = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	// inverting are keywords that a part of a value may fail although the whole value passes.
	inverting = []string{"required", "minProperties", "dependentRequired", "dependentSchemas", "minItems", "contains", "minContains",
		"not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems", "prefixItems"}
)

// selfContained refuses references out of the schema, other dialects, and references that are resolved only while checking.
func selfContained(node any) error {
	return eachSchema(node, func(fields map[string]any) error {
		for name, value := range fields {
			text, isText := value.(string)
			switch {
			case name == "$schema" && isText && strings.TrimSuffix(text, "#") != "https://json-schema.org/draft/2020-12/schema":
				return errors.New("has another $schema than JSON Schema 2020-12")
			case name == "$dynamicRef" || name == "$recursiveRef" || name == "$dynamicAnchor":
				return fmt.Errorf("uses %s, which is not supported", name)
			case name == "$ref" && isText && !strings.HasPrefix(text, "#") || name == "$id":
				return errors.New("has an $id, or a $ref that does not begin with #: a schema refers to itself alone")
			}
		}
		return nil
	})
}

// eachSchema calls see with every schema in a schema that is an object.
func eachSchema(node any, see func(fields map[string]any) error) error {
	switch v := node.(type) {
	case []any:
		for _, item := range v {
			if err := eachSchema(item, see); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := see(v); err != nil {
			return err
		}
		for name, item := range v {
			if slices.Contains(data, name) {
				continue
			}
			if table, ok := item.(map[string]any); ok && slices.Contains(tables, name) {
				item = members(table)
			}
			if err := eachSchema(item, see); err != nil {
				return err
			}
		}
	}
	return nil
}

func members(table map[string]any) []any {
	out := make([]any, 0, len(table))
	for _, item := range table {
		out = append(out, item)
	}
	return out
}

// relaxed changes a schema into one that parts of a value satisfy.
func relaxed(doc any) any {
	err := eachSchema(doc, func(fields map[string]any) error {
		for _, name := range inverting {
			delete(fields, name)
		}
		if list, ok := fields["oneOf"].([]any); ok {
			delete(fields, "oneOf") // a part may satisfy several
			fields["allOf"] = append(listOf(fields["allOf"]), map[string]any{"anyOf": list})
		}
		return nil
	})
	if err != nil {
		panic(err) // the function above never fails
	}
	return doc
}

func listOf(v any) []any {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	return list
}
