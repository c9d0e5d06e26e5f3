package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
)

// maxRequest bounds a request, in bytes.
const maxRequest = 64 << 10

// ReadRequest reads a request to a source: JSON, or @FILE.
func ReadRequest(what, text string) (raw []byte, err error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		if raw, err = readSome(name); err != nil {
			return nil, Usage("%s: %v", what, err)
		}
		text = string(raw)
	}
	if text == "" {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil || len(text) > maxRequest {
		return nil, Usage("%s is not a JSON object of at most %d bytes", what, maxRequest).Next(`write one such as '{"id":"7"}', or @FILE`)
	}
	return []byte(text), nil
}

// readSome reads at most maxRequest+1 bytes of a file.
func readSome(name string) (raw []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxRequest+1))
}
