package casefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"ojud/casefile/plaintext"
	"ojud/voting"
)

// The limits of protocol sections 1, 2, 3 and 10, in bytes of canonical JSON unless said otherwise.
const (
	MaxDocument = 256 << 10           // a document or a fact document
	MaxVote     = 8 << 10             // a vote object
	maxEvent    = 64 << 10            // an event with its signature
	MaxBundle   = 32 << 20            // a bundle file, as it is on disk
	MaxDepth    = plaintext.MaxDepth  // containers inside each other
	maxValues   = plaintext.MaxValues // values and keys in one text
	maxIndent   = 2                   // a text may be this much longer than its canonical form, for people's white space
)

// Canonical returns the RFC 8785 form of raw, which is at most limit bytes. It refuses, before it
// builds anything, a text that is too large, too deep or has too many values, and then what
// protocol section 1 refuses: duplicate keys, invalid UTF-8, lone surrogates, numbers that no IEEE
// double can hold. An integer written without fraction or exponent must survive as it is:
// 9007199254740993 would silently become …992, so it is refused.
func Canonical(raw []byte, limit int) ([]byte, error) {
	if len(raw) > limit*maxIndent {
		return nil, fmt.Errorf("%w: %d bytes; at most %d", ErrTooLarge, len(raw), limit)
	}
	if len(raw) <= limit && plaintext.Plain(raw) {
		return bytes.Clone(raw), nil
	}
	if err := scan(raw); err != nil {
		return nil, err
	}
	out, err := jcs.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	if len(out) > limit {
		return nil, fmt.Errorf("%w: %d bytes in canonical form; at most %d", ErrTooLarge, len(out), limit)
	}
	return out, nil
}

// HashOf names content: the SHA-256 of its bytes, which for JSON are the canonical ones.
func HashOf(content []byte) voting.Hash { return sha256.Sum256(content) }

// encode returns the canonical JSON of v, which the caller has validated: json.Marshal would
// replace invalid UTF-8 silently.
func encode(v any, limit int) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	return Canonical(raw, limit)
}
