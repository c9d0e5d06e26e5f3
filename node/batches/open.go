package batches

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"ojud/golden/proctor"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// Done is the result of an action on leaves.
type Done struct {
	Leaves []int    `json:"leaves"` // on which it was done now, from 1 on
	State  Progress `json:"state"`
}

// ErrWaiting means that it is too early: cases of the batch run, or its leaves may be challenged.
var ErrWaiting = errors.New("batches: too early")

// Open opens all leaves on the chain, and writes them with their proofs to the folder opened. It
// opens none while a case of another one may still run, and then returns ErrWaiting, because an
// open leaf shows who works for the proctor. With ready it opens those whose case is over.
func (l *Life) Open(ctx context.Context, ready bool) (Done, error) {
	r, err := l.running(ctx)
	if err != nil {
		return Done{}, err
	}
	openable, waiting := l.sorted(r)
	if r.law.Time >= r.batch.OpenBy && len(openable)+len(waiting) > 0 {
		return Done{}, fmt.Errorf("%w: the time to open the batch is over, and %d leaves are not open; nothing of it is applied, and the deposit is lost: %s", errNotNow,
			len(openable)+len(waiting), "ojud court proctor close "+l.dir)
	}
	if len(waiting) > 0 && !ready {
		return Done{}, fmt.Errorf("%w: %s; wait for them with --wait, or open the others now with --ready, which shows who works for you; the batch has to be open in %d s",
			ErrWaiting, l.list(r, waiting), r.batch.OpenBy-r.law.Time)
	}
	err = l.each(ctx, openable, func(ctx context.Context, i int) error { return l.open(ctx, r, i) })
	return l.done(ctx, openable, err)
}

// sorted returns the leaves that can be opened, and those that may have a golden case yet.
func (l *Life) sorted(r *reading) (openable, waiting []int) {
	for i, leaf := range l.leaves {
		switch s := r.step(i, leaf, nil); s {
		case decided, lost:
			openable = append(openable, i)
		case unposted, posted, claimed:
			if s.least(r.law.Now.Params) < r.batch.OpenBy-r.law.Time { // it may still have a golden case
				waiting = append(waiting, i)
			} else {
				openable = append(openable, i) // as void: otherwise the batch is not open in time
			}
		case open, void, applied:
		default:
			waiting = append(waiting, i)
		}
	}
	return openable, waiting
}

// list says how far some leaves are.
func (l *Life) list(r *reading, some []int) string {
	text := ""
	for n, i := range some {
		if n == 3 {
			return text + fmt.Sprintf(" and %d more", len(some)-n)
		}
		if n > 0 {
			text += ", "
		}
		text += fmt.Sprintf("leaf %d is %s", i+1, r.step(i, l.leaves[i], nil))
	}
	return text
}

// open opens a leaf. Whether it counts is what the chain says, and the program checks it.
func (l *Life) open(ctx context.Context, r *reading, i int) error {
	leaf, void := l.leaves[i], r.step(i, l.leaves[i], nil) != decided
	_, err := l.office.Send(ctx, client.Order{
		Name: fmt.Sprintf("open leaf %d of batch %d", i+1, r.number),
		Instructions: []onchain.Instruction{l.program.BatchCalls(r.number).OpenLeaf(r.batch.Proctor, onchain.Address(leaf.Address), void, program.OpenLeaf{
			Index: leaf.Proof.Index, TaskHash: leaf.Task, ResultHash: leaf.Result, ObjectionHash: leaf.Objection, CounterHash: leaf.Counter,
			Answer: leaf.Answer, Generator: leaf.Generator, Seed: voting.Hash(leaf.Seed), Path: path(leaf),
		})},
		Done: func(ctx context.Context) (bool, error) {
			b, _, err := ledger.Read(ctx, l.office, l.program.Batch(r.number), program.DecodeBatch)
			return err == nil && isOpen(b, i), err
		},
	})
	return err
}

func path(leaf proctor.Leaf) (all []byte) {
	for _, h := range leaf.Proof.Path {
		all = append(all, h[:]...)
	}
	return all
}

// Apply pays and slashes the seats of all golden cases of the batch. Anyone may do so, and nodes
// do, when the time to challenge a leaf is over.
func (l *Life) Apply(ctx context.Context) (Done, error) {
	r, err := l.running(ctx)
	if err != nil {
		return Done{}, err
	}
	from := r.batch.ApplyFrom(r.law.Config)
	switch {
	case r.batch.Opened < r.batch.Leaves:
		return Done{}, fmt.Errorf("%w: %d of %d leaves are open; open the others first: ojud court proctor open %s", errNotNow, r.batch.Opened, r.batch.Leaves, l.dir)
	case !r.batch.Fair():
		return Done{}, fmt.Errorf("%w: %d of %d leaves are void and %d of the others say accept, so the batch is not applied, and its deposit is lost", errNotNow,
			r.batch.Void, r.batch.Leaves, r.batch.Accepts)
	case r.law.Config.Paused != 0:
		return Done{}, fmt.Errorf("%w: the court is paused; the time to challenge begins again after the pause", errNotNow)
	case r.law.Time < from:
		return Done{}, fmt.Errorf("%w: leaves may be challenged for %d s yet; apply them then, or with --wait", ErrWaiting, from-r.law.Time)
	}
	var waiting []int
	for i, leaf := range l.leaves {
		if r.step(i, leaf, nil) == open && r.cases[i] != nil {
			waiting = append(waiting, i)
		}
	}
	err = l.each(ctx, waiting, func(ctx context.Context, i int) error {
		task := onchain.Address(l.leaves[i].Address)
		_, err := l.office.Send(ctx, client.Order{
			Name:         fmt.Sprintf("apply leaf %d of batch %d", i+1, r.number),
			Instructions: []onchain.Instruction{l.program.BatchCalls(r.number).ApplyLeaf(task)},
			Done: func(ctx context.Context) (bool, error) {
				k, _, err := ledger.Read(ctx, l.office, l.program.Case(task), program.DecodeCase)
				return err == nil && k.Applied == 1, err
			},
		})
		return err
	})
	return l.done(ctx, waiting, err)
}

// Close ends the batch. Deposit, fees and rent come back, or the deposit is lost if the batch
// failed. Anyone may do so, and nodes do.
func (l *Life) Close(ctx context.Context) (Committed, error) {
	r, err := l.read(ctx)
	if err != nil {
		return Committed{}, err
	}
	b := r.batch
	switch {
	case b == nil && r.kept && r.pot.Batches > r.number:
		return l.committed(ctx, client.Sent{Result: ledger.AlreadyDone.String()})
	case b == nil:
		return Committed{}, l.uncommitted()
	case b.Fair() && b.Applied < b.Opened-b.Void && r.law.Time < b.KeepUntil:
		return Committed{}, fmt.Errorf("%w: %d leaves are not applied yet; run first: ojud court proctor apply %s", errNotNow, b.Opened-b.Void-b.Applied, l.dir)
	case b.Opened < b.Leaves && r.law.Time < b.OpenBy:
		return Committed{}, fmt.Errorf("%w: %d leaves are not open yet, and there are %d s left to open them; run: ojud court proctor open %s", errNotNow, b.Leaves-b.Opened,
			b.OpenBy-r.law.Time, l.dir)
	}
	sent, err := l.office.Send(ctx, client.Order{
		Name: fmt.Sprint("close batch ", r.number), Instructions: []onchain.Instruction{l.program.BatchCalls(r.number).Close(b.Proctor)},
		Done: func(ctx context.Context) (bool, error) {
			_, _, err := ledger.Read(ctx, l.office, l.program.Batch(r.number), program.DecodeBatch)
			if errors.Is(err, ledger.ErrNotFound) {
				return true, nil
			}
			return false, err
		},
	})
	if err != nil {
		return Committed{}, err
	}
	return l.committed(ctx, sent)
}

// running reads a batch that is committed and not closed.
func (l *Life) running(ctx context.Context) (*reading, error) {
	r, err := l.read(ctx)
	if err == nil && r.batch == nil {
		err = l.uncommitted()
		if r.kept && r.pot.Batches > r.number {
			err = fmt.Errorf("%w: batch %d is closed, so nothing is left to do", errNotNow, r.number)
		}
	}
	return r, err
}

func (l *Life) uncommitted() error {
	return fmt.Errorf("%w: the batch is not committed; run first: ojud court proctor commit %s", errNotNow, l.dir)
}

// each does something with some leaves at once. It goes on after errors, and names the leaves.
func (l *Life) each(ctx context.Context, some []int, do func(context.Context, int) error) error {
	faults := make([]error, len(l.leaves))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, i := range some {
		group.Go(func() error {
			if err := do(ctx, i); err != nil {
				faults[i] = fmt.Errorf("leaf %d: %w", i+1, err)
			}
			return nil
		})
	}
	return errors.Join(append(faults, group.Wait())...)
}

// done shows the batch after an action, and writes the leaves that are open.
func (l *Life) done(ctx context.Context, some []int, failed error) (Done, error) {
	s, err := l.Show(ctx)
	d := Done{Leaves: []int{}, State: s}
	if err != nil {
		return d, errors.Join(failed, err)
	}
	var numbers []int
	for _, leaf := range s.Leaves {
		if leaf.IsOpen {
			numbers = append(numbers, leaf.Leaf)
		}
	}
	for _, i := range some {
		if slices.Contains(numbers, i+1) {
			d.Leaves = append(d.Leaves, i+1)
		}
	}
	_, err = l.made.Open(l.dir, numbers)
	return d, errors.Join(failed, err)
}
