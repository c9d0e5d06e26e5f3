package blob

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// Store is an open blob store. Its methods may be called by several goroutines at once. Close it.
type Store struct {
	cfg     Config
	log     *slog.Logger
	metrics *metrics

	writing sync.Mutex // one Put, Pin or Unpin at a time

	mu    sync.Mutex
	index index
}

var _ casefile.Blobs = (*Store)(nil)

// Folders of Config.Dir.
const (
	contentDir = "content" // ab/cd/abcd…
	pinDir     = "pins"    // owner/hash, empty files
)

// Open opens the store in cfg.Dir, or makes one. It reads the names and sizes of all files. A nil
// logger or registerer is fine.
func Open(cfg Config, log *slog.Logger, reg prometheus.Registerer) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	for _, dir := range []string{contentDir, pinDir} {
		if err := durable.MakeDir(filepath.Join(cfg.Dir, dir)); err != nil {
			return nil, fmt.Errorf("blob: directory %s: %w; choose one that this user can write to", cfg.Dir, err)
		}
	}
	s := &Store{cfg: cfg, log: log, index: newIndex()}
	if err := s.load(); err != nil {
		return nil, fmt.Errorf("blob: reading %s: %w", cfg.Dir, err)
	}
	m, err := newMetrics(reg, s)
	if err != nil {
		return nil, err
	}
	s.metrics = m
	return s, nil
}

// Close gives the store's metrics free. Content that was acknowledged is on disk without it.
func (s *Store) Close() error {
	s.metrics.unregister()
	return nil
}

// Put keeps content and returns its hash. When it returns, the content is on the device. Content
// that is there already becomes the newest.
func (s *Store) Put(content []byte) (voting.Hash, error) {
	hash := voting.Hash(sha256.Sum256(content))
	if len(content) > s.cfg.MaxBlob {
		return hash, fmt.Errorf("%w: %d bytes, at most %d are kept", errTooLarge, len(content), s.cfg.MaxBlob)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.renew(hash) {
		return hash, nil
	}
	if err := s.makeRoom(uint64(len(content))); err != nil {
		return hash, err
	}
	if err := s.write(hash, content); err != nil {
		return hash, fmt.Errorf("blob: keeping %s: %w", hash, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.add(hash, uint64(len(content)))
	return hash, nil
}

// PutAs keeps content that has to have that hash; ErrMismatch if it has another.
func (s *Store) PutAs(hash voting.Hash, content []byte) error {
	if got := voting.Hash(sha256.Sum256(content)); got != hash {
		return fmt.Errorf("%w: %s, not %s", errMismatch, got, hash)
	}
	_, err := s.Put(content)
	return err
}

// Has reports whether content is here. It may be gone a moment later unless it is pinned.
func (s *Store) Has(hash voting.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.has(hash)
}

// Blob returns content; ErrNotFound if it is not here, or was damaged. Damaged content is removed,
// so that it can be fetched again.
func (s *Store) Blob(hash voting.Hash) ([]byte, error) {
	if !s.Has(hash) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, hash)
	}
	content, err := s.read(hash)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errMismatch) {
		return nil, s.lost(hash, err)
	}
	if err != nil {
		return nil, fmt.Errorf("blob: reading %s: %w", hash, err)
	}
	return content, nil
}

// read returns the content of a file if it has its hash.
func (s *Store) read(hash voting.Hash) ([]byte, error) {
	f, err := os.Open(s.path(hash))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, int64(s.cfg.MaxBlob)+1))
	if err != nil {
		return nil, err
	}
	if voting.Hash(sha256.Sum256(content)) != hash {
		return nil, errMismatch
	}
	return content, nil
}

// lost forgets content whose file is gone or damaged.
func (s *Store) lost(hash voting.Hash, why error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if !s.Has(hash) {
		return fmt.Errorf("%w: %s", ErrNotFound, hash)
	}
	if _, err := s.read(hash); err == nil {
		return fmt.Errorf("%w: %s was being replaced", ErrNotFound, hash)
	}
	s.metrics.damaged.Inc()
	s.log.Error("blob: content was damaged on disk and is removed; check the disk", "hash", hash, "err", why)
	if err := s.remove(hash); err != nil {
		return fmt.Errorf("blob: removing damaged %s: %w", hash, err)
	}
	return fmt.Errorf("%w: %s was damaged", ErrNotFound, hash)
}

func (s *Store) path(hash voting.Hash) string {
	name := hash.String()
	return filepath.Join(s.cfg.Dir, contentDir, name[:2], name[2:4], name)
}

func (s *Store) write(hash voting.Hash, content []byte) error {
	path := s.path(hash)
	if err := durable.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	return durable.WriteFile(path, content)
}

// remove deletes a file and forgets it.
func (s *Store) remove(hash voting.Hash) error {
	if err := os.Remove(s.path(hash)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.remove(hash)
	return nil
}
