// Package archive keeps cases as Parquet tables in a folder (ADR 0167).
//
// A folder has parts, part-000001 and so on, and each part has one file for each table and the list
// of its cases. A part never changes. It is written beside the others under another name, and gets
// its name when it is whole and on the device. So whoever reads the files of part-* sees whole
// cases at any time, and after a crash the next run writes what is missing.
package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/ledger/journal/durable"
	"ojud/node/archive/parquet"
)

// The bounds of a part. A case has some hundred rows, and at most some thousands.
const (
	partCases = 500
	partRows  = 50_000
	maxList   = 1 << 20
)

// The names in the folder of an archive.
const (
	listName = "cases.json"
	lockName = "lock"
	newName  = "new-" // a part that is being written
)

// ErrUnverified means that a case file is not verified, so that it is not archived.
var ErrUnverified = errors.New("archive: the case file does not verify")

// ErrUnfit means that a verified case has a value that no table takes, so that it is not archived.
var ErrUnfit = errors.New("archive: the case does not fit into the tables")

// partName is the name of a part.
var partName = regexp.MustCompile(`^part-([0-9]{6})$`)

// list says which cases a part has.
type list struct {
	Schema string   `json:"schema"`
	Cases  []string `json:"cases"`
}

// Archive is an open folder. One process at a time has it open for writing.
type Archive struct {
	dir   string
	lock  *durable.Lock
	known map[string]bool // the cases that are there or wait
	last  int             // number of the last part
	// What waits to be written.
	tables tables
	wait   []string
}

// Open opens an archive, or makes an empty one of a missing or empty folder. It removes what a
// crash left of a part.
func Open(dir string) (a *Archive, err error) {
	if err := durable.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if err := ours(dir); err != nil {
		return nil, err // before a lock is left in a folder of something else
	}
	lock, err := durable.Acquire(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("archive: %s: another process writes here: %w", dir, err)
	}
	a = &Archive{dir: dir, lock: lock, known: map[string]bool{}, tables: newTables()}
	if err := a.load(); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return a, nil
}

func (a *Archive) load() error {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	for _, e := range entries {
		number := partName.FindStringSubmatch(e.Name())
		switch {
		case number != nil && e.IsDir():
			l, err := readList(filepath.Join(a.dir, e.Name(), listName))
			if err != nil {
				return err
			}
			for _, task := range l.Cases {
				a.known[task] = true
			}
			if a.last, err = strconv.Atoi(number[1]); err != nil {
				return err
			}
		case strings.HasPrefix(e.Name(), newName) && e.IsDir():
			if err := os.RemoveAll(filepath.Join(a.dir, e.Name())); err != nil {
				return fmt.Errorf("archive: %w", err)
			}
		}
	}
	return nil
}

// ours says what in a folder is no part of an archive. Hidden files, as desktops leave them, are no
// harm.
func ours(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	for _, e := range entries {
		part := e.IsDir() && (partName.MatchString(e.Name()) || strings.HasPrefix(e.Name(), newName))
		if !part && e.Name() != lockName && !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("archive: %s: %q is no part of an archive; name a folder of its own", dir, e.Name())
		}
	}
	return nil
}

// readList reads the list of a part.
func readList(path string) (l list, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, fmt.Errorf("archive: %s is missing: this is no part of an archive, or somebody took the file away", path)
	}
	if err != nil {
		return l, fmt.Errorf("archive: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxList))
	if err = errors.Join(err, f.Close()); err != nil {
		return l, fmt.Errorf("archive: %w", err)
	}
	if l, err = parseList(raw); err != nil {
		return l, fmt.Errorf("archive: %s: %w", path, err)
	}
	return l, nil
}

// parseList reads the text of such a list.
func parseList(raw []byte) (l list, err error) {
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, err
	}
	if l.Schema != schema {
		return l, fmt.Errorf("schema: is %.20q, and this ojud knows %q: use a later one, or another folder", l.Schema, schema)
	}
	for i, task := range l.Cases {
		if _, err := casefile.ParseAddress(task); err != nil {
			return l, fmt.Errorf("cases[%d]: %w", i, err)
		}
	}
	return l, nil
}

// Has reports whether a case is in the archive.
func (a *Archive) Has(task string) bool { return a.known[task] }

// Add adds a case file, and reports whether it is new. It may wait until Close for the device. The
// error wraps ErrUnverified if the file does not verify, and ErrUnfit if no table takes it.
func (a *Archive) Add(file []byte) (added bool, err error) {
	report := verify.File(file)
	if !report.OK() {
		return false, ErrUnverified
	}
	task := report.Case.String()
	if a.known[task] {
		return false, nil
	}
	if err := newTables().add(file, report); err != nil { // so that no table has half a case
		return false, fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	if err := a.tables.add(file, report); err != nil {
		return false, err
	}
	a.known[task] = true
	a.wait = append(a.wait, task)
	if len(a.wait) < partCases && a.tables.rows() < partRows {
		return true, nil
	}
	return true, a.flush()
}

// flush writes what waits as a part.
func (a *Archive) flush() error {
	if len(a.wait) == 0 {
		return nil
	}
	number := a.last + 1
	folder := filepath.Join(a.dir, fmt.Sprintf("%s%06d", newName, number))
	part := filepath.Join(a.dir, fmt.Sprintf("part-%06d", number))
	if !partName.MatchString(filepath.Base(part)) {
		return fmt.Errorf("archive: %s is full; begin another folder", a.dir)
	}
	if err := a.write(folder); err != nil {
		return errors.Join(fmt.Errorf("archive: %w", err), os.RemoveAll(folder))
	}
	if err := os.Rename(folder, part); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := durable.Sync(a.dir); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	a.last, a.tables, a.wait = number, newTables(), nil
	return nil
}

// write writes the files of a part.
func (a *Archive) write(folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	err := a.tables.each(func(file string, t *parquet.Table) error {
		content, err := t.File(schema)
		if err != nil {
			return err
		}
		return durable.WriteFile(filepath.Join(folder, file), content)
	})
	if err != nil {
		return err
	}
	slices.Sort(a.wait)
	raw, err := json.Marshal(list{schema, a.wait})
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(folder, listName), append(raw, '\n'))
}

// Close writes what waits, and closes the archive. What was added is in it once Close returned nil.
func (a *Archive) Close() error { return errors.Join(a.flush(), a.lock.Release()) }
