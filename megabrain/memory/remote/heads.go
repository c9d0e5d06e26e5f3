package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ojud/agent/delegation"
	"ojud/ledger/journal/durable"
	"ojud/megabrain/memory"
)

// Heads is a folder with the newest tree head that was seen of each node.
type Heads struct{ Dir string }

// path of the head of a node.
func (h *Heads) path(node delegation.Principal) string {
	return filepath.Join(h.Dir, strings.TrimPrefix(node.String(), "did:key:")+".head")
}

// Load returns the head that was seen last, if there is one.
func (h *Heads) Load(node delegation.Principal) (head memory.TreeHead, ok bool, err error) {
	raw, err := os.ReadFile(h.path(node))
	if errors.Is(err, fs.ErrNotExist) {
		return head, false, nil
	}
	if err != nil {
		return head, false, fmt.Errorf("remote: %w", err)
	}
	if head, err = memory.ParseHead(raw); err != nil {
		return head, false, fmt.Errorf("%s: %w", h.path(node), err)
	}
	return head, true, nil
}

func (h *Heads) save(head memory.TreeHead) error {
	if err := durable.MakeDir(h.Dir); err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	if err := durable.WriteFile(h.path(head.Node), head.Note()); err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	return nil
}
