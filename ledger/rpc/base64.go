package rpc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// Contexted is an answer with the slot that it came from.
type Contexted[T any] struct {
	Context struct {
		Slot uint64 `json:"slot"`
	} `json:"context"`
	Value T `json:"value"`
}

// Base64 is ["…", "base64"].
type Base64 []byte

var _ json.Unmarshaler = (*Base64)(nil)

// UnmarshalJSON reads bytes in base64 and no other encoding.
func (d *Base64) UnmarshalJSON(raw []byte) error {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	var pair []string
	if err := json.Unmarshal(raw, &pair); err != nil || len(pair) != 2 || pair[1] != "base64" {
		return fmt.Errorf("data is not [\"…\", \"base64\"]")
	}
	data, err := base64.StdEncoding.DecodeString(pair[0])
	*d = data
	return err
}
