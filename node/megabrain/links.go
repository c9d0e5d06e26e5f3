package megabrain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// linkAgain is the time between two looks for records of near classes.
const linkAgain = 10 * time.Minute

// due are the links that are missing: those of a key that is a member of a class and, in the same
// role, of a class near to it; also those to a place that the key has no more. Near classes that
// could not be read are nil.
func due(c *brain.ClassAccount, near []*brain.ClassAccount, self onchain.Address) (out []brain.LinkArgs, to []onchain.Address) {
	for _, r := range []brain.Role{brain.WorkerRole, brain.EvaluatorRole} {
		m := member(c, self, r)
		if m == nil {
			continue
		}
		for i, n := range near {
			if at := placeIn(n, self, r); at > 0 && int(m.Links[i].Place) != at {
				out, to = append(out, brain.LinkArgs{Role: r, Agent: self}), append(to, c.Near[i])
			}
		}
	}
	return out, to
}

// placeIn is the place of a key in a class, from 1; 0 is none.
func placeIn(c *brain.ClassAccount, key onchain.Address, r brain.Role) int {
	if c == nil {
		return 0
	}
	return 1 + slices.IndexFunc(c.Members, func(m brain.Member) bool { return m.State != 0 && m.Agent == key && m.Role == r })
}

// link shows where the key's records in near classes are, for the classes in which it acts. next
// says when each class is due again.
func link(ctx context.Context, d *Desk, classes map[onchain.Address]bool, next map[onchain.Address]time.Time) (did int, err error) {
	for at := range classes {
		if time.Now().Before(next[at]) {
			continue
		}
		next[at] = time.Now().Add(linkAgain)
		c, failed := d.Class(ctx, at)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		near := make([]*brain.ClassAccount, len(c.Near))
		for i, key := range c.Near {
			if near[i], failed = d.Class(ctx, key); failed != nil && !errors.Is(failed, ErrNoAccount) { // who made the class may name anything
				err = errors.Join(err, failed)
			}
		}
		args, to := due(c, near, d.self)
		for i, it := range args {
			if _, failed := d.Link(ctx, at, to[i], it.Agent, it.Role); failed != nil {
				err = errors.Join(err, fmt.Errorf("megabrain: the record in %s: %w", to[i], failed))
				continue
			}
			did++
		}
	}
	return did, err
}
