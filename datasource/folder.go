package datasource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	suffix     = ".source.json"
	maxSources = 256
)

// Path returns the path of a source's file.
func Path(dir, name string) string { return filepath.Join(dir, name+suffix) }

// Write writes a file of the folder, whole or not at all, that only its owner can read.
func Write(dir string, s Source) (err error) {
	if err := s.Validate(); err != nil {
		return err
	}
	raw, err := s.Encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("datasource: %w", err)
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("datasource: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("datasource: writing %s: %w", s.Name, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), Path(dir, s.Name))
}

// Remove removes the file of a source from the folder. It returns ErrUnknown if there is none.
func Remove(dir, name string) error {
	if !ValidName(name) {
		return ErrUnknown
	}
	err := os.Remove(Path(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrUnknown
	}
	return err
}

// Read reads the source file at path. The file's name must be that of the source.
func Read(path string) (Source, error) {
	raw, err := readFile(path)
	if err != nil {
		return Source{}, err
	}
	s, err := Parse(raw)
	if err != nil {
		return Source{}, err
	}
	if want := strings.TrimSuffix(filepath.Base(path), suffix); s.Name != want {
		return Source{}, wrong("name", "is %q, but the file is that of %q; name both alike", s.Name, want)
	}
	return s, nil
}

// readFile reads a bounded regular file that no others may write: it can start programs.
func readFile(path string) (raw []byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no regular file", document)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("%s: everybody may write it, and it can make the node start programs; run chmod 600 on it", document)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	raw, err = io.ReadAll(io.LimitReader(f, 2*MaxFile+1))
	if err == nil && len(raw) > 2*MaxFile {
		err = fmt.Errorf("%s: has more than %d bytes", document, 2*MaxFile)
	}
	return raw, err
}

// stamp shows whether a file was changed.
type stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
}

// sourceFiles returns the source files of a folder. A missing folder has none.
func sourceFiles(dir string) (map[string]stamp, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]stamp{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("datasource: %w", err)
	}
	files := map[string]stamp{}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasSuffix(e.Name(), suffix) || !ValidName(strings.TrimSuffix(e.Name(), suffix))
	})
	if len(entries) > maxSources {
		return nil, fmt.Errorf("datasource: %s has %d source files; at most %d are read", dir, len(entries), maxSources)
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name())) // follows a symbolic link
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("datasource: %w", err)
		}
		files[e.Name()] = stamp{info.ModTime(), info.Size(), info.Mode()}
	}
	return files, nil
}
