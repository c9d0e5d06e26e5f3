package blob

import (
	"errors"
	"fmt"
	"os"
	"time"

	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// renew makes content that is here the newest, also after a restart.
func (s *Store) renew(hash voting.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.index.renew(hash) {
		return false
	}
	now := time.Now()
	if err := os.Chtimes(s.path(hash), now, now); err != nil {
		s.log.Debug("blob: age of content not renewed", "hash", hash, "err", err) // it is only evicted earlier
	}
	return true
}

// makeRoom evicts the oldest content without a pin until there is room for n bytes.
func (s *Store) makeRoom(n uint64) error {
	for {
		short, err := s.short(n)
		if err != nil || short == "" {
			return err
		}
		s.mu.Lock()
		victim, ok := s.index.oldest()
		s.mu.Unlock()
		if !ok {
			return fmt.Errorf("%w: %s, and all that is here belongs to live cases; raise the quota or make room on the disk", errFull, short)
		}
		if err := s.remove(victim.hash); err != nil {
			return fmt.Errorf("blob: evicting %s: %w", victim.hash, err)
		}
		s.metrics.evicted.Inc()
	}
}

// short names the resource that does not suffice for n bytes more.
func (s *Store) short(n uint64) (string, error) {
	s.mu.Lock()
	used := s.index.bytes
	s.mu.Unlock()
	if used+n > s.cfg.Quota {
		return fmt.Sprintf("%d bytes of the quota of %d are in use", used, s.cfg.Quota), nil
	}
	free, err := durable.Free(s.cfg.Dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("blob: free space of %s: %w", s.cfg.Dir, err)
	case free < s.cfg.MinFree+n:
		return fmt.Sprintf("%d MiB are free on the disk of %s, %d MiB have to stay free", free>>20, s.cfg.Dir, s.cfg.MinFree>>20), nil
	}
	return "", nil
}
