package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// beside are the files of the source that come with the binary, and their names in the archive.
var beside = [][2]string{
	{"LICENSE", "LICENSE"},
	{"LICENSE-APACHE", "LICENSE-APACHE"},
	{"LICENSE-MIT", "LICENSE-MIT"},
	{"docs/install.md", "install.md"},
}

// services are the files that only an archive for Linux has.
var services = [][2]string{
	{"ops/systemd/ojud@.service", "ops/systemd/ojud@.service"},
	{"ops/systemd/ojud-agent@.service", "ops/systemd/ojud-agent@.service"},
}

// entry is a file of an archive.
type entry struct {
	name       string
	content    []byte
	executable bool
}

// pack writes the archive of a target, and returns its path.
func (s source) pack(folder string, t target) (string, error) {
	name := s.name(t)
	binary, err := os.ReadFile(filepath.Join(folder, name, t.program()))
	if err != nil {
		return "", err
	}
	entries := []entry{{path.Join(name, t.program()), binary, true}}
	files := beside
	if t.os == "linux" {
		files = slices.Concat(beside, services)
	}
	for _, b := range files {
		content, err := os.ReadFile(b[0])
		if err != nil {
			return "", err
		}
		entries = append(entries, entry{path.Join(name, b[1]), content, false})
	}
	write, end := writeTar, ".tar.gz"
	if t.os == "windows" {
		write, end = writeZip, ".zip"
	}
	var out bytes.Buffer
	if err := write(&out, entries, s.time); err != nil {
		return "", err
	}
	to := filepath.Join(folder, name+end)
	return to, os.WriteFile(to, out.Bytes(), 0o644) //nolint:gosec // a release is public
}

func (e entry) mode() fs.FileMode {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// writeTar writes an archive of root's files of that time.
func writeTar(w io.Writer, entries []entry, at time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: int64(e.mode()), Size: int64(len(e.content)), ModTime: at.UTC(), Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func writeZip(w io.Writer, entries []entry, at time.Time) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(e.mode())
		file, err := archive.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

const sumsName = "SHA256SUMS"

// writeSums writes the sums of all files in folder, as sha256sum does.
func writeSums(folder string) error {
	sums, err := sumsOf(folder)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, name := range sortedNames(sums) {
		fmt.Fprintf(&text, "%s  %s\n", sums[name], name)
	}
	return os.WriteFile(filepath.Join(folder, sumsName), text.Bytes(), 0o644) //nolint:gosec // a release is public
}

// sumsOf returns the SHA-256 of each file below folder but SHA256SUMS, by its path there.
func sumsOf(folder string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == sumsName {
			return err
		}
		content, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		out[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
		return nil
	})
	return out, err
}

func sortedNames(sums map[string]string) []string {
	names := make([]string, 0, len(sums))
	for name := range sums {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// same fails if two folders differ in any file.
func same(a, b string) error {
	ours, err := sumsOf(a)
	if err != nil {
		return err
	}
	theirs, err := sumsOf(b)
	if err != nil {
		return err
	}
	if len(ours) == 0 {
		return fmt.Errorf("%s is empty", a)
	}
	var faults []error
	for _, name := range sortedNames(ours) {
		if ours[name] != theirs[name] {
			faults = append(faults, fmt.Errorf("%s: sha256 %s here, %q in the other folder", name, ours[name], theirs[name]))
		}
	}
	for _, name := range sortedNames(theirs) {
		if _, ok := ours[name]; !ok {
			faults = append(faults, fmt.Errorf("%s is in the other folder alone", name))
		}
	}
	return errors.Join(faults...)
}
