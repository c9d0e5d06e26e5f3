package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// restoredName marks a journal that came from a backup: after the backup was made, the node may
// have signed what this journal does not know.
const restoredName = "RESTORED"

// MarkRestored marks the journal in dir, which no process uses, as one that came from a backup. It
// is Fresh until the voting machine has noted when it was restored. So the node does not vote in
// rounds that were drawn before, until enough judges said what it signed there. Nor does it answer
// judges in cases that were opened before; see Said.
func MarkRestored(dir string) error {
	if err := durable.MakeDir(dir); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, restoredName), []byte("restored from a backup\n"))
}

// markedRestored reports whether MarkRestored was called, and the machine did not note it yet.
func (c Config) markedRestored() (bool, error) {
	_, err := os.Stat(filepath.Join(c.Dir, restoredName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// birth is when the journal was made or restored, in Unix seconds of the chain: what was signed
// before may be unknown here. Until the voting machine has noted that, it is in the far future.
type birth struct{ at atomic.Int64 }

// noted takes a Born that is on the disk, and takes the mark in dir away.
func (b *birth) noted(dir string, all []voting.Record) error {
	for _, r := range all {
		now, born := r.(voting.Born)
		if !born {
			continue
		}
		if err := os.Remove(filepath.Join(dir, restoredName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		b.at.Store(now.At)
		return durable.Sync(dir)
	}
	return nil
}
