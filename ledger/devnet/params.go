package devnet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"
)

// params are the positional parameters of a call. Errors have the texts of Agave's JSON-RPC server.
type params []json.RawMessage

// newParams checks the number of parameters.
func newParams(raw json.RawMessage, least, most int) (params, error) {
	raw = bytes.TrimSpace(raw)
	var p params
	if len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
		if raw[0] != '[' {
			return nil, invalidParams("`params` should be an array")
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, invalidParams("`params` should be an array")
		}
	}
	switch {
	case len(p) < least:
		return nil, invalidParams("`params` should have at least %d argument(s)", least)
	case len(p) > most && most == 0:
		return nil, invalidParams("Invalid parameters: No parameters were expected")
	case len(p) > most:
		e := invalidParams("Invalid parameters: Expected from %d to %d parameters.", least, most)
		e.Data = fmt.Sprintf("%q", fmt.Sprintf("Got: %d", len(p)))
		return nil, e
	}
	return p, nil
}

// has reports whether the i-th parameter is there and not null.
func (p params) has(i int) bool { return i < len(p) && !isNull(p[i]) }

func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

// read decodes the i-th parameter into a Go value. expected describes it for the error. A missing
// optional parameter leaves the value unchanged.
func (p params) read(i int, into any, expected string) error {
	if i >= len(p) {
		return nil
	}
	return unmarshal(p[i], into, expected)
}

// optional is read for a parameter that may be null.
func (p params) optional(i int, into any, expected string) error {
	if !p.has(i) {
		return nil
	}
	return p.read(i, into, expected)
}

// variantError is an unknown word where only some are allowed, with serde's text.
type variantError struct{ text string }

func (e *variantError) Error() string { return e.text }

func unmarshal(raw json.RawMessage, into any, expected string) error {
	if isNull(raw) {
		return invalidParams("Invalid params: invalid type: null, expected %s.", expected)
	}
	err := json.Unmarshal(raw, into)
	if err == nil {
		return nil
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field == "" {
		what := unexpected(raw)
		if raw[0] == '-' && expected[0] == 'u' { // u64 and usize: of the right type, but out of range
			what = strings.Replace(what, "invalid type: integer", "invalid value: integer", 1)
		}
		return invalidParams("Invalid params: %s, expected %s.", what, expected)
	}
	return invalidParams("Invalid params: %s.", explain(err))
}

// explain describes an error inside an object, as close to serde's words as the decoder allows.
func explain(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf("invalid type: %s, expected %s", kind.Value, rustType(kind.Type.Kind()))
	}
	return err.Error()
}

// rustType returns serde's name of a type.
func rustType(k reflect.Kind) string {
	switch k {
	case reflect.Uint64:
		return "u64"
	case reflect.Uint8:
		return "u8"
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a sequence"
	}
	return "a map"
}

// unexpected describes a value of the wrong type as serde does.
func unexpected(raw json.RawMessage) string {
	text := string(bytes.TrimSpace(raw))
	switch c := text[0]; {
	case c == '"':
		return "invalid type: string " + text
	case c == '{':
		return "invalid type: map"
	case c == '[':
		return "invalid type: sequence"
	case c == 't' || c == 'f':
		return "invalid type: boolean `" + text + "`"
	case bytes.ContainsAny(raw, ".eE"):
		return "invalid type: floating point `" + text + "`"
	}
	return "invalid type: integer `" + text + "`"
}

func (p params) text(i int) (s string, err error) { return s, p.read(i, &s, "a string") }
func (p params) u64(i int) (n uint64, err error)  { return n, p.read(i, &n, "u64") }

func (p params) key(i int) (solana.PublicKey, error) {
	s, err := p.text(i)
	if err != nil {
		return solana.PublicKey{}, err
	}
	return parseKey(s)
}

func (p params) signature(i int) (solana.Signature, error) {
	s, err := p.text(i)
	if err != nil {
		return solana.Signature{}, err
	}
	return parseSignature(s)
}

// decode58 reads base58 of a fixed size. The error is the name of Rust's variant.
func decode58(s string, size, longest int) ([]byte, error) {
	if s == "" || len(s) > longest {
		return nil, errors.New("WrongSize")
	}
	raw, err := base58.Decode(s)
	if err != nil {
		return nil, errors.New("Invalid")
	}
	if len(raw) != size {
		return nil, errors.New("WrongSize")
	}
	return raw, nil
}

func parseKey(s string) (solana.PublicKey, error) {
	raw, err := decode58(s, solana.PublicKeyLength, 44)
	if err != nil {
		return solana.PublicKey{}, invalidParams("Invalid param: %v", err)
	}
	return solana.PublicKey(raw), nil
}

func parseHash(s string) (solana.Hash, error) {
	key, err := parseKey(s)
	return solana.Hash(key), err
}

func parseSignature(s string) (solana.Signature, error) {
	raw, err := decode58(s, solana.SignatureLength, 88)
	if err != nil {
		return solana.Signature{}, invalidParams("Invalid param: %v", err)
	}
	return solana.Signature(raw), nil
}
