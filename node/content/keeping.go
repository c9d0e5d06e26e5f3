package content

import (
	"context"
	"errors"
	"maps"
	"time"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/journal/blob"
	"ojud/ledger/program"
	"ojud/node/work"
	"ojud/voting"
)

// These are the budgets, in bytes, of content that others name.
const (
	// offerBudget has room for the document of a task that nobody has claimed, and for that of one
	// that somebody works on with its results.
	offerBudget = 4 * casefile.MaxDocument
	// courtBudget has room for the four documents of a dispute, and for the exhibits and the data
	// of most.
	courtBudget = 48 << 20
	// seatBudget has room for all that the protocol lets the parties of a case name, and for the
	// data of its judges.
	seatBudget = 96 << 20
)

// payerBudgets bound the content of all tasks of one creator, by rank.
var payerBudgets = map[blob.Rank]uint64{blob.Offer: 8 << 20, blob.Work: courtBudget, blob.Court: 2 * courtBudget}

// merit says what the content of a task is worth to this node.
func (c *Content) merit(task voting.Key, terms *program.Task) blob.Merit {
	mine, followed := c.cases.Follows(task)
	s := blob.Merit{Rank: blob.Offer, Budget: offerBudget}
	switch {
	case mine:
		return blob.Merit{Rank: blob.Seat, Budget: seatBudget}
	case followed:
		s.Rank, s.Budget = blob.Court, courtBudget
	case terms == nil || terms.Status == program.Created:
	default:
		s.Rank, s.Budget = blob.Work, courtBudget
	}
	if terms != nil {
		s.Payer, s.PayerBudget = voting.Key(terms.Creator), payerBudgets[s.Rank]
		s.Value = terms.Escrow + terms.CreatorBond + terms.WorkerBond
	}
	return s
}

// Follow says what the content of a case that this node follows is worth from now on.
func (c *Content) Follow(task voting.Key, terms *program.Task) {
	c.store.Rate(task, c.merit(task, terms))
}

// keepFor keeps content that others made. If there is no room for it, the node goes on without it.
func (c *Content) keepFor(task voting.Key, content []byte) error {
	_, err := c.store.Keep(task, content)
	if errors.Is(err, blob.ErrFull) {
		c.log.Debug("there is no room for content", "task", casefile.Address(task), "bytes", len(content), "err", err)
		return nil
	}
	return err
}

const (
	// reviewEvery is the time between two reviews of what is kept.
	reviewEvery = 10 * time.Minute
	// reviewed is how many accounts a review reads at once.
	reviewed = 100
)

// Review gives up the content of tasks and cases that are over, until ctx ends. It keeps the files
// of the cases in which this node had a seat as long as nothing else needs the room. It returns
// only errors of this node's disk.
func (c *Content) Review(ctx context.Context) error {
	doubts := map[voting.Key]bool{} // owners that were in use no more at the last review
	for {
		if err := c.review(ctx, doubts); err != nil {
			return err
		}
		if !work.Pause(ctx, reviewEvery) {
			return nil
		}
	}
}

func (c *Content) review(ctx context.Context, doubts map[voting.Key]bool) error {
	var open []voting.Key
	owners := c.store.Owners()
	maps.DeleteFunc(doubts, func(owner voting.Key, _ bool) bool { _, ok := owners[owner]; return !ok })
	for owner, rank := range owners {
		if rank == blob.Own || rank == blob.Card || rank == blob.File {
			continue
		}
		if _, followed := c.cases.Follows(owner); !followed {
			open = append(open, owner)
		}
	}
	for len(open) > 0 {
		some := open[:min(len(open), reviewed)]
		open = open[len(some):]
		tasks, cards, err := c.chain.FindOwners(ctx, some)
		if err != nil {
			c.log.Debug("what is kept is reviewed later", "err", err)
			return nil
		}
		for i, owner := range some {
			if err := c.settle(owner, tasks[i], cards[i], doubts); err != nil {
				return err
			}
		}
		if len(open) > 0 && !work.Pause(ctx, c.cfg.Every) {
			return nil
		}
	}
	return nil
}

// settle decides what becomes of the content of an owner that is no case that is followed.
func (c *Content) settle(owner voting.Key, task *program.Task, agent *program.Agent, doubts map[voting.Key]bool) error {
	switch {
	case task != nil && !task.Status.Over():
		delete(doubts, owner)
		c.store.Rate(owner, c.merit(owner, task))
		return nil
	case agent != nil && c.store.Pinned(owner, agent.CardHash):
		delete(doubts, owner)
		c.store.Rate(owner, cardMerit(time.Time{}))
		return nil
	case !doubts[owner]: // the RPC node may lag behind the one that named it
		doubts[owner] = true
		return nil
	}
	delete(doubts, owner)
	at, ok, err := c.cases.Said(owner)
	switch {
	case err != nil:
		return err
	case ok: // the older file goes first
		c.store.Rate(owner, blob.Merit{Rank: blob.File, Value: uint64(max(at, 0))})
		return nil
	}
	return c.store.Unpin(owner)
}

// cardMerit is that of an agent's card. The one that was seen longest ago goes first.
func cardMerit(seen time.Time) blob.Merit {
	return blob.Merit{Rank: blob.Card, Value: uint64(max(seen.Unix(), 0)), Budget: agentcard.MaxBytes}
}
