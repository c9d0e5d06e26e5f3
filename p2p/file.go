package p2p

import (
	"errors"
	"os"
	"path/filepath"
)

// createFile writes a new file with mode 0600 so that it survives a power cut:
// a synced temporary file is linked to its name, which fails if the name is
// taken, and the folder is synced.
func createFile(path string, data []byte) error {
	tmp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	err = os.Link(tmp, path)
	return errors.Join(err, os.Remove(tmp), syncDir(path))
}

// replaceFile is createFile for a name that may be taken: the old content stays
// until the new is on disk.
func replaceFile(path string, data []byte) error {
	tmp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(path)
}

// writeTemp writes and syncs a temporary file beside path. os.CreateTemp opens
// with O_EXCL and mode 0600.
func writeTemp(path string, data []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
