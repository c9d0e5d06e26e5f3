package blob

import (
	"fmt"
	"os"
	"path/filepath"

	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// Pin keeps content from being evicted as long as owner, such as a case, needs it and nothing of
// more worth needs the room. Content may be pinned before it is here. When Pin returns, the pins
// survive a restart. Content that is pinned already costs no write.
func (s *Store) Pin(owner voting.Key, hashes ...voting.Hash) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.pin(owner, hashes...)
}

func (s *Store) pin(owner voting.Key, hashes ...voting.Hash) error {
	fresh := s.unpinned(owner, hashes)
	if len(fresh) == 0 {
		return nil
	}
	dir := s.pins(owner)
	if err := durable.MakeDir(dir); err != nil {
		return fmt.Errorf("blob: pins of %s: %w", owner, err)
	}
	for _, hash := range fresh {
		f, err := os.OpenFile(filepath.Join(dir, hash.String()), os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("blob: pin %s: %w", hash, err)
		}
	}
	if err := durable.Sync(dir); err != nil {
		return fmt.Errorf("blob: pins of %s: %w", owner, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, hash := range fresh { // not before they are durable: what stands in the index is not written again
		s.index.pin(owner, hash)
	}
	return nil
}

// unpinned are the hashes that owner has not pinned.
func (s *Store) unpinned(owner voting.Key, hashes []voting.Hash) (fresh []voting.Hash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, hash := range hashes {
		if !s.index.pins[hash][owner] {
			fresh = append(fresh, hash)
		}
	}
	return fresh
}

// Unpin gives up all pins of owner, and its merit. The content stays until its room is needed.
func (s *Store) Unpin(owner voting.Key) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	err := os.RemoveAll(s.pins(owner))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.unpin(owner) // with an error too: some files may be gone, and what stands in the index is not written again
	if err != nil {
		return fmt.Errorf("blob: pins of %s: %w", owner, err)
	}
	return nil
}

func (s *Store) pins(owner voting.Key) string {
	return filepath.Join(s.cfg.Dir, pinDir, owner.String())
}
