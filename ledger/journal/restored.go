package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// restoredName marks a journal that came from a backup: after the backup was made, the node may
// have signed what this journal does not know.
const restoredName = "RESTORED"

// MarkRestored marks the journal in dir, which no process uses, as one that came from a backup. It
// is Fresh until the voting machine has noted when it was restored. So the node does not vote in
// rounds that were drawn before, until enough judges said what it signed there.
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

// noted takes the mark away after a Born is on the disk.
func (c Config) noted(all []voting.Record) error {
	for _, r := range all {
		if _, born := r.(voting.Born); !born {
			continue
		}
		if err := os.Remove(filepath.Join(c.Dir, restoredName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return durable.Sync(c.Dir)
	}
	return nil
}
