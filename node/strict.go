package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// strictJSON reads exactly one JSON value without unknown fields.
func strictJSON(raw []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return fmt.Errorf("node: decode: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("node: decode: more than one JSON value")
	}
	return nil
}
