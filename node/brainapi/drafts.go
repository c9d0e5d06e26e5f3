package brainapi

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ojud/casefile/canon"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/node/megabrain"
)

// drafts are scores that an evaluator gave one by one and did not commit to yet, and attachments
// that nobody has but this machine. They survive a power cut.
type drafts struct {
	folder  megabrain.Folder
	mu      sync.Mutex
	missing map[string]absence
}

// absence is how long a task was not found on the chain.
type absence struct {
	since time.Time
	looks int
}

// A task is gone if no look found it for so long. One node of the chain that lags, or lies, says
// that once.
const (
	goneTime  = 24 * time.Hour
	goneLooks = 100
)

// gone notes that a task was not found, and says whether that is the first time, and whether its
// draft can go.
func (d *drafts) gone(at, key onchain.Address, now time.Time) (first, over bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	it, known := d.missing[d.path(at, key)]
	if !known {
		it.since = now
	}
	if it.looks++; d.missing == nil {
		d.missing = map[string]absence{}
	}
	d.missing[d.path(at, key)] = it
	return !known, it.looks >= goneLooks && now.Sub(it.since) >= goneTime
}

// found forgets that a task was not found.
func (d *drafts) found(at, key onchain.Address) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.missing, d.path(at, key))
}

// maxDraft bounds the document of an evaluator. A desk commits to no longer one.
const maxDraft = 256 << 10

// draft is a file.
type draft struct {
	Evaluations []evaluation `json:"evaluations,omitempty"`
	Attachments string       `json:"attachments,omitempty"` // SHA-256 of their list
	Since       int64        `json:"since,omitempty"`       // time of the chain at the first score
	Last        int64        `json:"last,omitempty"`        // and at the latest one
	Asked       []string     `json:"asked,omitempty"`       // workers for whose results the server asked an embedding
}

// evaluation is what an evaluator says of one result.
type evaluation struct {
	Worker      string            `json:"worker"` // address
	Score       int               `json:"score"`
	Confidence  int               `json:"confidence"`
	Rationale   string            `json:"rationale"`
	Corrections []json.RawMessage `json:"corrections,omitempty"`
	SameAs      []string          `json:"same_as,omitempty"` // addresses
	Vector      []int16           `json:"vector,omitempty"`
}

func (d *drafts) path(at, key onchain.Address) string {
	return filepath.Join(d.folder.Dir, "api", at.String(), key.String()+".json")
}

// change reads a draft, changes it, and writes it.
func (d *drafts) change(at, key onchain.Address, do func(*draft) error) (draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	it, err := d.read(at, key)
	if err != nil {
		return it, err
	}
	if err := do(&it); err != nil {
		return it, err
	}
	if _, err := document(it.Evaluations); err != nil {
		return it, fmt.Errorf("the evaluations of this task together are no document that can be committed to; they are canonical JSON of at most %d bytes: %w", maxDraft, err)
	}
	raw, err := json.Marshal(it)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(d.path(at, key)), 0o700)
	}
	if err == nil {
		err = durable.WriteFile(d.path(at, key), raw)
	}
	return it, err
}

// document has the evaluations, as the chain gets the hash of them. Each pair of workers whose
// results mean the same stands in it once.
func document(all []evaluation) ([]byte, error) {
	plain, vectors := slices.Clone(all), map[string][]int16{}
	said := map[string]any{"evaluations": plain}
	var same [][]string
	for i, e := range all {
		if plain[i].Vector = nil; e.Vector != nil {
			vectors[e.Worker] = e.Vector
		}
	}
	if len(vectors) > 0 {
		said["vectors"] = vectors
	}
	for _, e := range all {
		for _, other := range e.SameAs {
			twice := slices.ContainsFunc(same, func(p []string) bool { return p[0] == other && p[1] == e.Worker })
			if !twice {
				same = append(same, []string{e.Worker, other})
			}
		}
	}
	if len(same) > 0 {
		said["same"] = same
	}
	raw, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	return canon.JSON(raw, maxDraft)
}

// committable is a document that can be committed to: without corrections if those of an older
// version cannot, and without rationales if these are too long.
func committable(all []evaluation) ([]byte, error) {
	raw, err := document(all)
	for _, less := range []func(*evaluation){func(e *evaluation) { e.Corrections = nil }, func(e *evaluation) { e.Rationale = "" }} {
		if err == nil {
			break
		}
		all = slices.Clone(all)
		for i := range all {
			less(&all[i])
		}
		raw, err = document(all)
	}
	return raw, err
}

func (d *drafts) read(at, key onchain.Address) (it draft, err error) {
	raw, err := os.ReadFile(d.path(at, key))
	if errors.Is(err, fs.ErrNotExist) {
		return it, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &it)
	}
	if err != nil {
		return it, fmt.Errorf("brainapi: the draft %s: %w", d.path(at, key), err)
	}
	return it, nil
}

// attach notes which attachments belong to a result.
func (d *drafts) attach(at, key onchain.Address, hash []byte) error {
	if len(hash) == 0 {
		return nil
	}
	_, err := d.change(at, key, func(it *draft) error {
		it.Attachments = hex.EncodeToString(hash)
		return nil
	})
	return err
}

// all lists the drafts of a key.
func (d *drafts) all(key onchain.Address) (out []onchain.Address, err error) {
	tasks, err := os.ReadDir(filepath.Join(d.folder.Dir, "api"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, t := range tasks {
		at, bad := onchain.ParseAddress(t.Name())
		if bad != nil {
			continue // another's file
		}
		if _, missing := os.Stat(d.path(at, key)); missing == nil {
			out = append(out, at)
		}
	}
	return out, err
}

// drop forgets a draft.
func (d *drafts) drop(at, key onchain.Address) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.missing, d.path(at, key))
	return os.Remove(d.path(at, key))
}
