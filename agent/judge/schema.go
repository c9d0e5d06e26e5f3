package judge

import (
	"encoding/json"
	"errors"
	"fmt"

	"ojud/agent/judge/shorthand"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/schema"
)

// errSchema says that code cannot use a task's output_schema. Its author is to blame.
var errSchema = errors.New("judge: output_schema cannot be used")

// Schema is a compiled output_schema.
type Schema struct {
	*schema.Schema
	Short bool // it was written in the short form
	Idle  bool // it accepts every value
	// Words is a keyword in it that no validator asserts, such as a description.
	Words string
	// UnknownFormat is a format in it that no check asserts; empty: there is none.
	UnknownFormat string
}

// Compile reads output_schema, in the short form or as a JSON Schema. Everything in it is hostile
// and bounded. Errors are ErrSchema.
func Compile(raw json.RawMessage, l Limits) (*Schema, error) {
	limits := l.schema()
	doc, err := limits.DecodeSchema(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errSchema, clean(schema.Reason(err)))
	}
	doc, short := shorthand.Translate(doc)
	compiled, err := schema.CompileDecoded(doc, limits)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errSchema, clean(schema.Reason(err)))
	}
	return &Schema{compiled, short, !shorthand.Constrains(doc), shorthand.Words(doc), schema.UnknownFormat(doc)}, nil
}

func (l Limits) schema() schema.Limits {
	return schema.Limits{
		SchemaBytes: l.SchemaBytes, SchemaValues: l.SchemaValues, ValueBytes: casefile.MaxDocument, Depth: canon.MaxDepth,
		Values: casefile.MaxDocument, PatternBytes: l.PatternBytes, PatternSize: l.PatternSize, Steps: l.Steps, Violations: l.Errors,
	}
}

// decode decodes one JSON value of at most the given number of bytes.
func decode(raw []byte, most int) (any, error) {
	doc, err := schema.Limits{ValueBytes: most, Depth: canon.MaxDepth, Values: most}.Decode(raw)
	if err != nil {
		return nil, errors.New(schema.Reason(err))
	}
	return doc, nil
}

// names is shorthand.Names of a schema. One that cannot be used names all.
func names(raw json.RawMessage) func(path []string) bool {
	doc, err := decode(raw, casefile.MaxDocument)
	if err != nil {
		return func([]string) bool { return true }
	}
	return shorthand.Names(doc)
}
