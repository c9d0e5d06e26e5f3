package record

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/voting"
)

// fetcher gets content by its hash.
type fetcher interface {
	// Fetch gets content from here, from likely peers or from any other.
	Fetch(ctx context.Context, hash voting.Hash, likely []peer.ID) ([]byte, error)
	// GatherDocuments tries once to fetch the documents of a task.
	GatherDocuments(ctx context.Context, task voting.Key)
}

// blobs is the content that is here.
type blobs interface {
	Blob(hash voting.Hash) ([]byte, error)
	Has(hash voting.Hash) bool
	Put(content []byte) (voting.Hash, error)
	Pin(owner voting.Key, hashes ...voting.Hash) error
}

// archive moves the events of a finished case out of the way.
type archive interface{ Archive(task voting.Key) error }

// Keeper completes the case files: it loads them, makes the Witness sign new statements, and
// exchanges events and content with the other seats.
type Keeper struct {
	*Witness
	Stream  *Stream
	Archive archive
	Audit   audit
	// Fresh: the journal is new, so this node may have forgotten its own statements.
	Fresh bool
	Began time.Time     // start of this run
	Every time.Duration // between two turns
}

// errLater means that the next turn tries again.
var errLater = errors.New("later")

func later(err error) error { return fmt.Errorf("%w: %w", errLater, err) }

// Run looks after the case files until ctx ends. It returns only errors of this node's disk.
func (k *Keeper) Run(ctx context.Context) error {
	for {
		for _, c := range k.Cases.all() {
			if err := k.turn(ctx, c); err != nil {
				if !errors.Is(err, errLater) {
					return err
				}
				k.Log.Debug("case file", "case", casefile.Address(c.task), "err", err)
			}
		}
		if !work.Pause(ctx, k.pace()) {
			return nil
		}
	}
}

const (
	// hurryFor is how long after the end of a case its judges hurry to complete their case files,
	// because people wait for the file then.
	hurryFor = why.TestimonySeconds
	// In that time hurry is the factor by which turns are shorter, and hurrySeats is the number of
	// seats asked in each.
	hurry, hurrySeats = 5, 3
)

// pace returns the time until the next turn.
func (k *Keeper) pace() time.Duration {
	for _, c := range k.Cases.all() {
		if c.hurried(k.Clock()) {
			return k.Every / hurry
		}
	}
	return k.Every
}

// turn does one turn of work for one case. Every error except errLater is one of this node's disk.
func (k *Keeper) turn(ctx context.Context, c *caseRecord) error {
	if !c.known() {
		return nil
	}
	if look, _ := c.snapshot(); look.Finished(k.Clock()) {
		// The machine forgets the case, too; it does not know a case that was over when it was
		// first seen.
		k.Cases.Forget(c.task)
		return k.Archive.Archive(c.task)
	}
	if err := k.seatEarlierRounds(ctx, c); err != nil {
		return err
	}
	if err := c.load(); err != nil {
		return err
	}
	if err := k.explainNoSeat(ctx, c); err != nil {
		return err
	}
	if err := k.exchange(ctx, c); err != nil {
		return err
	}
	if !c.work.asked && k.mayHaveForgotten(c) {
		return nil
	}
	said := k.Witness.testifyAll(ctx, c)
	if said == nil {
		said = k.Witness.testifyReceipts(c)
	}
	// Others' statements are collected even if this node cannot make one of its own yet.
	if err := k.collect(ctx, c); err != nil {
		return err
	}
	if said != nil {
		return later(said)
	}
	return nil
}

// forgetfulFor is a margin in seconds. This node may have forgotten statements in a case that was
// opened before this run, or at most forgetfulFor after its start.
const forgetfulFor = 10

// mayHaveForgotten reports whether this node may have made statements in the case that its journal
// does not have: the journal is new, or the case is older than this run and the disk may be an old
// copy. Such a node must ask its peers before it says more, or it would fork its own chain of
// events.
func (k *Keeper) mayHaveForgotten(c *caseRecord) bool {
	look, _ := c.snapshot()
	return k.Fresh || k.Clock()-look.OpenedAt+forgetfulFor > int64(time.Since(k.Began)/time.Second)
}

// seatEarlierRounds reads the seats of rounds that this node has not seen from the chain's history:
// rounds before its first look, or while it had no RPC node. Without the seats it would refuse
// their events as those of strangers. If the history does not show a draw yet, the next turn tries
// again.
func (k *Keeper) seatEarlierRounds(ctx context.Context, c *caseRecord) error {
	if k.Roster.Now() == nil {
		return nil
	}
	present, gaps := c.unseated()
	found := 0
	if len(gaps) > 0 {
		h, err := k.Witness.history(ctx, c)
		if err != nil {
			return later(err)
		}
		for _, number := range gaps {
			// An error means: not final yet, or the history of the RPC node does not reach back
			// that far.
			if d, o, err := h.drawn(number); err == nil {
				c.mu.Lock()
				c.seat(number, k.Roster.Seats(o.slot, d))
				c.mu.Unlock()
				found++
			}
		}
	}
	c.soughtSeats(present, found == len(gaps))
	return nil
}
