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

// secretFile has the secret from which salts are made.
const secretFile = "secret"

// Open returns the task with checks that are not sealed, so that its creator can try them on an
// example.
func (o Openings) Open(task Document, checks []casefile.Check) (Document, error) {
	return with(task, checks)
}

// Seal returns the task with these checks, sealed, after their openings are safe in the folder. The
// same checks in the same task have the same seals, so that a second run does not make another
// task. If afresh is set they have others, because those of an earlier task may be open.
func (o Openings) Seal(task Document, checks []casefile.Check, afresh bool) (Document, error) {
	if len(checks) == 0 {
		return task, nil
	}
	secret, err := o.secret()
	if err != nil {
		return Document{}, err
	}
	if afresh {
		secret = []byte(rand.Text())
	}
	var hidden []casefile.Check
	for i, k := range checks {
		salt := sha256.Sum256(fmt.Appendf(nil, "ojud seal 1\n%x\n%s\n%d", secret, task.Hash, i))
		in, opening, err := sealed.Seal(k, salt)
		if err != nil {
			return Document{}, err
		}
		if err := durable.WriteFile(o.file(*in.Sealed), opening); err != nil {
			return Document{}, err
		}
		hidden = append(hidden, in)
	}
	return with(task, hidden)
}

// Add returns an objection to a result of a task with the openings of its sealed checks among the
// evidence, and these as exhibits. It returns the checks whose openings are not here.
func (o Openings) Add(task []byte, objection Document) (doc Document, openings []Document, absent []int, err error) {
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
		if k.Sealed == nil || slices.ContainsFunc(out.Evidence, func(e casefile.Exhibit) bool { return e.SHA256 == *k.Sealed }) {
			continue
		}
		raw, err := ReadFile(o.file(*k.Sealed), sealed.MaxOpening)
		if errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, i)
			continue
		}
		if err != nil {
			return Document{}, nil, nil, err
		}
		if casefile.HashOf(raw) != voting.Hash(*k.Sealed) {
			return Document{}, nil, nil, fmt.Errorf("%s: is damaged, so that it does not open expected[%d]", o.file(*k.Sealed), i)
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

// secret returns the secret of the folder, which it makes if there is none.
func (o Openings) secret() ([]byte, error) {
	if err := durable.MakeDir(o.Dir); err != nil {
		return nil, err
	}
	path := filepath.Join(o.Dir, secretFile)
	err := durable.Create(path, []byte(rand.Text()))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
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
		return k, fmt.Errorf("%s: is no check with a program or tests; write {\"path\", \"program\" or \"tests\", \"settles\"}", path)
	}
	return k, nil
}
