// Package keep keeps what a judge said in an exam, one file for each dispute, so that an exam of
// hours can end at any time and go on later.
//
// What a caller must do: open a folder with a Name that says all that an opinion depends on. A
// folder belongs to one exam at a time; a second one in it fails at the first dispute that both
// heard. Files are the owner's own and are read as such, but each is bounded.
package keep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/account"
	"ojud/agent/judge/exam"
	"ojud/casefile"
	"ojud/ledger/journal/durable"
)

// Name says what the opinions of a folder depend on. Each part is a hash, or anything that changes
// with the thing.
type Name struct {
	Disputes string `json:"disputes"`
	Judge    string `json:"judge"`   // its settings
	Program  string `json:"program"` // the build of ojud
}

// Of returns the hash of anything that can be written as JSON, for a Name.
func Of(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("keep: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Program returns the hash of the running program.
func Program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("keep: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("keep: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("keep: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Folder has the kept disputes of one exam.
type Folder struct {
	dir   string
	known map[string]exam.Attempt // when it was opened
	kept  int
}

// kept is the content of a file.
type kept struct {
	ID       string            `json:"id"`
	Opinion  *casefile.Opinion `json:"opinion,omitempty"`
	Error    string            `json:"error,omitempty"`
	Took     time.Duration     `json:"took_ns"`
	Account  account.Account   `json:"account"`
	Asked    []judge.Request   `json:"asked,omitempty"`
	Receipts []string          `json:"receipts,omitempty"`
}

const (
	nameFile = "exam.json"
	suffix   = ".dispute.json"
	maxFile  = 4 << 20 // bytes
)

// ErrOther says that a folder belongs to another exam.
var ErrOther = errors.New("keep: the folder has another exam")

// Open opens the folder of an exam and reads what it has of the disputes. It makes the folder if
// there is none. The error wraps ErrOther if the folder has an exam of another Name.
func Open(dir string, n Name, disputes []exam.Item) (*Folder, error) {
	if err := named(dir, n); err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, known: map[string]exam.Attempt{}}
	for _, d := range disputes {
		h, err := f.read(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f.known[d.ID] = h
	}
	f.kept = len(f.known)
	return f, nil
}

// named writes the name of a new folder, or compares it.
func named(dir string, n Name) error {
	raw, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	path := filepath.Join(dir, nameFile)
	err = durable.Create(path, append(raw, '\n'))
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep: %w", err)
	}
	var old Name
	if err := load(path, &old); err != nil {
		return err
	}
	for _, part := range []struct{ what, old, now string }{
		{"of other disputes", old.Disputes, n.Disputes},
		{"of a judge with other settings", old.Judge, n.Judge},
		{"of another build of ojud", old.Program, n.Program},
	} {
		if part.old != part.now {
			return fmt.Errorf("%w: %s has one %s; name a new folder", ErrOther, dir, part.what)
		}
	}
	return nil
}

// load reads a file of bounded size.
func load(path string, v any) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	if len(raw) > maxFile {
		return fmt.Errorf("keep: %s has more than %d bytes; remove it, and the dispute is heard again", path, maxFile)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("keep: %s: %w; remove it, and the dispute is heard again", path, err)
	}
	return nil
}

func (f *Folder) path(id string) string { return filepath.Join(f.dir, id+suffix) }

func (f *Folder) read(d exam.Item) (exam.Attempt, error) {
	var k kept
	if err := load(f.path(d.ID), &k); err != nil {
		return exam.Attempt{}, err
	}
	if k.ID != d.ID || (k.Opinion == nil) == (k.Error == "") {
		return exam.Attempt{}, fmt.Errorf("keep: %s is not what a judge said of %s; remove it, and the dispute is heard again", f.path(d.ID), d.ID)
	}
	h := exam.Attempt{Item: d, Took: k.Took, Account: k.Account, Asked: k.Asked}
	if k.Opinion != nil {
		h.Opinion = *k.Opinion
	} else {
		h.Err = errors.New(k.Error)
	}
	return h, nil
}

// Known returns what the folder has of a dispute.
func (f *Folder) Known(id string) (exam.Attempt, bool) {
	h, ok := f.known[id]
	return h, ok
}

// Len is the number of disputes that the folder has.
func (f *Folder) Len() int { return f.kept }

// Put keeps what the judge said of a dispute. When it returns nil, a power cut does not lose it. A
// dispute for which no model could be asked is not kept, so that it is heard again. One caller at a
// time.
func (f *Folder) Put(h exam.Attempt) error {
	if h.Account.Down != "" {
		return nil
	}
	k := kept{ID: h.Item.ID, Took: h.Took, Account: h.Account, Asked: h.Asked}
	if h.Err != nil {
		k.Error = h.Err.Error()
	} else {
		k.Opinion = &h.Opinion
	}
	for _, r := range h.Receipts {
		k.Receipts = append(k.Receipts, hex.EncodeToString(r[:]))
	}
	raw, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	if err := durable.Create(f.path(h.Item.ID), append(raw, '\n')); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("keep: another exam is held in %s: it has heard %s", f.dir, h.Item.ID)
		}
		return fmt.Errorf("keep: %w", err)
	}
	f.kept++
	return nil
}
