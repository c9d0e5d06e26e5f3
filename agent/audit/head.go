package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ojud/ledger/journal/durable"
)

// head is the last line of a log.
type head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// String returns the form that Expected.Head reads.
func (h head) String() string { return fmt.Sprintf("%d:%s", h.Seq, h.Hash) }

// writeHead writes which line is the last one.
func (t *Trail) writeHead() error {
	raw, err := json.Marshal(t.last)
	if err == nil {
		err = durable.WriteFile(t.path+headEnd, raw)
	}
	if err != nil {
		return fmt.Errorf("audit: the head of %s could not be written: %w", t.path, err)
	}
	t.late = false
	return nil
}

// readHead reads the head of a log; it is zero if there is none.
func readHead(path string) (h head, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil && len(raw) > 1024 {
		err = fmt.Errorf("%s has %d bytes and is no head", path, len(raw))
	}
	if err == nil {
		err = json.Unmarshal(raw, &h)
	}
	if err != nil {
		return h, fmt.Errorf("audit: %w", err)
	}
	return h, nil
}
