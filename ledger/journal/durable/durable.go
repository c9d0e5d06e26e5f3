// Package durable writes files that are there after a power cut, whole or not at all, and knows how
// much room a disk has. A caller must not have two writers for one path.
package durable

import (
	"errors"
	"os"
	"path/filepath"
)

// NewSuffix ends the name of a file that WriteFile writes. After a crash such files may be left;
// nobody reads them.
const NewSuffix = ".new"

// WriteFile replaces the file at path by one with that content, readable by its owner alone. When
// it returns nil, content and name are on the device.
func WriteFile(path string, content []byte) error {
	if err := write(path+NewSuffix, content); err != nil {
		return errors.Join(err, remove(path+NewSuffix))
	}
	if err := os.Rename(path+NewSuffix, path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// write writes and syncs a file.
func write(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(content); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Create makes a file with that content, readable by its owner alone, and its folder if that is
// missing. It never replaces a file: then the error wraps fs.ErrExist, also if two processes try at
// once. When it returns nil, content and name are on the device.
func Create(path string, content []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // O_EXCL, mode 0600
	if err != nil {
		return err
	}
	if _, err = f.Write(content); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Link(f.Name(), path) // a rename would replace the file
	}
	return errors.Join(err, os.Remove(f.Name()), Sync(dir))
}

// MakeDir makes a directory and all above it that are missing, and makes their names durable.
func MakeDir(path string) error {
	if info, err := os.Stat(path); err == nil {
		if !info.IsDir() {
			return &os.PathError{Op: "mkdir", Path: path, Err: errors.New("a file has that name")}
		}
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := MakeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return Sync(parent)
}

// Sync makes what was created, renamed or removed in directories durable.
func Sync(dirs ...string) error {
	for _, dir := range dirs {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(syncDir(d), d.Close()); err != nil {
			return err
		}
	}
	return nil
}
