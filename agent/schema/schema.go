package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrSchema: a schema is not one that can or will be used.
var ErrSchema = errors.New("schema: cannot be used")

// Schema is a JSON Schema 2020-12, ready to be used on values. Several goroutines may use it at once.
type Schema struct {
	compiled *jsonschema.Schema
	limits   Limits
}

// Violation is one way in which a value does not satisfy a schema.
type Violation struct {
	Path    string // JSON pointer into the value
	Problem string // in words; at most 200 bytes, and may quote the value
}

// String says where it is and what.
func (v Violation) String() string { return fmt.Sprintf("at %q: %s", v.Path, v.Problem) }

// base is where relative references start; nothing is ever loaded from it (RFC 6761, .invalid).
const base = "https://oju.invalid/schema"

// Compile reads a schema; an empty text accepts every value. Errors are ErrSchema.
func Compile(raw []byte, l Limits) (*Schema, error) {
	if len(raw) == 0 {
		raw = []byte("true")
	}
	doc, err := Limits{ValueBytes: l.SchemaBytes, Depth: l.Depth, Values: l.Values}.Decode(raw)
	if err == nil {
		err = closed(doc)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	compiled, err := compile(doc, l)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrSchema, short(strings.Join(strings.Fields(err.Error()), " ")))
	}
	return &Schema{compiled, l}, nil
}

func compile(doc any, l Limits) (*jsonschema.Schema, error) {
	p := patterns{limits: l, left: l.PatternSize}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(p.compile)
	if err := c.AddResource(base, doc); err != nil {
		return nil, err
	}
	return c.Compile(base)
}

// nothing loads nothing.
type nothing struct{}

// Load implements jsonschema.URLLoader.
func (nothing) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is outside of it", quote(url))
}

// closed refuses another dialect, and references that are resolved only while checking.
func closed(doc any) error {
	switch doc := doc.(type) {
	case []any:
		for _, item := range doc {
			if err := closed(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, value := range doc {
			if err := member(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func member(name string, value any) error {
	text, isText := value.(string)
	switch {
	case slices.Contains([]string{"const", "enum", "default", "examples"}, name):
		return nil // data
	case name == "$schema" && isText && strings.TrimSuffix(text, "#") != "https://json-schema.org/draft/2020-12/schema":
		return fmt.Errorf("$schema is %s; JSON Schema 2020-12 is meant", quote(text))
	case isText && (name == "$dynamicRef" || name == "$recursiveRef" || name == "$dynamicAnchor"):
		return fmt.Errorf("%s is not supported", name)
	}
	return closed(value)
}

// Check decodes a value and holds it to the schema: the ways in which it does not satisfy it, sorted by path, at most Limits.Violations; none
// if it does. ErrJSON: it is no value. ErrSchema: the schema costs more on this value than it may, or refers to itself without end.
func (s *Schema) Check(raw []byte) ([]Violation, error) {
	doc, err := s.limits.Decode(raw)
	if err != nil {
		return nil, err
	}
	m := meter{left: s.limits.Steps}
	if err := m.charge(s.compiled, doc, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	err = s.compiled.Validate(doc)
	if err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return s.violations(invalid), nil
}
