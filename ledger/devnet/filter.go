package devnet

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/mr-tron/base58"

	"ojud/ledger/svm/accounts"
)

// Limits of Agave (rpc-client-types/src/filter.rs).
const (
	maxFilters      = 4
	maxMemcmp       = 128
	maxMemcmpBase58 = 175
	maxMemcmpBase64 = 172
)

// filter selects accounts of a program. Exactly one of the two fields is set.
type filter struct {
	dataSize *uint64
	memcmp   *memcmp
}

// memcmp compares bytes of the data at an offset.
type memcmp struct {
	Offset   uint64          `json:"offset"`
	Bytes    json.RawMessage `json:"bytes"`
	Encoding *string         `json:"encoding"`

	raw []byte
}

// UnmarshalJSON reads {"dataSize": n} or {"memcmp": {…}}.
func (f *filter) UnmarshalJSON(raw []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || len(fields) != 1 {
		return &variantError{"invalid filter: expected an object with exactly one of `dataSize`, `memcmp`"}
	}
	for name, value := range fields {
		switch name {
		case "dataSize":
			return json.Unmarshal(value, &f.dataSize)
		case "memcmp":
			f.memcmp = &memcmp{}
			return json.Unmarshal(value, f.memcmp)
		default:
			return &variantError{fmt.Sprintf(
				"unknown variant `%s`, expected one of `dataSize`, `memcmp`, `tokenAccountState`", name)}
		}
	}
	return nil
}

// verifyFilters decodes and bounds the values that filters compare with.
func verifyFilters(filters []filter) error {
	if len(filters) > maxFilters {
		return invalidParams("Too many filters provided; max %d", maxFilters)
	}
	for i := range filters {
		if m := filters[i].memcmp; m != nil {
			if err := m.verify(); err != nil {
				return invalidParams("Invalid param: %v", err)
			}
		} else if filters[i].dataSize == nil {
			return invalidParams("Invalid params: invalid type: null, expected u64.")
		}
	}
	return nil
}

// verify decodes the bytes. The error is Agave's name for it.
func (m *memcmp) verify() error {
	var text string
	if err := json.Unmarshal(m.Bytes, &text); err != nil || isNull(m.Bytes) {
		return m.verifyArray()
	}
	var err error
	switch kind := m.Encoding; {
	case kind == nil || *kind == string(encodingBase58) || *kind == string(encodingBinary):
		if len(text) > maxMemcmpBase58 {
			return fmt.Errorf("DataTooLarge")
		}
		if text != "" {
			m.raw, err = base58.Decode(text)
		}
		if err != nil {
			return fmt.Errorf("Base58DecodeError(%w)", err)
		}
	case *kind == string(encodingBase64):
		if len(text) > maxMemcmpBase64 {
			return fmt.Errorf("DataTooLarge")
		}
		if m.raw, err = base64.StdEncoding.DecodeString(text); err != nil {
			return fmt.Errorf("Base64DecodeError(%w)", err)
		}
	default:
		return fmt.Errorf("unknown variant `%s`, expected one of `base58`, `base64`, `bytes`", *kind)
	}
	return m.bound()
}

// verifyArray reads bytes from an array of numbers.
func (m *memcmp) verifyArray() error {
	var list []uint8
	var numbers []uint16 // a JSON array of uint8 would be base64 to Go
	if err := json.Unmarshal(m.Bytes, &numbers); err != nil || numbers == nil {
		return fmt.Errorf("bytes: expected a string or an array of bytes")
	}
	for _, n := range numbers {
		if n > 255 {
			return fmt.Errorf("bytes: %d is no byte", n)
		}
		list = append(list, uint8(n))
	}
	m.raw = list
	return m.bound()
}

func (m *memcmp) bound() error {
	if len(m.raw) > maxMemcmp {
		return fmt.Errorf("DataTooLarge")
	}
	return nil
}

// allows reports whether an account passes.
func (f filter) allows(a accounts.Account) bool {
	if f.dataSize != nil {
		return uint64(len(a.Data)) == *f.dataSize
	}
	if f.memcmp.Offset > uint64(len(a.Data)) {
		return false
	}
	return bytes.HasPrefix(a.Data[f.memcmp.Offset:], f.memcmp.raw)
}

func allAllow(filters []filter, a accounts.Account) bool {
	for _, f := range filters {
		if !f.allows(a) {
			return false
		}
	}
	return true
}
