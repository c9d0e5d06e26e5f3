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
	poor  uint64 // pieces of content for which there was no room
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

// Put keeps content that has no owner, as long as nothing else needs its room, and returns its
// hash. When it returns, the content is on the device. Content that is there already becomes the
// newest.
func (s *Store) Put(content []byte) (voting.Hash, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.put(content, func(size uint64) error { return s.makeRoom(size, worth{rank: Stray}) })
}

// put writes content that is not here, if there is room for it.
func (s *Store) put(content []byte, room func(size uint64) error) (voting.Hash, error) {
	hash, size := voting.Hash(sha256.Sum256(content)), uint64(len(content))
	if len(content) > s.cfg.MaxBlob {
		return hash, fmt.Errorf("%w: %d bytes, at most %d are kept", errTooLarge, len(content), s.cfg.MaxBlob)
	}
	if s.renew(hash) {
		return hash, nil
	}
	if err := room(size); err != nil {
		return hash, err
	}
	if err := s.write(hash, content); err != nil {
		return hash, fmt.Errorf("blob: keeping %s: %w", hash, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.add(hash, size)
	return hash, nil
}

// Keep keeps content that somebody else made for an owner, within the budgets of its merit. It
// displaces content that is worth less. The error is ErrFull if there is no room.
func (s *Store) Keep(owner voting.Key, content []byte) (voting.Hash, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	hash, size := voting.Hash(sha256.Sum256(content)), uint64(len(content))
	s.mu.Lock()
	o, here := s.index.owner(owner), s.index.entry(hash)
	w := o.worth()
	var poor error
	if here == nil || !s.index.pins[hash][owner] {
		poor = s.index.afford(o, size)
	}
	rises := here == nil || here.rank < w.rank
	s.mu.Unlock()
	if poor == nil && rises {
		poor = s.share(size, w)
	}
	if poor == nil {
		_, poor = s.put(content, func(size uint64) error { return s.makeRoom(size, w) })
	}
	if poor != nil {
		return hash, s.refused(poor)
	}
	return hash, s.pin(owner, hash)
}

// refused counts content for which there was no room.
func (s *Store) refused(err error) error {
	if errors.Is(err, ErrFull) {
		s.metrics.refused.Inc()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.poor++
	}
	return err
}

// KeepOwn keeps what this node itself says for an owner, such as its opinion of a case. It is
// short, so the quota does not stop it; only a full disk does.
func (s *Store) KeepOwn(owner voting.Key, content []byte) (voting.Hash, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	hash, err := s.put(content, func(size uint64) error {
		err := s.makeRoom(size, worth{rank: Seat})
		if !errors.Is(err, ErrFull) {
			return err
		}
		short, free := s.disk(size)
		if free != nil || short == "" {
			return free
		}
		return err
	})
	if err != nil {
		return hash, err
	}
	return hash, s.pin(owner, hash)
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
