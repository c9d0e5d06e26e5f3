package crank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	"ojud/voting"
)

// job is work that this node does now.
type job struct {
	duty
	of      *kind
	address onchain.Address
	worth   uint64 // lamports of the account
}

// plan compares what is remembered of an account with what the chain shows. It returns a job if
// there is one for this node now.
func (c *Crank) plan(ctx context.Context, address onchain.Address, a *ledger.Account, now int64) (job, bool, error) {
	c.mu.Lock()
	m := c.marks[address]
	c.mu.Unlock()
	if m == nil {
		return job{}, false, nil
	}
	d, ok, err := c.find(ctx, m.of, a)
	switch {
	case err != nil:
		return job{}, false, errors.Join(err, c.later(address, now))
	case !ok:
		c.forget(address)
	case d.at > m.at: // there is more time than was known
		c.note(address, mark{of: m.of, at: d.at, until: d.until, worth: a.Lamports})
	default:
		return job{d, m.of, address, a.Lamports}, true, nil
	}
	return job{}, false, nil
}

// find returns what is to be done on an account that the chain shows.
func (c *Crank) find(ctx context.Context, k *kind, a *ledger.Account) (duty, bool, error) {
	if a == nil || a.Owner != c.d.Chain.Program().ID() {
		return duty{}, false, nil
	}
	return k.plan(ctx, c, a)
}

func (c *Crank) forget(address onchain.Address) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.marks, address)
}

// later puts work off that failed, each time twice as long, and at last forgets it.
func (c *Crank) later(address onchain.Address, now int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.marks[address]
	if m == nil {
		return nil
	}
	if m.tries++; m.tries >= maxTries {
		delete(c.marks, address)
		return fmt.Errorf("%s of %s is left to others after %d tries", m.of.name, address, maxTries)
	}
	m.turn = now + min(max(int64(c.cfg.Step.Seconds()), 60)<<m.tries, m.most(now))
	return nil
}

// lend keeps the jobs whose rent the node can spare, and puts the others off.
func (c *Crank) lend(jobs []job, spare uint64, now int64) (kept []job, err error) {
	for _, j := range jobs {
		if j.rent > spare {
			err = errors.Join(err, c.later(j.address, now))
			continue
		}
		spare -= j.rent
		kept = append(kept, j)
	}
	return kept, err
}

// act does some of the jobs: the own lamports come first, then what moves most.
func (c *Crank) act(ctx context.Context, jobs []job, most int) error {
	own := func(j job) int {
		if j.to == c.d.Self.Address() {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(jobs, func(a, b job) int {
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(b.worth, a.worth))
	})
	var faults []error
	for _, j := range jobs[:min(len(jobs), most)] {
		if ctx.Err() != nil || !c.fill(c.d.Clock()) {
			break
		}
		faults = append(faults, c.do(ctx, j))
	}
	return errors.Join(faults...)
}

// do sends one crank. It is no fault if another node was faster.
func (c *Crank) do(ctx context.Context, j job) error {
	out, err := c.d.Submit(ctx, []onchain.Instruction{j.act}, ledger.SubmitOptions{
		Purpose: ledger.Purpose("crank/" + j.of.name + "/" + j.address.String()), Payer: c.d.Self, MaxFee: c.cfg.MaxFee, Along: j.along,
		Done: func(ctx context.Context) (bool, error) {
			all, _, err := c.d.Chain.Accounts(ctx, j.address)
			if err != nil {
				return false, err
			}
			d, ok, err := c.find(ctx, j.of, all[0])
			return !ok || d.at != j.at || j.more && !reflect.DeepEqual(d.act, j.act), err
		},
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.pay(out, err)
	end := out.Voting(err)
	switch end {
	case voting.Landed:
		c.d.Log.Debug("cranked", "kind", j.of.name, "account", j.address, "lamports", j.worth)
	case voting.Moot:
	default:
		c.ended.WithLabelValues(j.of.name, "failed").Inc()
		if err == nil && out.Rejection != nil {
			err = out.Rejection
		}
		return errors.Join(fmt.Errorf("%s of %s: %s: %w", j.of.name, j.address, out.Class, err), c.later(j.address, c.d.Clock()))
	}
	c.ended.WithLabelValues(j.of.name, end.String()).Inc()
	c.finish(j, end == voting.Landed)
	if j.more {
		c.note(j.address, mark{of: j.of, at: j.at, worth: j.worth})
	}
	return nil
}

// pay takes the fee of a transaction from the purse, unless none was signed.
func (c *Crank) pay(out transact.Outcome, err error) {
	free := errors.Is(err, ledger.ErrFee) || errors.Is(err, ledger.ErrNoFunds) ||
		err == nil && out.Class != transact.Expired && out.Signature.IsZero()
	if free {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.purse -= min(c.purse, c.cfg.MaxFee*day)
}

// finish forgets an account on which the work is done. What comes next is heard.
func (c *Crank) finish(j job, landed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.marks[j.address]; m != nil && m.of == j.of && m.at <= j.at {
		delete(c.marks, j.address)
	}
	if landed {
		c.state.Done++
		c.state.Error = ""
	}
}
