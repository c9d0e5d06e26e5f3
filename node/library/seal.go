package library

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ojud/casefile"
	"ojud/casefile/sealed"
	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// Openings are the openings of a creator's sealed checks, in a folder of its home. A creator that
// loses them cannot open its checks any more.
type Openings struct{ Dir string }

// ErrOpened is wrapped by the error about a seal that an objection opened.
var ErrOpened = errors.New("an objection of this home opened it, so that workers may know what it demands")

// Open returns the task with checks that are not sealed, so that its creator can try them on an
// example.
func (o Openings) Open(task Document, checks []casefile.Check) (Document, error) {
	checks = slices.Clone(checks)
	for i := range checks {
		checks[i].Rework = 0 // only a sealed check is for one result
	}
	return with(task, checks)
}

// Seal returns the task with these checks, sealed, after their openings are safe in the folder.
// Salts are random. The same checks in the same task have the same seals, so that a second run does
// not make another task, unless afresh is set. An error wraps ErrOpened if these seals are open.
func (o Openings) Seal(task Document, checks []casefile.Check, afresh bool) (Document, error) {
	if len(checks) == 0 {
		return task, nil
	}
	if err := durable.MakeDir(o.Dir); err != nil {
		return Document{}, err
	}
	path, err := o.made(task, checks)
	if err != nil {
		return Document{}, err
	}
	hidden, err := o.earlier(path)
	switch {
	case err == nil && !afresh:
		return with(task, hidden)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !afresh:
		return Document{}, err
	}
	hidden = nil
	for _, k := range checks {
		var salt [32]byte
		if _, err := rand.Read(salt[:]); err != nil {
			return Document{}, err
		}
		in, opening, err := sealed.Seal(k, salt)
		if err != nil {
			return Document{}, err
		}
		if err := durable.WriteFile(o.file(*in.Sealed), opening); err != nil {
			return Document{}, err
		}
		hidden = append(hidden, in)
	}
	raw, err := json.Marshal(hidden)
	if err != nil {
		return Document{}, fmt.Errorf("library: seals: %w", err)
	}
	if err := durable.WriteFile(path, raw); err != nil {
		return Document{}, err
	}
	return with(task, hidden)
}

// made is the file that has the seals of these checks in this task.
func (o Openings) made(task Document, checks []casefile.Check) (string, error) {
	raw, err := json.Marshal(checks)
	if err != nil {
		return "", fmt.Errorf("library: checks: %w", err)
	}
	return filepath.Join(o.Dir, fmt.Sprintf("%x.seals", sha256.Sum256(fmt.Appendf(nil, "%s\n%s", task.Hash, raw)))), nil
}

// earlier returns the checks that an earlier run sealed, none of which is open.
func (o Openings) earlier(path string) (hidden []casefile.Check, err error) {
	raw, err := ReadFile(path, casefile.MaxDocument)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &hidden); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, k := range hidden {
		if k.Sealed == nil {
			return nil, fmt.Errorf("%s: check %d has no seal", path, i)
		}
		if _, err := o.opening(*k.Sealed); err != nil {
			return nil, fmt.Errorf("the opening of an earlier run: %w", err)
		}
		switch _, err := os.Stat(o.mark(*k.Sealed)); {
		case err == nil:
			return nil, fmt.Errorf("seal %s: %w", *k.Sealed, ErrOpened)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return hidden, nil
}

// opening returns an opening of the folder.
func (o Openings) opening(hash casefile.Digest) ([]byte, error) {
	raw, err := ReadFile(o.file(hash), sealed.MaxOpening)
	if err == nil && casefile.HashOf(raw) != voting.Hash(hash) {
		err = fmt.Errorf("%s: is damaged, so that it opens nothing", o.file(hash))
	}
	return raw, err
}

// Add returns an objection to a result of a task with the openings of the checks that were sealed
// for it among the evidence, and these as exhibits. reworks is how often the worker worked again
// before the result: seals for a later one stay closed. The folder remembers what is opened. absent
// are the checks whose openings are not here.
func (o Openings) Add(task []byte, reworks uint8, objection Document) (doc Document, openings []Document, absent []int, err error) {
	parsedTask, err := casefile.ParseTask(task)
	if err != nil {
		return objection, nil, nil, nil //nolint:nilerr // no judge can read the task, so that it has no seals
	}
	parsedObjection, err := casefile.ParseObjection(objection.Content)
	if err != nil {
		return Document{}, nil, nil, err
	}
	out := parsedObjection.Value
	for i, k := range parsedTask.Value.Expected {
		if k.Sealed == nil || k.Rework != reworks || slices.ContainsFunc(out.Evidence, func(e casefile.Exhibit) bool { return e.SHA256 == *k.Sealed }) {
			continue
		}
		raw, err := o.opening(*k.Sealed)
		if errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, i)
			continue
		}
		if err != nil {
			return Document{}, nil, nil, fmt.Errorf("expected[%d]: %w", i, err)
		}
		if err := durable.Create(o.mark(*k.Sealed), nil); err != nil && !errors.Is(err, fs.ErrExist) {
			return Document{}, nil, nil, err
		}
		out.Evidence = append(out.Evidence, casefile.Exhibit{Name: sealed.Name(i), SHA256: *k.Sealed, Bytes: uint64(len(raw))})
		openings = append(openings, Document{Content: raw, Hash: voting.Hash(*k.Sealed)})
	}
	if len(openings) == 0 {
		return objection, nil, absent, nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return Document{}, nil, nil, fmt.Errorf("library: objection: %w", err)
	}
	doc, err = parsed(raw, casefile.ParseObjection)
	return doc, openings, absent, err
}

func (o Openings) file(hash casefile.Digest) string {
	return filepath.Join(o.Dir, hash.String()+".json")
}

// mark is the file that says that an objection opened a seal.
func (o Openings) mark(hash casefile.Digest) string {
	return filepath.Join(o.Dir, hash.String()+".opened")
}

// with returns a task with more checks.
func with(task Document, checks []casefile.Check) (Document, error) {
	doc, err := casefile.ParseTask(task.Content)
	if err != nil {
		return Document{}, err
	}
	doc.Value.Expected = append(doc.Value.Expected, checks...)
	raw, err := json.Marshal(doc.Value)
	if err != nil {
		return Document{}, fmt.Errorf("library: task: %w", err)
	}
	return parsed(raw, parseTask)
}

// CheckFile reads a check that is to be sealed. What is wrong with it in its task, Open says.
func CheckFile(path string) (k casefile.Check, err error) {
	raw, err := ReadFile(path, sealed.MaxOpening)
	if err != nil {
		return k, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&k); err != nil {
		return k, fmt.Errorf("%s: %w", path, err)
	}
	if !k.Executes() || k.Sealed != nil {
		return k, fmt.Errorf("%s: is no check with a program or tests; write {\"path\", \"program\" or \"tests\", \"settles\", \"rework\"}", path)
	}
	return k, nil
}
