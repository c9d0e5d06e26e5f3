package datasource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile/canon"
	"ojud/schema"
)

// schemaLimits bound the schemas of a card, which a stranger may have written.
func schemaLimits() schema.Limits {
	l := schema.DefaultLimits()
	l.SchemaBytes, l.Depth, l.Values, l.Steps = MaxSchema, canon.MaxDepth, MaxAnswer, 400_000
	return l
}

// compileSchema reads a schema of a card with one of the compilers of package schema.
func compileSchema(raw []byte, compile func([]byte, schema.Limits) (*schema.Schema, error)) (*schema.Schema, error) {
	if len(raw) == 0 {
		raw = []byte(`{}`)
	}
	canonical, err := canon.JSON(raw, MaxSchema)
	if errors.Is(err, canon.ErrTooLarge) {
		return nil, fmt.Errorf("has more than %d bytes, or is nested too deep; say it shorter", MaxSchema)
	}
	if err != nil {
		return nil, errors.New("is no JSON value")
	}
	if canonical[0] != '{' {
		return nil, errors.New("is not an object; write a JSON Schema such as {\"type\": \"object\", \"properties\": {…}}")
	}
	s, err := compile(canonical, schemaLimits())
	if err != nil {
		return nil, fmt.Errorf("is no JSON Schema 2020-12 that can be used: %s", schema.Reason(err))
	}
	return s, nil
}

// satisfies returns an error if a decoded value violates a schema. The error names the place and
// the keywords, and never quotes the value. It has the given class, or ErrSlow if ctx ended.
func satisfies(ctx context.Context, s *schema.Schema, doc any, class error) error {
	const most = 4
	violations, err := s.Validate(ctx, doc)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrSlow, context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("%w: %w", class, err)
	case len(violations) == 0:
		return nil
	}
	var places []string
	for _, v := range violations {
		places = append(places, fmt.Sprintf("%.100q (%.60s)", v.Path, v.Keyword))
	}
	slices.Sort(places)
	places = slices.Compact(places)
	more := ""
	if len(places) > most {
		places, more = places[:most], ", …"
	}
	return fmt.Errorf("%w: it does not satisfy the schema at %s%s", class, strings.Join(places, ", "), more)
}
