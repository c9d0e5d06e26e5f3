package canon

import (
	"fmt"

	"github.com/gowebpki/jcs"
)

// Tidied is the way of JSON without the library.
func Tidied(raw []byte) ([]byte, bool) { return tidied(raw) }

// Spread is the way of Indent without the library.
func Spread(plain []byte) []byte { return spread(plain) }

// Library is JSON as it was before there was another way than the library.
func Library(raw []byte, limit int) ([]byte, error) {
	if len(raw) > limit*maxIndent {
		return nil, ErrTooLarge
	}
	if err := scan(raw); err != nil {
		return nil, err
	}
	out, err := jcs.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	if len(out) > limit {
		return nil, ErrTooLarge
	}
	return out, nil
}
