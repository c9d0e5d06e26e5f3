package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// History returns the events of a task and its case in the order of the chain, with slot, signature
// and block time. It reads the node's index of both accounts and every transaction in it that was
// not read before. ErrTooLong: there are more than Watch.MaxHistory. ErrNotFound: the node lists a
// transaction that it no longer has, ask one with a longer memory.
func (c *Client) History(ctx context.Context, task onchain.Address) ([]Occurred, error) {
	address := c.program.Case(task)
	all, err := c.life(ctx, task, address)
	if err != nil {
		return nil, err
	}
	out := make([]Occurred, 0, len(all))
	for _, t := range all {
		o := c.occurred(t.slot, t.signature, t.time, t.logs)
		o.Events = slices.DeleteFunc(o.Events, func(e program.Event) bool { return !about(e, task, address) })
		if len(o.Events) > 0 || !o.Complete {
			out = append(out, o)
		}
	}
	return out, nil
}

// Sealed returns the sealed opening that a judge put into the commit instruction with that
// commitment; it may be empty. ErrNotFound if there is no such instruction.
func (c *Client) Sealed(ctx context.Context, task, judge onchain.Address, round uint8, commitment voting.Hash) ([]byte, error) {
	address := c.program.Case(task)
	all, err := c.life(ctx, address)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		found, err := commits(c.program, t.raw)
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			if i.judge == judge && i.address == address && i.Round == round && i.Commitment == commitment {
				return i.Sealed, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: a commit of %s in round %d of case %s", ErrNotFound, judge, round, task)
}

// life returns the transactions that name one of the addresses and succeeded, in the order of the
// chain.
func (c *Client) life(ctx context.Context, addresses ...onchain.Address) ([]*transaction, error) {
	var order []listed
	for _, address := range addresses {
		var l listing
		if err := c.complete(ctx, &l, address, Cursor{}, c.cfg.Watch.MaxHistory); err != nil {
			return nil, err
		}
		if l.cut {
			return nil, fmt.Errorf("%w: more than %d transactions of %s, raise watch.max_history", errTooLong, c.cfg.Watch.MaxHistory, address)
		}
		order = merge(order, l.found)
	}
	order = slices.DeleteFunc(order, func(l listed) bool { return l.failed })
	all := make([]*transaction, len(order))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fetchers)
	for i, l := range order {
		group.Go(func() (err error) {
			all[i], err = c.recall(ctx, l)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return all, nil
}

// recall returns a transaction from memory, or else reads it.
func (c *Client) recall(ctx context.Context, l listed) (*transaction, error) {
	if t := c.cache.get(l); t != nil {
		return t, nil
	}
	t, err := c.transaction(ctx, l.signature)
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("%w; the node lists it for slot %d and no longer has it", err, l.slot)
	}
	if err == nil {
		c.cache.put(t)
	}
	return t, err
}

// merge merges two lists of transactions of one chain, both in its order. Within a slot the order
// is that of the indices in the block. Older nodes do not report these. Then transactions in both
// lists give the order, else the first list comes first.
func merge(a, b []listed) []listed {
	place := make(map[onchain.Signature]int, len(b))
	for i, l := range b {
		place[l.signature] = i
	}
	taken := make(map[onchain.Signature]bool, len(a)+len(b))
	out := make([]listed, 0, len(a)+len(b))
	take := func(l listed) {
		if !taken[l.signature] {
			out, taken[l.signature] = append(out, l), true
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if j == len(b) || i < len(a) && before(a[i], b[j], place) {
			take(a[i])
			i++
		} else {
			take(b[j])
			j++
		}
	}
	return out
}

// before reports whether x of the first list comes before y of the second, given where signatures
// are in the second.
func before(x, y listed, place map[onchain.Signature]int) bool {
	if x.slot != y.slot {
		return x.slot < y.slot
	}
	if x.index >= 0 && y.index >= 0 && x.index != y.index {
		return x.index < y.index
	}
	at, both := place[x.signature]
	return !both || at <= place[y.signature]
}
