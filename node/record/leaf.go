package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/leaf"
	"ojud/golden/generator"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/voting"
)

// historian reads the final transactions of a case, oldest first.
type historian interface {
	History(ctx context.Context, task voting.Key) ([]ledger.Occurred, error)
}

// openLeaf is the part of a case file that tells of a golden case; nil if no leaf of the case is
// open.
func openLeaf(ctx context.Context, chain historian, task voting.Key) (json.RawMessage, error) {
	all, err := chain.History(ctx, task)
	if err != nil {
		return nil, fmt.Errorf("record: whether the case was golden: %w", err)
	}
	var l *leaf.Leaf
	for _, o := range all {
		for _, e := range o.Events {
			switch e := e.(type) {
			case *program.LeafOpened:
				if e.Void == 0 && voting.Key(e.Task) == task {
					l = &leaf.Leaf{
						Batch: e.Batch, Index: e.Index, Answer: casefile.Choice(e.Answer), Generator: casefile.Digest(e.Generator),
						Seed: casefile.Digest(e.Seed), Tx: casefile.TxID(o.Signature), At: e.At,
					}
				}
			case *program.LeafApplied:
				if l != nil && voting.Key(e.Task) == task {
					l.Applied = applied(e, casefile.TxID(o.Signature))
				}
			}
		}
	}
	if l == nil {
		return nil, nil
	}
	return l.Encode()
}

// applied is what the answer moved.
func applied(e *program.LeafApplied, tx casefile.TxID) *leaf.Applied {
	a := &leaf.Applied{Taken: casefile.Amount(e.Taken), Paid: casefile.Amount(e.Paid), Fee: casefile.Amount(e.Fee), Tx: tx, At: e.At, Seats: []leaf.Moved{}}
	for _, s := range e.Seats {
		a.Seats = append(a.Seats, leaf.Moved{Slashed: casefile.Amount(s.Slashed), Earned: casefile.Amount(s.Earned)})
	}
	return a
}

// taskFinder reads a task of the chain.
type taskFinder interface {
	FindTask(ctx context.Context, task voting.Key) (*program.Task, error)
}

// Lie says why the leaf that a proctor opened is false; empty: its generator makes just that. An
// error means that this node cannot tell.
func Lie(ctx context.Context, chain taskFinder, e *program.LeafOpened) (why string, err error) {
	t, err := chain.FindTask(ctx, voting.Key(e.Task))
	if err != nil {
		return "", fmt.Errorf("record: the task of an open leaf: %w", err)
	}
	l := leaf.Leaf{Answer: casefile.Choice(e.Answer), Generator: casefile.Digest(e.Generator), Seed: casefile.Digest(e.Seed)}
	whole := l.Golden(casefile.Address(e.Task), casefile.TaskTerms{
		TaskHash: casefile.Digest(t.TaskHash), ResultHash: casefile.Digest(t.ResultHash),
		ObjectionHash: casefile.Digest(t.ObjectionHash), CounterHash: casefile.Digest(t.CounterHash),
	})
	if whole.Hash() != t.Seal {
		return "", fmt.Errorf("record: the leaf that was opened for %s does not fit the seal of its task", e.Task)
	}
	_, err = generator.Verify(whole)
	if errors.Is(err, generator.ErrFalse) {
		return err.Error(), nil
	}
	return "", err
}
