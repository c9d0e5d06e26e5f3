package trader

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ojud/casefile"
	"ojud/ledger/journal/durable"
	"ojud/node/holdings"
	"ojud/node/library"
	"ojud/voting"
)

// maxState bounds the file of a trader's state, in bytes.
const maxState = 64 << 20

// store is the folder of a trader. One process at a time has it.
type store struct {
	dir  string
	lock *durable.Lock

	mu sync.Mutex // a path has one writer: two tasks may have equal documents at one time
}

// openStore takes the folder and reads the state into v, if there is one.
func openStore(dir string, v any) (*store, error) {
	if err := durable.MakeDir(filepath.Join(dir, "papers")); err != nil {
		return nil, fmt.Errorf("trader: %w", err)
	}
	lock, err := durable.Acquire(filepath.Join(dir, "lock"))
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("trader: another process works in %s; end that one first: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("trader: %w", err)
	}
	s := &store{dir: dir, lock: lock}
	raw, err := s.read("state.json", maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("trader: %s: %w", filepath.Join(dir, "state.json"), err), lock.Release())
	}
	return s, nil
}

func (s *store) close() error { return s.lock.Release() }

func (s *store) read(name string, most int64) ([]byte, error) {
	path := filepath.Join(s.dir, name)
	info, err := os.Stat(path)
	if err == nil && info.Size() > most {
		return nil, fmt.Errorf("trader: %s has more than %d bytes", path, most)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// save stores the state. What it says is done after it.
func (s *store) save(v any) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err == nil {
		err = durable.WriteFile(filepath.Join(s.dir, "state.json"), raw)
	}
	if err != nil {
		return fmt.Errorf("trader: %w", err)
	}
	return nil
}

// write stores a small file.
func (s *store) write(name string, content []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := durable.WriteFile(filepath.Join(s.dir, name), content); err != nil {
		return fmt.Errorf("trader: %w", err)
	}
	return nil
}

// keep stores a document under its hash.
func (s *store) keep(d library.Document) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := durable.WriteFile(s.paper(d.Hash), d.Content); err != nil {
		return fmt.Errorf("trader: %w", err)
	}
	return nil
}

// receipt keeps the receipt for the key of private data, the latest for each task and data.
func (s *store) receipt(r holdings.Receipt) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("trader: %w", err)
	}
	return s.write("receipt-"+nameOf(r.Request.Task.String()+r.Request.Data.String())+".json", raw)
}

func (s *store) paper(hash voting.Hash) string {
	return filepath.Join(s.dir, "papers", hex.EncodeToString(hash[:])+".json")
}

// document returns a document that was kept.
func (s *store) document(hash voting.Hash) (library.Document, error) {
	raw, err := s.read(filepath.Join("papers", hex.EncodeToString(hash[:])+".json"), casefile.MaxDocument)
	if err != nil {
		return library.Document{}, err
	}
	if casefile.HashOf(raw) != hash {
		return library.Document{}, fmt.Errorf("trader: %s does not have its hash", s.paper(hash))
	}
	return library.Document{Content: raw, Hash: hash}, nil
}

// prune removes what no open task needs: documents, and the files that name pleadings.
func (s *store) prune(needed func(name string) bool) error {
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "papers")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("trader: %w", err)
		}
		for _, e := range entries {
			name := e.Name()
			ours := dir != s.dir || strings.HasPrefix(name, answerPrefix) || strings.HasPrefix(name, objectionPrefix)
			if !ours || e.IsDir() || needed(strings.TrimSuffix(name, ".json")) {
				continue
			}
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("trader: %w", err)
			}
		}
	}
	return nil
}

// The files that name the document of a pleading begin so.
const (
	answerPrefix    = "answer-"
	objectionPrefix = "objection-"
)

// nameOf names a file for any text.
func nameOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// hashOf reads a hash in hex.
func hashOf(text string) (voting.Hash, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(voting.Hash{}) {
		return voting.Hash{}, fmt.Errorf("trader: %.80q is no hash", text)
	}
	return voting.Hash(raw), nil
}
