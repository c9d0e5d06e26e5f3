package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/casefile"
	"ojud/ledger/journal"
	"ojud/ledger/journal/durable"
	"ojud/node"
)

// Restore makes a home of a backup. dir must be missing or empty; it is there whole or not at all.
// The journal is marked: see journal.MarkRestored. It writes at most so many bytes. If the backup
// has more, or the disk has no room for it, nothing is written, and the error is ErrLarge.
func Restore(from, dir string, most int64) (m Manifest, err error) {
	if err := vacant(dir); err != nil {
		return m, err
	}
	if err := durable.MakeDir(filepath.Dir(dir)); err != nil {
		return m, err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".restoring-")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if m, err = unpackFile(from, temp, most); err != nil {
		return m, err
	}
	if err := journal.MarkRestored(filepath.Join(temp, "journal")); err != nil {
		return m, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty folder
		return m, err
	}
	if err := os.Rename(temp, dir); err != nil {
		return m, err
	}
	return m, durable.Sync(filepath.Dir(dir))
}

// vacant fails if something is in dir.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: %s is not empty; restore into another folder, and delete the old home before you run the new one", errHome, dir)
}

// own checks that the home has the keys that the manifest names.
func own(dir string, m Manifest) error {
	h, err := node.OpenHome(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if judge := casefile.Address(h.Keys.Judge()).String(); judge != m.Judge {
		return fmt.Errorf("%w: its keys are of judge %s, and the manifest names %.60q", ErrDamaged, judge, m.Judge)
	}
	return nil
}

// DefaultMost bounds what Restore writes, in bytes: four times what a node keeps by default.
const DefaultMost = 16 << 30

const (
	block   = 4096      // bytes of the disk that a file takes at least
	minFree = 128 << 20 // bytes that stay free
)

// fits checks that the files of a backup have room in a folder.
func (m *Manifest) fits(dir string, most int64) error {
	if m.Bytes > most {
		return fmt.Errorf("%w: its files have %d bytes, and at most %d may be written", ErrLarge, m.Bytes, most)
	}
	free, err := durable.Free(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	need := uint64(m.Bytes) + uint64(len(m.Files)+len(m.Empty))*block + minFree
	if need < uint64(m.Bytes) || need > free {
		return fmt.Errorf("%w: its files have %d bytes, and the disk of %s has %d bytes free; choose another disk, or make room", ErrLarge, m.Bytes, dir, free)
	}
	return nil
}

func unpackFile(from, dir string, most int64) (m Manifest, err error) {
	f, err := os.Open(from)
	if err != nil {
		return m, err
	}
	defer f.Close()
	m, err = unpack(bufio.NewReader(f), dir, most)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, tar.ErrHeader) {
		err = fmt.Errorf("%w: %s is cut off, or no backup: %w", ErrDamaged, from, err)
	}
	return m, err
}

// unpack writes the files of a backup into an empty folder. It stops as soon as the keys are not
// those of the manifest.
func unpack(r io.Reader, dir string, most int64) (m Manifest, err error) {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return m, err
	}
	archive := tar.NewReader(packed)
	if m, err = readManifest(archive); err != nil {
		return m, err
	}
	if err := m.fits(dir, most); err != nil {
		return m, err
	}
	missing := len(first)
	for _, f := range m.Files {
		h, err := archive.Next()
		if err != nil {
			return m, err
		}
		if h.Name != f.Path || h.Size != f.Size || h.Typeflag != tar.TypeReg {
			return m, fmt.Errorf("%w: it has %.200q of %d bytes where the manifest names %q of %d", ErrDamaged, h.Name, h.Size, f.Path, f.Size)
		}
		if err := f.unpack(archive, dir); err != nil {
			return m, err
		}
		if place(f) == len(first) {
			continue
		}
		if missing--; missing == 0 {
			if err := own(dir, m); err != nil {
				return m, err
			}
		}
	}
	if missing > 0 {
		return m, fmt.Errorf("%w: it does not have all of %q", ErrDamaged, first)
	}
	for _, path := range m.Empty {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(path)), 0o700); err != nil {
			return m, err
		}
	}
	if h, err := archive.Next(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = fmt.Errorf("%.200q is not in the manifest", h.Name)
		}
		return m, fmt.Errorf("%w: after its last file: %w", ErrDamaged, err)
	}
	_, err = io.Copy(io.Discard, io.LimitReader(packed, 1<<20)) // the checksum of gzip
	return m, err
}

func readManifest(archive *tar.Reader) (m Manifest, err error) {
	h, err := archive.Next()
	if err != nil {
		return m, err
	}
	if h.Name != manifestName || h.Size > maxManifest {
		return m, fmt.Errorf("%w: it begins with %.200q of %d bytes and not with %s; is it a backup of ojud?", ErrDamaged, h.Name, h.Size, manifestName)
	}
	raw, err := io.ReadAll(io.LimitReader(archive, maxManifest))
	if err != nil {
		return m, err
	}
	return parseManifest(raw)
}

// parseManifest reads a manifest that Restore can follow.
func parseManifest(raw []byte) (m Manifest, err error) {
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("%w: its manifest: %w", ErrDamaged, err)
	}
	return m, m.check()
}

func (f File) unpack(r io.Reader, dir string) error {
	to := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode())
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.CopyN(io.MultiWriter(file, sum), r, f.Size)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%w: %s does not have the checksum of the manifest", ErrDamaged, f.Path)
	}
	return os.Chtimes(to, f.Time, f.Time)
}
