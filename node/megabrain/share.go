package megabrain

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// share names something that others need: content that the memory nodes keep, or the results that a
// dispute is about.
type share struct {
	task onchain.Address
	of   [32]byte // the content's hash, or the dispute's address
}

const (
	shareAgain = time.Minute    // after a failed attempt
	giveAgain  = 12 * time.Hour // for a node to promise anew: half of the shortest term
)

// share gives what the client's seat revealed to the memory nodes, for as long as others need it: a
// crash or a full node may have come between. In a dispute, it shows results to the court's nodes,
// whatever the parties show: a worker shows its own, and an evaluator all that it has. next says
// when each is due again; the zero time is never.
func (d *Desk) share(ctx context.Context, at onchain.Address, next map[share]time.Time) (did string, err error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return "", absent(err)
	}
	return d.shareOf(ctx, s, next)
}

func (d *Desk) shareOf(ctx context.Context, s Seen, next map[share]time.Time) (did string, err error) {
	own, none := d.seat(s.Task)
	if none != nil || s.Task.Status < brain.Revealing || s.Task.Status > brain.Disputed {
		return "", nil // nobody needs anything of this key
	}
	once := func(of [32]byte, again time.Duration, do func() error) bool {
		it := share{s.At, of}
		if due, tried := next[it]; tried && (due.IsZero() || time.Now().Before(due)) {
			return false
		}
		if failed := do(); failed != nil {
			next[it], err = time.Now().Add(shareAgain), errors.Join(err, failed)
			return false
		}
		if next[it] = (time.Time{}); again > 0 {
			next[it] = time.Now().Add(again)
		}
		return true
	}
	once(s.Task.Terms, giveAgain, func() error { return keepQuestion(ctx, d, s) })
	if state, _ := own.said(); state == seatRevealed {
		hash := own.hash()
		once(hash, giveAgain, func() error {
			store, err := storeFor(ctx, d, s)
			if err != nil {
				return err
			}
			content, err := store.Get(ctx, hash)
			if err != nil {
				return err
			}
			return store.Give(ctx, content)
		})
	}
	if s.Task.Status == brain.Disputed && once(s.Task.Dispute, 0, func() error { return testify(ctx, d, s, own) }) {
		did = "show results to the court"
	}
	return did, err
}

// hash is that of the content that a seat revealed.
func (s seat) hash() [32]byte {
	if s.work != nil {
		return s.work.ResultHash
	}
	return s.judge.EvaluationHash
}

// testify shows results of a disputed task to the court's nodes. They take what the chain names.
func testify(ctx context.Context, d *Desk, s Seen, own seat) error {
	terms, err := brain.DisputeTerms(s.At, s.Task, s.Task.Counter)
	if err != nil {
		return err
	}
	if _, err := d.publish(ctx, s.Task.Dispute, document(terms, casefile.HashOf(terms))); err != nil {
		return fmt.Errorf("megabrain: the terms of the dispute: %w", err)
	}
	store, err := storeFor(ctx, d, s)
	if err != nil {
		return err
	}
	for i, w := range s.Task.Work[:s.Task.Counts.Drawn] {
		if w.State != seatRevealed || own.judge == nil && w.Agent != d.self {
			continue
		}
		content, getting := store.Get(ctx, w.ResultHash)
		switch {
		case errors.Is(getting, errNoContent), errors.Is(getting, ErrTooLarge), len(content) > finding.MaxResult:
			continue // it is no effort, unless another shows it
		case getting == nil:
			_, getting = d.publish(ctx, s.Task.Dispute, document(content, sha256.Sum256(content)))
		}
		if getting != nil {
			err = errors.Join(err, fmt.Errorf("megabrain: the result of worker %d: %w", i+1, getting))
		}
	}
	return errors.Join(err, testifyOpinions(ctx, d, s, own, store))
}
