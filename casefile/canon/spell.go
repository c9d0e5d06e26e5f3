package canon

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mr-tron/base58"
)

// ErrSpelling means that a text is a second spelling of a value: it has only one.
var ErrSpelling = errors.New("not spelled as this protocol spells it")

// Base58 fills out with the decoded text. Base58 takes quadratic time, so the length is looked at
// first.
func Base58(text, out []byte) error {
	if len(text) > len(out)*138/100+1 {
		return fmt.Errorf("%d characters are too many", len(text))
	}
	raw, err := base58.Decode(string(text))
	if err != nil {
		return err
	}
	if len(raw) != len(out) {
		return fmt.Errorf("%d bytes instead of %d", len(raw), len(out))
	}
	if base58.Encode(raw) != string(text) {
		return ErrSpelling
	}
	copy(out, raw)
	return nil
}

// Base64 reads standard base64 with padding, without line breaks and with zero trailing bits.
func Base64(text []byte) ([]byte, error) {
	raw, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return nil, fmt.Errorf("no standard base64: %w", err)
	}
	if base64.StdEncoding.EncodedLen(len(raw)) != len(text) {
		return nil, fmt.Errorf("no standard base64: %w", ErrSpelling)
	}
	return raw, nil
}

// Indent gives canonical JSON the form of a file: two spaces a level, and one newline at the end.
func Indent(canonical []byte) ([]byte, error) {
	if Plain(canonical) {
		return spread(canonical), nil
	}
	var out bytes.Buffer
	out.Grow(len(canonical) * 5 / 4)
	if err := json.Indent(&out, canonical, "", "  "); err != nil {
		return nil, fmt.Errorf("canon: indent: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// spread is Indent for a plain text.
func spread(plain []byte) []byte {
	out, depth := make([]byte, 0, len(plain)*5/4+1), 0
	line := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, "  "...)
		}
	}
	for i := 0; i < len(plain); i++ {
		switch c := plain[i]; c {
		case '"':
			end := skipString(plain, i)
			out = append(out, plain[i:end+1]...)
			i = end
		case '{', '[':
			out = append(out, c)
			if next := plain[i+1]; next == '}' || next == ']' {
				out = append(out, next)
				i++
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			out = append(out, c)
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	return append(out, '\n')
}
