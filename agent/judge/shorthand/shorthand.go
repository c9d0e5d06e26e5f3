// Package shorthand reads the short form of a task's output_schema (docs/protocol.md, section 2).
// Its caller decodes the schema within bounds first, and compiles what comes out.
package shorthand

import (
	"maps"
	"slices"
	"strings"
)

// typeNames are the types of the short form, besides "any".
var typeNames = [...]string{"string", "number", "integer", "boolean", "object", "array", "null"}

// Translate turns the short form of output_schema into a JSON Schema: {"ascii_painting":"string"}
// becomes an object with exactly this field (docs/protocol.md, section 2). Any other value is a
// schema already and is returned unchanged. Values are as encoding/json decodes them.
func Translate(schema any) (out any, short bool) {
	fields, ok := schema.(map[string]any)
	if !ok || !isShort(fields) {
		return schema, false
	}
	return long(fields), true
}

// Names reports of a path of members whether a schema, in either form, names them. One that names
// no members names all.
func Names(doc any) func(path []string) bool {
	doc, _ = Translate(doc)
	return func(path []string) bool {
		at := doc
		for _, name := range path {
			fields, _ := at.(map[string]any)
			properties, names := fields["properties"].(map[string]any)
			if !names {
				return true
			}
			if at = properties[name]; at == nil {
				return false
			}
		}
		return true
	}
}

// isShort reports whether an object is the short form.
func isShort(fields map[string]any) bool {
	if len(fields) == 0 {
		return false
	}
	for name, value := range fields {
		if isKeyword(name, value) || !isShortValue(value) {
			return false
		}
	}
	return true
}

// isShortValue reports whether a value is a type name, a short form, or a list of one of these.
func isShortValue(value any) bool {
	switch v := value.(type) {
	case string:
		return v == "any" || isType(v)
	case map[string]any:
		return isShort(v)
	case []any:
		if len(v) != 1 {
			return false
		}
		if _, nested := v[0].([]any); nested {
			return false
		}
		return isShortValue(v[0])
	}
	return false
}

// long translates a value that isShortValue accepts.
func long(value any) any {
	switch v := value.(type) {
	case string:
		if v == "any" {
			return true
		}
		return map[string]any{"type": v}
	case []any:
		return map[string]any{"type": "array", "items": long(v[0])}
	}
	properties, required := map[string]any{}, []any{}
	for name, field := range value.(map[string]any) {
		properties[name] = long(field)
		required = append(required, name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func isType(s string) bool { return slices.Contains(typeNames[:], s) }

// isKeyword reports whether a field is a keyword of JSON Schema with a value of the right form. If
// so, the object is a schema. {"items":"string"} is the short form, because the keyword items takes
// a schema.
func isKeyword(name string, value any) bool {
	switch name {
	case "$schema", "$ref", "$id":
		_, ok := value.(string)
		return ok
	case "type":
		if s, ok := value.(string); ok {
			return isType(s)
		}
		return isList(value, func(v any) bool { s, ok := v.(string); return ok && isType(s) })
	case "required":
		return isList(value, func(v any) bool { _, ok := v.(string); return ok })
	case "enum":
		return isList(value, func(any) bool { return true })
	case "const":
		return true
	case "anyOf", "allOf", "oneOf", "prefixItems":
		return isList(value, isSchema)
	case "items", "not", "if", "additionalProperties":
		return isSchema(value)
	case "$defs", "properties", "patternProperties":
		fields, ok := value.(map[string]any)
		for _, v := range fields {
			ok = ok && isSchema(v)
		}
		return ok
	}
	return false
}

// isList reports whether a value is an array of such items.
func isList(value any, item func(any) bool) bool {
	list, ok := value.([]any)
	for _, v := range list {
		ok = ok && item(v)
	}
	return ok
}

// isSchema reports whether a value has the form of a schema: an object or a boolean.
func isSchema(value any) bool {
	switch value.(type) {
	case map[string]any, bool:
		return true
	}
	return false
}

// Constrains reports whether a schema has a keyword that can refuse a value. A schema without one,
// such as the misspelt {"lines":{"type":"array"}}, accepts everything, which is hardly intended.
func Constrains(schema any) bool {
	fields, ok := schema.(map[string]any)
	if !ok {
		return schema == false
	}
	for name := range fields {
		if strings.Contains(constraining, " "+name+" ") {
			return true
		}
	}
	return false
}

// Words returns a keyword of a schema, in its long form, that no validator asserts: words for
// readers, such as a description, or one that nobody knows. Empty: there is none.
func Words(doc any) string {
	if list, ok := doc.([]any); ok {
		for _, item := range list {
			if name := Words(item); name != "" {
				return name
			}
		}
	}
	fields, _ := doc.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		switch {
		case !strings.Contains(constraining+silent, " "+name+" "):
			return name
		case strings.Contains(data, " "+name+" "):
			continue
		case strings.Contains(named, " "+name+" "):
			named, _ := value.(map[string]any)
			value = slices.Collect(maps.Values(named))
		}
		if inner := Words(value); inner != "" {
			return inner
		}
	}
	return ""
}

const (
	silent = "$schema $id $defs $anchor then else minContains maxContains default examples deprecated readOnly writeOnly "
	data   = " const enum default examples required "
	named  = " properties patternProperties $defs dependentSchemas dependentRequired "
)

const constraining = " $ref type properties items required enum const anyOf allOf oneOf not if additionalProperties patternProperties " +
	"prefixItems contains minItems maxItems uniqueItems minProperties maxProperties propertyNames dependentRequired dependentSchemas " +
	"minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf unevaluatedItems unevaluatedProperties "
