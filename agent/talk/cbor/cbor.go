// Package cbor writes frames of ANEX in CBOR, and reads them: the deterministic encoding of RFC
// 8949, section 4.2.1, of what RFC 8785 can write. docs/talking.md has the rules, and
// clients/vectors.json has frames that the three languages read and write.
//
// CBOR is a form on the way, and nothing else. What is read is canonical JSON, so all rules, hashes
// and signatures are those of JSON, and nobody gains by making two peers speak the other form.
package cbor

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/fxamacker/cbor/v2"

	"ojud/casefile/canon"
	"ojud/datasource/anex"
)

// The bounds of a frame besides its length. They are checked before it is read.
const (
	maxDepth  = 64      // containers inside each other
	maxValues = 1 << 18 // values and keys
)

const (
	maxInteger = 1<<53 - 1
	maxPlain   = 1e21 // from here on, canonical JSON writes integers with an exponent
)

// errForm is the fault of a frame that is not in this form.
var errForm = errors.New("cbor: not the deterministic form of a message")

// Is reports whether a frame begins as CBOR does here. No text in UTF-8 begins so.
func Is(frame []byte) bool { return len(frame) > 0 && frame[0]>>5 == mapType }

// Encode returns the CBOR of a frame in JSON. A frame that has none, or whose limit in bytes CBOR
// would exceed, stays JSON, and ok is false: plain text, and numbers that no peer may read in the
// same way.
func Encode(frame []byte, limit int) (raw []byte, ok bool) {
	if !bytes.HasPrefix(frame, []byte("{")) {
		return nil, false
	}
	canonical, err := canon.JSON(frame, limit)
	if err != nil {
		return nil, false
	}
	// What the peer reads must not be longer than what was bounded when it was written.
	before, err := anex.Spell(frame, limit)
	after, afterErr := anex.Spell(canonical, limit)
	if err != nil || afterErr != nil || len(after) > len(before) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	if v, ok = packed(v); !ok {
		return nil, false
	}
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err == nil {
		raw, err = mode.Marshal(v)
	}
	return raw, err == nil && len(raw) <= limit && bounded(raw) == nil
}

// packed turns numbers of JSON into those of CBOR.
func packed(v any) (any, bool) {
	var ok bool
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			if v[k], ok = packed(item); !ok {
				return nil, false
			}
		}
	case []any:
		for i, item := range v {
			if v[i], ok = packed(item); !ok {
				return nil, false
			}
		}
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil && -maxInteger <= n && n <= maxInteger {
			return n, true
		}
		f, err := v.Float64()
		return f, err == nil && isFraction(f)
	}
	return v, true
}

// isFraction reports whether a number is a float in CBOR, and not an integer.
func isFraction(f float64) bool {
	return !math.IsNaN(f) && !math.IsInf(f, 0) && (f != math.Trunc(f) || math.Abs(f) >= maxPlain)
}

// Decode returns the canonical JSON of a frame in CBOR, both of at most limit bytes.
func Decode(raw []byte, limit int) ([]byte, error) {
	if len(raw) > limit {
		return nil, fmt.Errorf("%w: %d bytes; at most %d", errForm, len(raw), limit)
	}
	if !Is(raw) {
		return nil, fmt.Errorf("%w: no map", errForm)
	}
	if err := bounded(raw); err != nil {
		return nil, err
	}
	mode, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		MaxNestedLevels: maxDepth, MaxArrayElements: maxValues, MaxMapPairs: maxValues, IntDec: cbor.IntDecConvertSignedOrFail,
		DefaultMapType: reflect.TypeFor[map[string]any](),
	}.DecMode()
	if err != nil {
		return nil, err
	}
	var v map[string]any
	if err := mode.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("%w: %w", errForm, err)
	}
	if err := unpacked(v); err != nil {
		return nil, err
	}
	again, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	if one, err := again.Marshal(v); err != nil || !bytes.Equal(one, raw) {
		return nil, fmt.Errorf("%w: keys are not in order, or something is longer than it has to be", errForm)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForm, err)
	}
	if out, err = canon.JSON(out, limit); err != nil {
		return nil, fmt.Errorf("%w: %w", errForm, err)
	}
	return out, nil
}

// unpacked refuses values that JSON does not have, or has in another form.
func unpacked(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			if err := unpacked(item); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := unpacked(item); err != nil {
				return err
			}
		}
	case int64:
		if v < -maxInteger || v > maxInteger {
			return fmt.Errorf("%w: the integer %d is not exact everywhere", errForm, v)
		}
	case float64:
		if !isFraction(v) {
			return fmt.Errorf("%w: %g is to be an integer, or no number", errForm, v)
		}
	}
	return nil
}

// Major types of CBOR.
const (
	textType   = 3
	arrayType  = 4
	mapType    = 5
	simpleType = 7
)

// bounded looks at the heads alone: lengths, depth, number of values, and types that JSON has.
func bounded(raw []byte) error {
	left, values := []int{1}, 0 // left are the values that each open container still has to have
	for at := 0; ; {
		for left[len(left)-1] == 0 {
			if left = left[:len(left)-1]; len(left) == 0 {
				if at != len(raw) {
					return fmt.Errorf("%w: something follows", errForm)
				}
				return nil
			}
		}
		left[len(left)-1]--
		if values++; values > maxValues || at >= len(raw) {
			return fmt.Errorf("%w: byte %d: it ends there, or has more than %d values", errForm, at, maxValues)
		}
		major, info := raw[at]>>5, int(raw[at]&31)
		at++
		n := uint64(info)
		if info >= 24 {
			size := 1 << ((info - 24) & 3)
			if info > 27 || len(raw)-at < size {
				return fmt.Errorf("%w: byte %d: a length that is not there", errForm, at)
			}
			var whole [8]byte
			copy(whole[8-size:], raw[at:at+size])
			n, at = binary.BigEndian.Uint64(whole[:]), at+size
		}
		sized := major >= textType && major <= mapType
		switch {
		case sized && n > uint64(len(raw)-at):
			return fmt.Errorf("%w: byte %d: %d values or bytes are not there", errForm, at, n)
		case major == textType:
			at += int(n)
		case sized && len(left) > maxDepth:
			return fmt.Errorf("%w: nested deeper than %d", errForm, maxDepth)
		case major == arrayType:
			left = append(left, int(n))
		case major == mapType:
			left = append(left, 2*int(n))
		case major == 0 || major == 1 || major == simpleType && (20 <= info && info <= 22 || 25 <= info && info <= 27):
		default:
			return fmt.Errorf("%w: byte %d: a type that JSON does not have", errForm, at)
		}
	}
}
