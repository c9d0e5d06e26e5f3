package datasource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"ojud/casefile"
)

// decode decodes canonical JSON without changing its numbers.
func decode(canonical []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, errors.New("it is not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it is more than one value")
	}
	return doc, nil
}

// canonical encodes a decoded value as an answer. Errors are ErrLarge and ErrSchema.
func canonical(doc any) (json.RawMessage, error) {
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be written as JSON", ErrSchema)
	}
	out, err := casefile.Canonical(raw, MaxAnswer)
	if errors.Is(err, casefile.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", ErrLarge, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return out, nil
}
