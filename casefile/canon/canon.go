package canon

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"
)

// The classes of faults of a text.
var (
	ErrTooLarge     = errors.New("canon: too large")                                   // bytes, values or depth
	ErrNotJSON      = errors.New("canon: not JSON, or not JSON with a canonical form") // protocol section 1
	ErrNotCanonical = errors.New("canon: JSON is not in canonical form")               // where exact bytes are named by a hash
)

// A text may be this much longer than its canonical form, for people's white space.
const maxIndent = 2

// JSON returns the RFC 8785 form of raw, which is at most limit bytes. It refuses, before it
// builds anything, a text that is too large, too deep or has too many values, and then what
// protocol section 1 refuses: duplicate keys, invalid UTF-8, lone surrogates, numbers that no IEEE
// double can hold. An integer written without fraction or exponent must survive as it is:
// 9007199254740993 would silently become …992, so it is refused.
func JSON(raw []byte, limit int) ([]byte, error) {
	if len(raw) > limit*maxIndent {
		return nil, fmt.Errorf("%w: %d bytes; at most %d", ErrTooLarge, len(raw), limit)
	}
	if len(raw) <= limit && Plain(raw) {
		return bytes.Clone(raw), nil
	}
	out, ok := tidied(raw)
	if !ok {
		if err := scan(raw); err != nil {
			return nil, err
		}
		var err error
		if out, err = jcs.Transform(raw); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotJSON, err)
		}
	}
	if len(out) > limit {
		return nil, fmt.Errorf("%w: %d bytes in canonical form; at most %d", ErrTooLarge, len(out), limit)
	}
	return out, nil
}

// Exact refuses content that is not byte for byte canonical JSON of at most limit bytes, because
// content that a hash names has one form.
func Exact(content []byte, limit int) error {
	if len(content) <= limit && Plain(content) {
		return nil
	}
	canonical, err := JSON(content, limit)
	if err != nil {
		return err
	}
	if !bytes.Equal(canonical, content) {
		return ErrNotCanonical
	}
	return nil
}
