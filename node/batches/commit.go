package batches

import (
	"context"
	"errors"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
)

// Committed is the result of Commit.
type Committed struct {
	client.Sent
	State Progress `json:"state"`
}

// maxNumbers bounds how often Commit tries the next number because another proctor took one.
const maxNumbers = 4

// Commit commits to the batch with a deposit; 0 is what all leaves could take from the judges.
// Doing it again moves nothing.
func (l *Life) Commit(ctx context.Context, deposit client.Lamports) (Committed, error) {
	for range maxNumbers {
		r, err := l.read(ctx)
		if err != nil {
			return Committed{}, err
		}
		if r.batch != nil {
			return l.committed(ctx, client.Sent{Result: ledger.AlreadyDone.String()})
		}
		if r.kept && r.pot.Batches > r.number {
			return Committed{}, fmt.Errorf("%w: batch %d of this court is over and closed; a batch is never committed twice, so make a new one: ojud court proctor make", errNotNow, r.number)
		}
		costs, err := l.costs(r.law.Now.Params)
		if err != nil {
			return Committed{}, err
		}
		if deposit == 0 {
			deposit = costs.Deposit
		}
		if err := l.fits(ctx, r, deposit); err != nil {
			return Committed{}, err
		}
		number, root := r.pot.Batches, l.root
		if err := l.keep(number); err != nil {
			return Committed{}, err
		}
		proctor, err := onchain.ParseAddress(l.me)
		if err != nil {
			return Committed{}, fmt.Errorf("batches: %w", err)
		}
		sent, err := l.office.Send(ctx, client.Order{
			Name: "commit batch " + fmt.Sprint(number), Pays: deposit,
			Instructions: []onchain.Instruction{l.program.BatchCalls(number).Commit(proctor, r.law.Now.Number, program.CommitBatch{
				Root: root, Leaves: uint32(len(l.leaves)), Deposit: uint64(deposit),
			})},
			Done: func(ctx context.Context) (bool, error) {
				b, _, err := ledger.Read(ctx, l.office, l.program.Batch(number), program.DecodeBatch)
				if errors.Is(err, ledger.ErrNotFound) {
					return false, nil
				}
				return err == nil && b.Root == root, err
			},
		})
		if err == nil {
			return l.committed(ctx, sent)
		}
		if !errors.Is(err, program.ErrWrongAddress) && !errors.Is(err, program.ErrAlreadyExists) {
			return Committed{}, err
		}
	}
	return Committed{}, errors.New("batches: other proctors took the number of the batch each time; try again")
}

func (l *Life) committed(ctx context.Context, sent client.Sent) (Committed, error) {
	s, err := l.Show(ctx)
	return Committed{Sent: sent, State: s}, err
}

// fits says why a batch cannot be committed, or would fail later, before anything is paid.
func (l *Life) fits(ctx context.Context, r *reading, deposit client.Lamports) error {
	p, leaves := r.law.Now.Params, uint32(len(l.leaves))
	least, err := p.Law().Deposit(uint64(leaves), 0)
	if err != nil {
		return fmt.Errorf("batches: deposit: %w", err)
	}
	proctor, err := l.proctor(ctx)
	if err != nil {
		return err
	}
	switch {
	case l.me == "":
		return fmt.Errorf("%w: this needs the proctor's key; name its file with --key FILE", errNotNow)
	case !proctor:
		return fmt.Errorf("%w: %s is no proctor of this court; ask its authority %s to run: ojud court proctor admit %s", errNotNow, l.me, r.law.Config.Authority, l.me)
	case r.law.Config.Paused != 0:
		return fmt.Errorf("%w: the court is paused, so no task can be posted; wait until it goes on", errNotNow)
	case p.BatchSeconds == 0:
		return fmt.Errorf("%w: this court takes no golden cases (batch_seconds is 0); its authority can announce others: ojud court rules propose --set batch_seconds=12h", errNotNow)
	case window(p) < 1:
		return fmt.Errorf("%w: a batch has %d s here (batch_seconds), and one case may take %d s; ask the authority for longer batches", errNotNow, p.BatchSeconds, longest(p))
	case r.law.Now.Until != 0 && r.law.Time+int64(p.BatchSeconds) > r.law.Now.Until:
		return fmt.Errorf("%w: other rules apply in %d s, before the batch has to be open; commit it then", errNotNow, r.law.Now.Until-r.law.Time)
	case r.pot.Leaves() < leaves:
		return fmt.Errorf("%w: this court takes %d leaves now, and the batch has %d; make a smaller one (--leaves), or wait until more cases have ended: "+
			"each one allows %g leaves", errNotNow, r.pot.Leaves(), leaves, float64(p.GoldenBps)/10_000)
	case uint64(deposit) < least:
		return fmt.Errorf("%w: the deposit is %s, and the least one of %d leaves is %s; leave --deposit out to take what is needed", errNotNow, deposit, leaves, client.Lamports(least))
	}
	if err := l.covered(ctx, p); err != nil {
		return err
	}
	return l.posted(r)
}

// covered refuses a batch with rewards that the court takes no task for.
func (l *Life) covered(ctx context.Context, p program.Params) error {
	cover, err := law.CoverOf(ctx, l.office, p)
	if err != nil {
		return err
	}
	for i, leaf := range l.leaves {
		if leaf.Reward < p.MinReward || cover.Limited && leaf.Reward > cover.Most {
			most := "any amount"
			if cover.Limited {
				most = client.Lamports(cover.Most).String()
			}
			return fmt.Errorf("%w: leaf %d has a reward of %s, and this court takes tasks from %s to %s; make the batch again with other --rewards",
				errNotNow, i+1, client.Lamports(leaf.Reward), client.Lamports(p.MinReward), most)
		}
	}
	return nil
}

// posted refuses a batch whose tasks would not get their numbers.
func (l *Life) posted(r *reading) error {
	first := map[onchain.Address]uint64{}
	for _, leaf := range l.leaves {
		creator := onchain.Address(leaf.Creator)
		if n, known := first[creator]; !known || leaf.Number < n {
			first[creator] = leaf.Number
		}
	}
	for creator, n := range first {
		a := r.agents[creator]
		if a == nil {
			return fmt.Errorf("%w: the creator %s is no agent of this court; run: ojud agent register --key FILE, with its key", errNotNow, creator)
		}
		if a.TasksCreated != n {
			return fmt.Errorf("%w: the creator %s has created %d tasks, and the first one of the batch would have the number %d; make the batch again with --first %d",
				errNotNow, creator, a.TasksCreated, n, a.TasksCreated)
		}
	}
	return nil
}

// proctor reports whether the court admits the key.
func (l *Life) proctor(ctx context.Context) (bool, error) {
	if l.me == "" {
		return false, nil
	}
	me, err := onchain.ParseAddress(l.me)
	if err != nil {
		return false, fmt.Errorf("batches: %w", err)
	}
	_, _, err = ledger.Read(ctx, l.office, l.program.Proctor(me), program.DecodeProctor)
	if errors.Is(err, ledger.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
