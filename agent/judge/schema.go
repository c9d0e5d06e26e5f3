package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ojud/casefile"
)

// ErrSchema: a task's output_schema is not one that code can or will use. Its author is to blame.
var ErrSchema = errors.New("judge: output_schema cannot be used")

// Schema is a task's output_schema, ready to be used on a result.
type Schema struct {
	compiled *jsonschema.Schema
	limits   Limits
	patterns patterns
	Short    bool // it was written in the short form
	Idle     bool // it accepts every value
}

// Violation is one way in which a result does not satisfy a schema.
type Violation struct {
	Path    string // JSON pointer into the result
	Problem string
}

// schemaURL is the base of relative references; nothing is ever loaded from it (RFC 6761, .invalid).
const schemaURL = "https://oju.invalid/output_schema"

// Compile reads output_schema. Everything in it is hostile: size, number of values and regular expressions are bounded, and
// nothing outside the schema is loaded. Errors are ErrSchema.
func Compile(raw json.RawMessage, l Limits) (*Schema, error) {
	if len(raw) > l.SchemaBytes {
		return nil, fmt.Errorf("%w: %d bytes; at most %d", ErrSchema, len(raw), l.SchemaBytes)
	}
	doc, err := decodeTree(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if n := values(doc); n > l.SchemaValues {
		return nil, fmt.Errorf("%w: more than %d values", ErrSchema, l.SchemaValues)
	}
	s := &Schema{limits: l, patterns: patterns{limits: l, left: l.PatternSize}}
	doc, s.Short = translate(doc)
	s.Idle = !constrains(doc)
	if err := selfContained(doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refusing{})
	c.UseRegexpEngine(s.patterns.compile)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrSchema, clean(err.Error()))
	}
	if s.compiled, err = c.Compile(schemaURL); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrSchema, clean(err.Error()))
	}
	return s, nil
}

// Validate returns how a result does not satisfy the schema, sorted by path, at most Limits.Errors; none if it does. ErrSchema:
// the schema costs more on this result than it may, or refers to itself without end.
func (s *Schema) Validate(result json.RawMessage) ([]Violation, error) {
	doc, err := decodeTree(result)
	if err != nil {
		return nil, err
	}
	m := meter{left: s.limits.Steps}
	if err := m.charge(s.compiled, doc, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	err = s.compiled.Validate(doc)
	var invalid *jsonschema.ValidationError
	if err == nil {
		return nil, nil
	}
	if !errors.As(err, &invalid) {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return s.violations(invalid), nil
}

// violations lists the innermost errors with the smallest paths, each once. The library walks over maps, so its order means
// nothing; and there may be a hundred thousand of them, so only those that can be listed are put into words.
func (s *Schema) violations(e *jsonschema.ValidationError) []Violation {
	type leaf struct {
		path string
		err  *jsonschema.ValidationError
	}
	var leaves []leaf
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			leaves = append(leaves, leaf{pointerTo(e.InstanceLocation), e})
		}
	}
	walk(e)
	slices.SortFunc(leaves, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	var out []Violation
	for i, l := range leaves {
		if len(out) >= s.limits.Errors && l.path != leaves[i-1].path {
			break
		}
		_, problem, _ := strings.Cut(l.err.Error(), "': ")
		out = append(out, Violation{short(l.path), short(problem)})
	}
	slices.SortFunc(out, func(a, b Violation) int { return strings.Compare(a.Path+"\x00"+a.Problem, b.Path+"\x00"+b.Problem) })
	out = slices.Compact(out)
	return out[:min(len(out), s.limits.Errors)]
}

// pointerTo writes a JSON pointer.
func pointerTo(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// short cuts text that may be as long as a result.
func short(s string) string {
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return clean(strings.ToValidUTF8(s, ""))
}

// refusing loads nothing: a schema may not refer to what is outside of it (protocol section 2).
type refusing struct{}

// Load implements jsonschema.URLLoader.
func (refusing) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is outside of it", quote(url))
}

// selfContained refuses what would leave the schema, another dialect, and references that are resolved only while validating.
func selfContained(schema any) error {
	fields, ok := schema.(map[string]any)
	if list, isList := schema.([]any); isList {
		for _, v := range list {
			if err := selfContained(v); err != nil {
				return err
			}
		}
	}
	if !ok {
		return nil
	}
	for name, value := range fields {
		text, isText := value.(string)
		switch {
		case name == "const" || name == "enum" || name == "default" || name == "examples":
			continue // data
		case name == "$schema" && isText && strings.TrimSuffix(text, "#") != "https://json-schema.org/draft/2020-12/schema":
			return fmt.Errorf("$schema is %s; JSON Schema 2020-12 is meant", quote(text))
		case name == "$ref" && isText && outside(text):
			return fmt.Errorf("$ref to %s, which is outside of the schema", quote(text))
		case isText && (name == "$dynamicRef" || name == "$recursiveRef" || name == "$dynamicAnchor"):
			return fmt.Errorf("%s is not supported", name)
		}
		if err := selfContained(value); err != nil {
			return err
		}
	}
	return nil
}

// outside reports whether a reference names something by a scheme of the network or the file system.
func outside(ref string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(ref), ":")
	return ok && (scheme == "http" || scheme == "https" || scheme == "file" || scheme == "ftp")
}

// values counts the JSON values in a document.
func values(doc any) int {
	n := 1
	switch v := doc.(type) {
	case map[string]any:
		for _, item := range v {
			n += values(item)
		}
	case []any:
		for _, item := range v {
			n += values(item)
		}
	}
	return n
}

// decodeTree decodes a document without changing its numbers.
func decodeTree(raw []byte) (any, error) { return decodeWithin(casefile.MaxDocument, raw) }

// decodeWithin decodes one JSON value of at most limit bytes.
func decodeWithin(limit int, raw []byte) (any, error) {
	if len(raw) > limit {
		return nil, casefile.ErrTooLarge
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return doc, nil
}
