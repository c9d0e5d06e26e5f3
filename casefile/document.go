package casefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"ojud/casefile/canon"
	"ojud/voting"
)

// The limits of protocol sections 1, 2, 3 and 10, in bytes of canonical JSON unless said otherwise.
const (
	MaxDocument = 256 << 10 // a document or a fact document
	MaxVote     = 8 << 10   // a vote object
	maxEvent    = 64 << 10  // an event with its signature
	MaxBundle   = 32 << 20  // a bundle file, as it is on disk
	MaxLists    = 5         // documents with the candidates of a draw
)

// Doc is a document with the canonical bytes that were hashed and the hash that names it on the
// chain.
type Doc[T any] struct {
	Value T
	Raw   []byte // canonical JSON
	Hash  voting.Hash
}

// Form is a document type that checks itself beyond the types of its fields.
type Form interface {
	validate(document string) error
}

// read makes canonical, decodes strictly and validates. The name stands in front of every error.
func read[T Form](name string, raw []byte, limit int) (Doc[T], error) {
	canonical, err := canon.JSON(raw, limit)
	if err != nil {
		return Doc[T]{}, fmt.Errorf("%s: %w", name, err)
	}
	doc := Doc[T]{Raw: canonical, Hash: HashOf(canonical)}
	if err := decode(name, canonical, &doc.Value, ""); err != nil {
		return Doc[T]{}, err
	}
	return doc, doc.Value.validate(name)
}

// write validates v and encodes it.
func write[T Form](name string, v T, limit int) (Doc[T], error) {
	if err := v.validate(name); err != nil {
		return Doc[T]{}, err
	}
	raw, err := encode(v, limit)
	if err != nil {
		return Doc[T]{}, fmt.Errorf("%s: %w", name, err)
	}
	return Doc[T]{Value: v, Raw: raw, Hash: HashOf(raw)}, nil
}

// HashOf names content: the SHA-256 of its bytes, which for JSON are the canonical ones.
func HashOf(content []byte) voting.Hash { return sha256.Sum256(content) }

// encode returns the canonical JSON of v, which the caller has validated: json.Marshal would
// replace invalid UTF-8 silently.
func encode(v any, limit int) ([]byte, error) {
	var raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false) // or else a "<" takes six bytes, and the text is too large before it is canonical
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("%w: %w", canon.ErrNotJSON, err)
	}
	return canon.JSON(raw.Bytes(), limit)
}

// checker collects the first fault of a document.
type checker struct {
	document string
	err      error
}

// fail records a fault, unless there is one already.
func (c *checker) fail(path, format string, args ...any) {
	if c.err == nil {
		c.err = &FieldError{Document: c.document, Field: path, Problem: fmt.Sprintf(format, args...)}
	}
}

// text checks a string: valid UTF-8 of least..most bytes.
func (c *checker) text(path, s string, least, most int) {
	switch {
	case len(s) < least:
		c.fail(path, "is empty; at least %d byte is needed", least)
	case len(s) > most:
		c.fail(path, "is %d bytes; at most %d are allowed, shorten it", len(s), most)
	case !utf8.ValidString(s):
		c.fail(path, "is not valid UTF-8; remove the broken characters")
	}
}

// plain checks printable ASCII of at most so many bytes: it ends on people's screens.
func (c *checker) plain(path, s string, most int) {
	c.text(path, s, 0, most)
	for _, r := range s {
		if r < ' ' || r > '~' {
			c.fail(path, "has the character %q; only printable ASCII is allowed", r)
		}
	}
}

// count checks a number of items.
func (c *checker) count(path string, n, most int, what string) {
	if n > most {
		c.fail(path, "has %d %s; at most %d are allowed", n, what, most)
	}
}

// name checks 1..64 bytes of [a-z0-9._:-].
func (c *checker) name(path, s string) {
	c.text(path, s, 1, 64)
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != ':' && r != '-' {
			c.fail(path, "%q has the character %q; only a-z 0-9 . _ : - are allowed", s, r)
		}
	}
}
