// Package pin has the form in which a task names data of an agent: the address of an account, or
// the address with the hash that its bytes must have (protocol section 2). A task pins data by the
// second form.
package pin

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Max is how many data a task names at most.
const Max = 32

// Example stands for an address in the example of seed 000. It is accepted, and names no account.
const Example = "PDA_ADDRESS"

// Data is one that a task names.
type Data struct {
	Account string // an address
	SHA256  string // of the bytes of the account, in lower-case hex; empty: the task does not pin it
}

// pinned is the JSON of data that is pinned.
type pinned struct {
	Data   string `json:"data"`
	SHA256 string `json:"sha256"`
}

// MarshalJSON writes what FillJSON reads.
func (d Data) MarshalJSON() ([]byte, error) {
	if d.SHA256 == "" {
		return json.Marshal(d.Account)
	}
	return json.Marshal(pinned{d.Account, d.SHA256})
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Data) UnmarshalJSON(raw []byte) error { return d.FillJSON(raw) }

var errForm = errors.New(`is neither an address nor {"data": ADDRESS, "sha256": HASH}`)

// FillJSON reads an address, or an object of an address and a hash.
func (d *Data) FillJSON(raw json.RawMessage) error {
	var address string
	if json.Unmarshal(raw, &address) == nil {
		*d = Data{Account: address}
		return nil
	}
	var members map[string]json.RawMessage // by their exact names
	if json.Unmarshal(raw, &members) != nil || !slices.Equal(slices.Sorted(maps.Keys(members)), []string{"data", "sha256"}) {
		return errForm
	}
	var p pinned
	if err := json.Unmarshal(raw, &p); err != nil {
		return errForm
	}
	if len(p.SHA256) != 64 || strings.Trim(p.SHA256, "0123456789abcdef") != "" {
		return fmt.Errorf("has the sha256 %.70q; 64 lower-case hex digits are needed", p.SHA256)
	}
	*d = Data{p.Data, p.SHA256}
	return nil
}

var (
	errExample = errors.New("it is the example of an address, which has no content")
	errClash   = errors.New("it stands above with another sha256, or with none")
)

// Problem says what is wrong with data behind others of the task. Unread is the error of its
// address.
func (d Data) Problem(unread error, before []Data) error {
	switch {
	case d.Account == Example && d.SHA256 == "":
		return nil
	case d.Account == Example:
		return errExample
	case unread != nil:
		return unread
	case slices.ContainsFunc(before, func(o Data) bool { return o.Account == d.Account && o.SHA256 != d.SHA256 }):
		return errClash
	}
	return nil
}
