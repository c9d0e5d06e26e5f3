package shell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"ojud/agent/host"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// decoded reads the input of a capability: one object without unknown members.
func decoded[T any](raw json.RawMessage) (v T, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err = d.Decode(&v); err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("it has more than one JSON value")
		}
	}
	if err != nil {
		return v, &host.Refused{Code: host.Form, Words: "the input cannot be read: " + err.Error()}
	}
	return v, nil
}
