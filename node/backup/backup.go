// Package backup keeps a node's home in one file, and makes a home of that file again.
//
// A backup is a tar archive, packed with gzip. Its first entry is the manifest; the files of the
// home follow in its order. It has the keys, which can take the stake.
package backup

import (
	"archive/tar"
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
	"slices"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/ledger/journal/durable"
	"ojud/node"
)

// Manifest says what a backup is of.
type Manifest struct {
	Format  string    `json:"format"`
	Made    time.Time `json:"made"`
	Judge   string    `json:"judge"`
	NodeID  string    `json:"agent_id"`
	Network string    `json:"network"`
	Bytes   int64     `json:"bytes"` // of all files
	Files   []File    `json:"files"`
}

// File is a file of a home.
type File struct {
	Path   string    `json:"path"` // from the home, with slashes
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"`
	Time   time.Time `json:"time"` // of its last change; content is given up by it
}

const (
	family       = "ojud-backup/"
	format       = family + "1"
	manifestName = "ojud-backup.json"
)

// The limits of a backup.
const (
	maxFiles    = 500_000
	maxManifest = 128 << 20 // bytes
	maxPath     = 1024      // bytes
)

// Errors of this package. Each message says what to do.
var (
	errInUse   = errors.New("backup: the home is in use")
	ErrDamaged = errors.New("backup: damaged")
	errHome    = errors.New("backup: home")
)

// Write writes a backup of a home to a new file. No process may use the home. It takes the home's
// locks for that time, so that none can start.
func Write(h node.Home, to string, now time.Time) (m Manifest, err error) {
	if inside(h.Dir, to) {
		return m, fmt.Errorf("%w: %s is in the home itself; write the backup elsewhere", errHome, to)
	}
	release, err := lock(h.Dir)
	defer func() { err = errors.Join(err, release()) }()
	if err != nil {
		return m, err
	}
	m = Manifest{
		Format: format, Made: now.UTC().Truncate(time.Second), Judge: casefile.Address(h.Keys.Judge()).String(),
		NodeID: casefile.DID(h.Keys.Peer()).String(), Network: h.Descriptor.Name,
	}
	if err := m.gather(h.Dir); err != nil {
		return m, err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, err
	}
	if err = m.pack(f, h.Dir); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return m, errors.Join(err, os.Remove(to))
	}
	return m, durable.Sync(filepath.Dir(to))
}

// inside reports whether a file is below a folder.
func inside(dir, file string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// isLock reports whether a file is the lock of a folder or of a file beside it.
func isLock(name string) bool {
	return name == "LOCK" || name == "lock" || strings.HasSuffix(name, ".lock")
}

// lock takes all locks of a home: of the node, of the agent host, of audit logs.
func lock(dir string) (release func() error, err error) {
	var held []*durable.Lock
	release = func() (err error) {
		for _, l := range held {
			err = errors.Join(err, l.Release())
		}
		return err
	}
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isLock(d.Name()) {
			return err
		}
		l, err := durable.Acquire(at)
		if errors.Is(err, durable.ErrLocked) {
			return fmt.Errorf("%w: %s is %w; stop that process, make the backup, and start it again", errInUse, at, err)
		}
		if err == nil {
			held = append(held, l)
		}
		return err
	})
	return release, err
}

// left reports whether a file is of no use in another home: locks, the address of the node that
// ran, and what a crash left half written.
func left(path string) bool {
	return path == "api" || isLock(filepath.Base(path)) || strings.HasSuffix(path, ".new")
}

// gather lists the files of a home.
func (m *Manifest) gather(dir string) error {
	return filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		path := filepath.ToSlash(rel)
		switch {
		case left(path):
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%w: %s is neither a file nor a folder; put it elsewhere, and back it up apart", errHome, at)
		case len(path) > maxPath || len(m.Files) == maxFiles:
			return fmt.Errorf("%w: more than %d files, or a path of more than %d bytes: %.200q", errHome, maxFiles, maxPath, path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		sum := sha256.New()
		n, err := io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		m.Files = append(m.Files, File{path, n, hex.EncodeToString(sum.Sum(nil)), info.ModTime().UTC()})
		m.Bytes += n
		return nil
	})
}

// pack writes the manifest and the files.
func (m *Manifest) pack(w io.Writer, dir string) error {
	raw, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	head := &tar.Header{Name: manifestName, Mode: 0o600, Size: int64(len(raw)), ModTime: m.Made, Format: tar.FormatPAX}
	if err := archive.WriteHeader(head); err != nil {
		return err
	}
	if _, err := archive.Write(raw); err != nil {
		return err
	}
	for _, f := range m.Files {
		if err := f.pack(archive, dir); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func (f File) pack(archive *tar.Writer, dir string) error {
	from, err := os.Open(filepath.Join(dir, filepath.FromSlash(f.Path)))
	if err != nil {
		return err
	}
	defer from.Close()
	h := &tar.Header{Name: f.Path, Mode: 0o600, Size: f.Size, ModTime: f.Time, Format: tar.FormatPAX}
	if err := archive.WriteHeader(h); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(archive, sum), from); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%w: %s changed while it was copied; stop what writes there, and try again", errInUse, f.Path)
	}
	return nil
}

// check refuses a manifest that no Write made.
func (m *Manifest) check() error {
	switch {
	case m.Format != format && strings.HasPrefix(m.Format, family):
		return fmt.Errorf("backup: its format is %.40q, of a later version of ojud, and this one reads %q; restore it with the ojud that made it", m.Format, format)
	case m.Format != format:
		return fmt.Errorf("%w: format %.40q, this ojud reads %q", ErrDamaged, m.Format, format)
	case len(m.Files) > maxFiles:
		return fmt.Errorf("%w: %d files, at most %d", ErrDamaged, len(m.Files), maxFiles)
	}
	seen := make([]string, 0, len(m.Files))
	for _, f := range m.Files {
		if len(f.Path) > maxPath || f.Size < 0 || !filepath.IsLocal(filepath.FromSlash(f.Path)) || strings.Contains(f.Path, `\`) || left(f.Path) {
			return fmt.Errorf("%w: it names a file %.200q of %d bytes, which no home has", ErrDamaged, f.Path, f.Size)
		}
		seen = append(seen, f.Path)
	}
	slices.Sort(seen)
	if n := len(slices.Compact(seen)); n != len(m.Files) {
		return fmt.Errorf("%w: it names a file twice", ErrDamaged)
	}
	return nil
}
