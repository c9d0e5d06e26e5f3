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

// params are the positional parameters of a call. The first fault stays in err, and nothing is read
// after it. A method that changes something must look at err before. Errors have the texts of
// Agave's JSON-RPC server.
type params struct {
	list []json.RawMessage
	err  error
}

// newParams checks the number of parameters.
func newParams(raw json.RawMessage, least, most int) (*params, error) {
	raw = bytes.TrimSpace(raw)
	p := &params{}
	if len(raw) > 0 && !isNull(raw) {
		if raw[0] != '[' || json.Unmarshal(raw, &p.list) != nil {
			return nil, invalidParams("`params` should be an array")
		}
	}
	switch n := len(p.list); {
	case n < least:
		return nil, invalidParams("`params` should have at least %d argument(s)", least)
	case n > most && most == 0:
		return nil, invalidParams("Invalid parameters: No parameters were expected")
	case n > most:
		e := invalidParams("Invalid parameters: Expected from %d to %d parameters.", least, most)
		e.Data = fmt.Sprintf("%q", fmt.Sprintf("Got: %d", n))
		return nil, e
	}
	return p, nil
}

// has reports whether the i-th parameter is there and not null.
func (p *params) has(i int) bool { return i < len(p.list) && !isNull(p.list[i]) }

func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

// fail keeps an error if it is the first.
func (p *params) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// read decodes the i-th parameter into a Go value. expected describes it for the error. A missing
// optional parameter leaves the value unchanged.
func (p *params) read(i int, into any, expected string) {
	if p.err == nil && i < len(p.list) {
		p.err = unmarshal(p.list[i], into, expected)
	}
}

// optional is read for a parameter that may be null.
func (p *params) optional(i int, into any, expected string) {
	if p.has(i) {
		p.read(i, into, expected)
	}
}

// context reads the configuration of methods that only select a state.
func (p *params) context(i int) (c contextConfig) {
	p.optional(i, &c, "struct RpcContextConfig")
	return c
}

// parsed parses a word that was read before.
func parsed[T any](p *params, word string, parse func(string) (T, error)) (out T) {
	if p.err == nil {
		out, p.err = parse(word)
	}
	return out
}

// keys parses addresses that were read before.
func (p *params) keys(words []string) []solana.PublicKey {
	out := make([]solana.PublicKey, len(words))
	for i, w := range words {
		out[i] = parsed(p, w, parseKey)
	}
	return out
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

func (p *params) text(i int) (s string)            { p.read(i, &s, "a string"); return s }
func (p *params) u64(i int) (n uint64)             { p.read(i, &n, "u64"); return n }
func (p *params) key(i int) solana.PublicKey       { return parsed(p, p.text(i), parseKey) }
func (p *params) signature(i int) solana.Signature { return parsed(p, p.text(i), parseSignature) }

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
