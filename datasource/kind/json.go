package kind

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"ojud/casefile/canon"
	"ojud/datasource/exact"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// parse reads one JSON value from outside. It checks the bounds before it builds anything. Errors
// are ErrLarge and ErrSchema; they do not quote the value.
func parse(raw []byte, limit int) (any, error) {
	whole, err := io.ReadAll(exact.NewReader(bytes.NewReader(raw), 0, nil))
	if err != nil {
		return nil, err
	}
	canonical, err := canon.JSON(whole, limit)
	if errors.Is(err, canon.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", ErrLarge, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: it is not a JSON value that can be kept", ErrSchema)
	}
	return DecodeJSON(canonical)
}

// DecodeJSON decodes one JSON value without changing its numbers.
func DecodeJSON(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: it is not JSON", ErrSchema)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is more than one value", ErrSchema)
	}
	return doc, nil
}

// encode writes a decoded value.
func encode(doc any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("%w: it cannot be written as JSON", ErrSchema)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
