package network

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ojud/casefile/canon"
)

// Encode writes a message between nodes: canonical JSON of at most limit bytes.
func Encode(message any, limit int) ([]byte, error) {
	raw, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("network: encode: %w", err)
	}
	return canon.JSON(raw, limit)
}

// Decode reads a message of a peer. It refuses anything but canonical JSON of at most limit bytes,
// and unknown fields.
func Decode(raw []byte, limit int, out any) error {
	if err := canon.Exact(raw, limit); err != nil {
		return err
	}
	return DecodeStrict(raw, out)
}

// DecodeStrict reads exactly one JSON value, in any form, without unknown fields.
func DecodeStrict(raw []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return fmt.Errorf("network: decode: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("network: decode: more than one JSON value")
	}
	return nil
}
