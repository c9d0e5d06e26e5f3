package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errJSON says that a text is not one JSON value within the limits.
var errJSON = errors.New("schema: not JSON that can be used")

// Decode decodes one JSON value with its numbers as json.Number. The error is ErrJSON if the text
// is beyond the limits, is not UTF-8, has a number that no double can hold, or has an object with a
// repeated name, because readers disagree about which one counts.
func (l Limits) Decode(raw []byte) (any, error) {
	if len(raw) > l.ValueBytes {
		return nil, fmt.Errorf("%w: %d bytes; at most %d", errJSON, len(raw), l.ValueBytes)
	}
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("%w: it is not UTF-8", errJSON)
	}
	r := reading{json.NewDecoder(bytes.NewReader(raw)), l.Values, l.Values}
	r.UseNumber()
	v, err := r.value(l.Depth)
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errJSON, err)
	}
	return v, nil
}

// reading builds a value token by token, so that each limit is checked in time.
type reading struct {
	*json.Decoder
	most int // values that a text may have
	left int // values that are left
}

// token reads the next token. The end of the text is an error.
func (r *reading) token() (json.Token, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("it has more than %d values", r.most)
	}
	token, err := r.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("it ends too early")
	}
	return token, err
}

func (r *reading) end() error {
	if _, err := r.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}

func (r *reading) value(depth int) (any, error) {
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	return r.build(token, depth)
}

func (r *reading) build(token json.Token, depth int) (any, error) {
	switch token := token.(type) {
	case json.Number:
		return token, number(string(token))
	case json.Delim:
		if depth == 0 {
			return nil, errors.New("it is nested too deep")
		}
		if token == '{' {
			return r.object(depth - 1)
		}
		return r.array(depth - 1)
	}
	return token, nil
}

func (r *reading) object(depth int) (any, error) {
	out := map[string]any{}
	for r.More() {
		name, err := r.token()
		if err != nil {
			return nil, err
		}
		text := name.(string) // by json.Decoder
		if _, twice := out[text]; twice {
			return nil, fmt.Errorf("an object has %s twice", quote(text))
		}
		if out[text], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	_, err := r.close()
	return out, err
}

func (r *reading) array(depth int) (any, error) {
	out := []any{}
	for r.More() {
		item, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	_, err := r.close()
	return out, err
}

// close reads the end of an array or an object, which does not count as a value.
func (r *reading) close() (json.Token, error) {
	r.left++
	return r.token()
}

// number refuses numbers that cost more than a double, such as 1e999999 as a fraction.
func number(text string) error {
	const most = 308 // decimal exponent of the largest double
	mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
	e, err := strconv.Atoi(exponent)
	if len(mantissa) > most || has && (err != nil || e < -most || e > most) {
		return fmt.Errorf("the number %s is beyond a double", quote(text))
	}
	return nil
}

// quote returns the start of a stranger's text.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.QuoteToGraphic(s)
}
