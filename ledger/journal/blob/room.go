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

// makeRoom evicts content that is worth less than w, the least worthy first, until there is room
// for n bytes.
func (s *Store) makeRoom(n uint64, w worth) error {
	for {
		short, err := s.short(n)
		if err != nil || short == "" {
			return err
		}
		ok, err := s.evict(w, func(*entry) bool { return true })
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: %s, and all that is here is needed more; raise the quota or make room on the disk", ErrFull, short)
		}
	}
}

// evict removes the least worthy content below w that may go, if there is any.
func (s *Store) evict(w worth, may func(*entry) bool) (bool, error) {
	s.mu.Lock()
	victim := s.index.least(w, may)
	s.mu.Unlock()
	if victim == nil {
		return false, nil
	}
	if err := s.remove(victim.hash); err != nil {
		return false, fmt.Errorf("blob: evicting %s: %w", victim.hash, err)
	}
	s.metrics.evicted.Inc()
	return true, nil
}

// afford checks the budgets of an owner for n bytes more.
func (x *index) afford(o *owner, n uint64) error {
	if o.Budget > 0 && o.bytes+n > o.Budget {
		return fmt.Errorf("%w: %d bytes of the %d of its owner are in use", ErrFull, o.bytes, o.Budget)
	}
	if used := x.payers[payer{o.Payer, o.Rank}]; o.PayerBudget > 0 && used+n > o.PayerBudget {
		return fmt.Errorf("%w: %d bytes of the %d of who answers for its owner are in use", ErrFull, used, o.PayerBudget)
	}
	return nil
}

// share makes room for n bytes more in the share of a rank. Only content of the same rank goes.
func (s *Store) share(n uint64, w worth) error {
	most := s.cfg.Quota / 100 * shares[w.rank]
	for most > 0 {
		s.mu.Lock()
		used := s.index.ranked[w.rank]
		s.mu.Unlock()
		if used+n <= most {
			break
		}
		ok, err := s.evict(w, func(e *entry) bool { return e.rank == w.rank })
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%w: %d bytes of the %d for content of its kind are in use", ErrFull, used, most)
		}
	}
	return nil
}

// short names the resource that does not suffice for n bytes more.
func (s *Store) short(n uint64) (string, error) {
	s.mu.Lock()
	used := s.index.bytes
	s.mu.Unlock()
	if used+n > s.cfg.Quota {
		return fmt.Sprintf("%d bytes of the quota of %d are in use", used, s.cfg.Quota), nil
	}
	return s.disk(n)
}

// disk says that the disk does not have n bytes more than have to stay free.
func (s *Store) disk(n uint64) (string, error) {
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
