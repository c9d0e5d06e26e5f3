package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"ojud/ledger/journal/durable"
)

// startOver puts a damaged database aside, where it can be looked at, and begins an empty one:
// Fresh will be true.
func startOver(cfg Config, log *slog.Logger, why error) (*badger.DB, error) {
	dir := filepath.Join(cfg.Dir, databaseDir)
	aside, err := asideName(dir)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	log.Error("journal: the database is damaged and is put aside; check the disk", "dir", dir, "aside", aside, "err", why)
	if err := os.Rename(dir, aside); err != nil {
		return nil, errors.Join(why, err)
	}
	if err := durable.MakeDir(dir); err != nil {
		return nil, errors.Join(why, err)
	}
	return openDatabase(cfg, log)
}

// maxAside bounds how many damaged databases are kept before somebody has to look.
const maxAside = 8

func asideName(dir string) (string, error) {
	for n := 1; n <= maxAside; n++ {
		name := fmt.Sprintf("%s.damaged-%d", dir, n)
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%d damaged databases are kept beside %s already; check the disk, and remove them", maxAside, dir)
}
