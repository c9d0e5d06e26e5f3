package blob

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ojud/voting"
)

// load builds the index from the files. It removes files that are not named by a hash, such as
// those that a crash left unfinished.
func (s *Store) load() error {
	type found struct {
		entry
		at int64
	}
	var all []found
	root := filepath.Join(s.cfg.Dir, contentDir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		hash, ok := parse(d.Name())
		if !ok || s.path(hash) != path {
			if strings.HasSuffix(path, ".new") {
				return os.Remove(path)
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all = append(all, found{entry{hash: hash, size: uint64(info.Size())}, info.ModTime().UnixNano()})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b found) int {
		if a.at != b.at {
			return int(min(max(a.at-b.at, -1), 1))
		}
		return strings.Compare(a.hash.String(), b.hash.String())
	})
	for _, f := range all {
		s.index.add(f.hash, f.size)
	}
	return s.loadPins()
}

func (s *Store) loadPins() error {
	owners, err := names(filepath.Join(s.cfg.Dir, pinDir))
	if err != nil {
		return err
	}
	for _, owner := range owners {
		hashes, err := names(s.pins(voting.Key(owner)))
		if err != nil {
			return err
		}
		for _, hash := range hashes {
			s.index.pin(voting.Key(owner), hash)
		}
	}
	return nil
}

// names lists the entries of a directory that are 32 bytes in hex.
func names(dir string) ([]voting.Hash, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []voting.Hash
	for _, e := range entries {
		if hash, ok := parse(e.Name()); ok {
			all = append(all, hash)
		}
	}
	return all, nil
}

func parse(name string) (voting.Hash, bool) {
	b, err := hex.DecodeString(name)
	if err != nil || len(b) != 32 || hex.EncodeToString(b) != name {
		return voting.Hash{}, false
	}
	return voting.Hash(b), true
}
