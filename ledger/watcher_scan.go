package ledger

import (
	"context"
	"errors"
	"time"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
)

// scanner lists all cases of the program every Watch.Rescan. Many RPC nodes refuse this list or
// limit it. So it runs beside the caseReader and never delays it. If the first list fails, the
// scanner reads the program's newest transactions instead, once. After that, the stream of
// transactions names every case that changes.
type scanner struct {
	*Watcher
	kick   chan struct{}
	state  rpc.Condition
	filled bool // all live cases were found once, by a list or by transactions
}

// maxSearch bounds the transactions that the scanner reads in place of the first list.
const maxSearch = 1000

func newScanner(w *Watcher) *scanner {
	return &scanner{Watcher: w, kick: make(chan struct{}, 1), state: rpc.Condition{Log: w.log, What: "listing all cases"}}
}

// wake causes a scan now.
func (s *scanner) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// run scans until ctx ends.
func (s *scanner) run(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.kick:
		case <-due.C:
		}
		err := s.scan(ctx)
		if errors.Is(err, ErrOtherChain) {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		s.state.Set(err)
		due.Reset(s.cfg.Rescan)
	}
}

// scan hands the list of all cases to the reader.
func (s *scanner) scan(ctx context.Context) error {
	heads, _, err := s.client.caseHeads(ctx)
	if err != nil {
		s.state.Set(err)
		if !s.filled {
			other := s.search(ctx)
			s.filled = other == nil
			if errors.Is(other, ErrOtherChain) {
				return other
			}
		}
		return err
	}
	s.filled = true
	select {
	case s.reader.heads <- heads:
	case <-ctx.Done():
	}
	return nil
}

// search looks at every case that the program's newest transactions name, as far back as a live
// case can have changed.
func (s *scanner) search(ctx context.Context) error {
	longest, err := s.longestRound(ctx)
	if err != nil {
		return err
	}
	now, err := s.client.Now(ctx)
	if err != nil {
		return err
	}
	oldest, last, named := now.Unix-longest, onchain.Signature{}, make(map[onchain.Address]bool)
	for read := 0; read < maxSearch; {
		page, err := s.client.page(ctx, s.client.program.ID(), last, onchain.Signature{})
		if err != nil {
			return err
		}
		for _, l := range page[:min(len(page), maxSearch-read)] {
			if l.time != 0 && l.time < oldest {
				return nil
			}
			if err := s.name(ctx, l, named); err != nil {
				return err
			}
			last = l.signature
			read++
		}
		if len(page) < s.cfg.Page {
			return nil
		}
	}
	return nil
}

// name has the cases of one transaction looked at, unless a newer transaction named them.
func (s *scanner) name(ctx context.Context, l listed, named map[onchain.Address]bool) error {
	if l.failed {
		return nil
	}
	t, err := s.client.recall(ctx, l)
	if errors.Is(err, ErrNotFound) || err == nil && failed(t.failure) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range s.client.occurred(t.slot, t.signature, t.time, t.logs).Events {
		looks.Touched(e, func(task onchain.Address) {
			if !named[task] {
				named[task] = true
				s.reader.touch(task, 0)
			}
		})
	}
	return nil
}

// longestRound is how many seconds a live case can go without a transaction under one of the newest
// versions of the rules, twice, so that a late transaction is found too.
func (s *scanner) longestRound(ctx context.Context) (longest int64, err error) {
	p := s.client.program
	config, _, err := s.client.Config(ctx)
	if err != nil {
		return 0, err
	}
	for n := config.Rules; n >= program.FirstRules && n+maxVersions > config.Rules; n-- {
		r, _, err := Read(ctx, s.client, p.Rules(n), program.DecodeRules)
		if err != nil {
			return 0, err
		}
		longest = max(longest, 2*(int64(r.DrawSeconds)+int64(r.CommitSeconds)+int64(r.RevealSeconds)))
	}
	return longest, nil
}

// maxVersions is how many versions of the rules a live case is sought under: each was in force for
// a cooldown at least.
const maxVersions = 4
