package keep

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ojud/ledger/journal/durable"
	"ojud/megabrain/memory"
)

// errDamaged: what is on the disk does not have the hash of the artifact.
var errDamaged = errors.New("the artifact is damaged on the disk")

// artifacts are files by hash. A caller does not write or remove one artifact twice at a time.
type artifacts struct{ dir string }

func (a artifacts) path(hash memory.Digest) string {
	name := hash.String()
	return filepath.Join(a.dir, name[:2], name[2:4], name)
}

// write puts an artifact on the device.
func (a artifacts) write(hash memory.Digest, content []byte) error {
	path := a.path(hash)
	if err := durable.MakeDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if err := durable.WriteFile(path, content); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}

// read returns an artifact; fs.ErrNotExist or errDamaged if it is not there as it was.
func (a artifacts) read(p memory.Promise) ([]byte, error) {
	f, err := os.Open(a.path(p.Hash))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, p.Size+1))
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(content) != p.Hash {
		return nil, errDamaged
	}
	return content, nil
}

// remove deletes an artifact, if it is there.
func (a artifacts) remove(hash memory.Digest) error { return a.delete(hash, a.path(hash)) }

// removeUnfinished deletes what a crash left of an artifact.
func (a artifacts) removeUnfinished(hash memory.Digest) error {
	return a.delete(hash, a.path(hash)+durable.NewSuffix)
}

func (a artifacts) delete(hash memory.Digest, path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = durable.Sync(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("memory: erasing %s: %w", hash, err)
	}
	return nil
}

// each calls see with the hash of each artifact on the disk, and with what a crash left of one.
func (a artifacts) each(see func(hash memory.Digest, unfinished bool) error) error {
	err := filepath.WalkDir(a.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, unfinished := strings.CutSuffix(entry.Name(), durable.NewSuffix)
		hash, err := memory.ParseDigest(name)
		if err != nil || filepath.Dir(a.path(hash)) != filepath.Dir(path) {
			return nil //nolint:nilerr // a file of somebody else stays
		}
		return see(hash, unfinished)
	})
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}
