// Package backup keeps a node's home in one file, and makes a home of that file again.
//
// A backup is a tar archive, packed with gzip. Its first entry is the manifest; the files of the
// home follow in its order. It has the keys, which can take the stake.
package backup

import (
	"archive/tar"
	"cmp"
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
	Empty   []string  `json:"empty_folders,omitempty"`
	Left    []string  `json:"-"` // the files that Write left out
}

// File is a file of a home.
type File struct {
	Path       string    `json:"path"` // from the home, with slashes
	Size       int64     `json:"size"`
	SHA256     string    `json:"sha256"`
	Time       time.Time `json:"time"` // of its last change; content is given up by it
	Executable bool      `json:"executable,omitempty"`
}

const (
	family       = "ojud-backup/"
	format       = family + "2"
	formatBefore = family + "1" // it has no empty folders, and does not say which files are executable
	manifestName = "ojud-backup.json"
)

// first are the files that come first in a backup. They say whose home it is, so that the backup of
// somebody else is refused before the rest of it is unpacked.
var first = []string{"network.json", "node.key", "authority.json"}

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
	ErrLarge   = errors.New("backup: too large")
)

// Write writes a backup of a home to a new file. No process may use the home. It takes the home's
// locks for that time, so that none can start.
func Write(h node.Home, to string, now time.Time) (m Manifest, err error) {
	if inside(h.Dir, to) {
		return m, fmt.Errorf("%w: %s is in the home itself; write the backup elsewhere", errHome, to)
	}
	locks, release, err := lock(h.Dir)
	defer func() { err = errors.Join(err, release()) }()
	if err != nil {
		return m, err
	}
	m = Manifest{
		Format: format, Made: now.UTC().Truncate(time.Second), Judge: casefile.Address(h.Keys.Judge()).String(),
		NodeID: casefile.DID(h.Keys.Peer()).String(), Network: h.Descriptor.Name,
	}
	if err := m.gather(h.Dir, locks); err != nil {
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

// mayLock reports whether a file can be a lock of ojud. Files of the user have such names, too: the
// home has the folders of sources, agents and programs. Whether it is one, its content says.
func mayLock(at string) bool {
	beside := func(name string) bool {
		_, err := os.Lstat(filepath.Join(filepath.Dir(at), name))
		return err == nil
	}
	switch name := filepath.Base(at); {
	case name == "LOCK":
		return beside("db") || beside("entries") // of a journal or an agent host, of a memory node
	case name == "lock":
		return beside("papers") || beside("answers") // of an agent that trades, of one of MegaBrain
	default:
		return name == "mcp.spent.lock" || strings.HasSuffix(name, ".audit.lock")
	}
}

// lock takes all locks of a home: of the node, of the agent host, of audit logs. It returns their
// paths.
func lock(dir string) (paths map[string]bool, release func() error, err error) {
	var held []*durable.Lock
	paths = map[string]bool{}
	release = func() (err error) {
		for _, l := range held {
			err = errors.Join(err, l.Release())
		}
		return err
	}
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !mayLock(at) {
			return err
		}
		l, err := durable.Acquire(at)
		switch {
		case errors.Is(err, durable.ErrNoLock):
			return nil // a file of the user
		case errors.Is(err, durable.ErrLocked):
			return fmt.Errorf("%w: %s is %w; stop that process, make the backup, and start it again", errInUse, at, err)
		case err == nil:
			held, paths[at] = append(held, l), true
		}
		return err
	})
	return paths, release, err
}

// address is the file with the address of the node that ran, which is of no use in another home.
const address = "api"

// gather lists the files of a home without its locks.
func (m *Manifest) gather(dir string, locks map[string]bool) error {
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		path := filepath.ToSlash(rel)
		switch {
		case len(path) > maxPath || len(m.Files)+len(m.Empty) == maxFiles:
			return fmt.Errorf("%w: more than %d files, or a path of more than %d bytes: %.200q", errHome, maxFiles, maxPath, path)
		case d.IsDir():
			return m.gatherFolder(at, path)
		case path == address || locks[at]:
			m.Left = append(m.Left, path)
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%w: %s is neither a file nor a folder; put it elsewhere, and back it up apart", errHome, at)
		}
		return m.gatherFile(at, path)
	})
	slices.SortStableFunc(m.Files, func(a, b File) int { return cmp.Compare(place(a), place(b)) })
	return err
}

// place is the place of a file among those that come first, or behind them.
func place(f File) int {
	if i := slices.Index(first, f.Path); i >= 0 {
		return i
	}
	return len(first)
}

func (m *Manifest) gatherFolder(at, path string) error {
	entries, err := os.ReadDir(at)
	if err == nil && len(entries) == 0 {
		m.Empty = append(m.Empty, path)
	}
	return err
}

func (m *Manifest) gatherFile(at, path string) error {
	f, err := os.Open(at)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	m.Files = append(m.Files, File{path, n, hex.EncodeToString(sum.Sum(nil)), info.ModTime().UTC(), info.Mode()&0o100 != 0})
	m.Bytes += n
	return nil
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

// mode is that of the restored file. Nobody but its owner can use it.
func (f File) mode() fs.FileMode {
	if f.Executable {
		return 0o700
	}
	return 0o600
}

func (f File) pack(archive *tar.Writer, dir string) error {
	from, err := os.Open(filepath.Join(dir, filepath.FromSlash(f.Path)))
	if err != nil {
		return err
	}
	defer from.Close()
	h := &tar.Header{Name: f.Path, Mode: int64(f.mode()), Size: f.Size, ModTime: f.Time, Format: tar.FormatPAX}
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
	case m.Format != format && m.Format != formatBefore && strings.HasPrefix(m.Format, family):
		return fmt.Errorf("backup: its format is %.40q, of a later version of ojud, and this one reads %q; restore it with the ojud that made it", m.Format, format)
	case m.Format != format && m.Format != formatBefore:
		return fmt.Errorf("%w: format %.40q, this ojud reads %q", ErrDamaged, m.Format, format)
	case len(m.Files)+len(m.Empty) > maxFiles:
		return fmt.Errorf("%w: %d files, at most %d", ErrDamaged, len(m.Files)+len(m.Empty), maxFiles)
	}
	seen, left := make([]string, 0, len(m.Files)+len(m.Empty)), m.Bytes
	for _, f := range m.Files {
		if !inHome(f.Path) || f.Size < 0 || f.Path == address {
			return fmt.Errorf("%w: it names a file %.200q of %d bytes, which no home has", ErrDamaged, f.Path, f.Size)
		}
		if left -= f.Size; left < 0 {
			break
		}
		seen = append(seen, f.Path)
	}
	if left != 0 {
		return fmt.Errorf("%w: it names %d bytes, and its files have other sizes", ErrDamaged, m.Bytes)
	}
	for _, path := range m.Empty {
		if !inHome(path) {
			return fmt.Errorf("%w: it names a folder %.200q, which no home has", ErrDamaged, path)
		}
		seen = append(seen, path)
	}
	slices.Sort(seen)
	if n := len(slices.Compact(seen)); n != len(m.Files)+len(m.Empty) {
		return fmt.Errorf("%w: it names a file twice", ErrDamaged)
	}
	return nil
}

// inHome reports whether a path of a manifest leads to a place in the home.
func inHome(path string) bool {
	return len(path) <= maxPath && filepath.IsLocal(filepath.FromSlash(path)) && !strings.Contains(path, `\`)
}
