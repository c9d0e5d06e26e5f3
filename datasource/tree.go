package datasource

import (
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile/canon"
)

// canonical encodes a decoded value as an answer. Errors are ErrLarge and ErrSchema.
func canonical(doc any) (json.RawMessage, error) {
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be written as JSON", ErrSchema)
	}
	out, err := canon.JSON(raw, MaxAnswer)
	if errors.Is(err, canon.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", ErrLarge, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return out, nil
}
