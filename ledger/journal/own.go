package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// ownFiles is the second copy of the records that forbid a signature: a file each, its name the
// record's key in hex, its content the record and its SHA-256.
type ownFiles struct{ dir string }

const ownSuffix = ".vote"

func (o ownFiles) path(key []byte) string {
	return filepath.Join(o.dir, hex.EncodeToString(key)+ownSuffix)
}

// put writes a file so that after a crash it is there whole or not at all.
func (o ownFiles) put(key, value []byte) error {
	path := o.path(key)
	if old, err := o.get(path); err == nil && bytes.Equal(old, value) {
		return nil
	}
	sum := sha256.Sum256(value)
	return durable.WriteFile(path, append(bytes.Clone(value), sum[:]...))
}

// get reads a file; an error if it is not what was written.
func (o ownFiles) get(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, voting.MaxRecord+sha256.Size+1))
	if err != nil {
		return nil, err
	}
	return checked(path, b)
}

// checked takes the checksum off.
func checked(path string, b []byte) ([]byte, error) {
	n := len(b) - sha256.Size
	if n < 0 || n > voting.MaxRecord {
		return nil, fmt.Errorf("%s has %d bytes", path, len(b))
	}
	value, sum := b[:n], b[n:]
	if want := sha256.Sum256(value); !bytes.Equal(sum, want[:]) {
		return nil, fmt.Errorf("%s does not have its checksum", path)
	}
	return value, nil
}

// drop removes the files of a task, a prefix of their names.
func (o ownFiles) drop(task voting.Key) error {
	paths, err := filepath.Glob(filepath.Join(o.dir, hex.EncodeToString(task[:])+"*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return durable.Sync(o.dir)
}

// keys lists what there are files of.
func (o ownFiles) keys() ([][]byte, error) {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ownSuffix)
		key, err := hex.DecodeString(name)
		if ok && err == nil && len(key) == voting.RecordKeySize {
			all = append(all, key)
		}
	}
	return all, nil
}
