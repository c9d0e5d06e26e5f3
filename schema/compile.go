package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// errSchema says that a schema cannot be used: it is malformed, beyond the limits, refers to
// something outside itself, or costs too much on a value.
var errSchema = errors.New("schema: cannot be used")

// Schema is a compiled JSON Schema 2020-12. Several goroutines may use it at once.
type Schema struct {
	compiled *jsonschema.Schema
	limits   Limits
}

// base is the base of relative references. Nothing is ever loaded from it (RFC 6761, .invalid).
const base = "https://oju.invalid/schema"

// Compile reads a schema. An empty text accepts every value. Errors are ErrSchema.
func Compile(raw []byte, l Limits) (*Schema, error) {
	doc, err := l.DecodeSchema(raw)
	if err != nil {
		return nil, err
	}
	return CompileDecoded(doc, l)
}

// DecodeSchema decodes a schema without compiling it. Errors are ErrSchema.
func (l Limits) DecodeSchema(raw []byte) (any, error) {
	if len(raw) == 0 {
		return true, nil
	}
	l.ValueBytes, l.Values = l.SchemaBytes, l.SchemaValues
	doc, err := l.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errSchema, Reason(err))
	}
	return doc, nil
}

// CompileDecoded compiles a schema of DecodeSchema, perhaps changed. Errors are ErrSchema.
func CompileDecoded(doc any, l Limits) (*Schema, error) {
	if err := checkForm(doc); err != nil {
		return nil, fmt.Errorf("%w: %w", errSchema, err)
	}
	compiled, err := compile(doc, l)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errSchema, short(strings.Join(strings.Fields(err.Error()), " ")))
	}
	if err := checkDialect(compiled); err != nil {
		return nil, fmt.Errorf("%w: %w", errSchema, err)
	}
	return &Schema{compiled, l}, nil
}

func compile(doc any, l Limits) (*jsonschema.Schema, error) {
	p := patterns{limits: l, left: l.PatternSize}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.AssertFormat()
	c.UseRegexpEngine(p.compile)
	if err := c.AddResource(base, doc); err != nil {
		return nil, err
	}
	return c.Compile(base)
}

// noLoader loads nothing, because a schema must not refer to anything outside itself.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is outside of it", quote(url))
}

// checkForm refuses another dialect, references that only a validation can resolve, and references
// to the network or the file system.
func checkForm(doc any) error {
	switch doc := doc.(type) {
	case []any:
		for _, item := range doc {
			if err := checkForm(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, value := range doc {
			if err := checkMember(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkMember(name string, value any) error {
	text, isText := value.(string)
	switch {
	case slices.Contains(dataKeywords, name):
		return nil
	case name == "$schema" && isText && strings.TrimSuffix(text, "#") != "https://json-schema.org/draft/2020-12/schema":
		return fmt.Errorf("$schema is %s; use JSON Schema 2020-12", quote(text))
	case name == "$ref" && isText && hasScheme(text):
		return fmt.Errorf("$ref to %s, which is outside of the schema; begin it with #", quote(text))
	case isText && (name == "$dynamicRef" || name == "$recursiveRef" || name == "$dynamicAnchor"):
		return fmt.Errorf("%s is not supported", name)
	}
	return checkForm(value)
}

// hasScheme reports whether a reference starts with a scheme of the network or the file system.
func hasScheme(ref string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(ref), ":")
	return ok && slices.Contains([]string{"http", "https", "file", "ftp"}, scheme)
}

var errDialect = errors.New("a part of it is not JSON Schema 2020-12, or has references that only a validation can resolve")

// checkDialect looks at each compiled part, because checkForm does not see a dialect that hides
// below a property with the name of a keyword, or inside the library.
func checkDialect(top *jsonschema.Schema) error {
	seen := map[*jsonschema.Schema]bool{}
	todo := []*jsonschema.Schema{top}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		if s.DraftVersion != 2020 || s.DynamicRef != nil || s.RecursiveRef != nil || s.ContentSchema != nil ||
			s.Dependencies != nil || s.Items != nil || s.AdditionalItems != nil || len(s.Extensions) > 0 {
			return errDialect
		}
		todo = appendParts(todo, s)
	}
	return nil
}

func appendParts(to []*jsonschema.Schema, s *jsonschema.Schema) []*jsonschema.Schema {
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	to = append(to, s.Ref, s.Not, s.If, s.Then, s.Else, additional, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems)
	to = append(append(append(append(to, s.AllOf...), s.AnyOf...), s.OneOf...), s.PrefixItems...)
	for _, sub := range s.Properties {
		to = append(to, sub)
	}
	for _, sub := range s.PatternProperties {
		to = append(to, sub)
	}
	for _, sub := range s.DependentSchemas {
		to = append(to, sub)
	}
	return to
}
