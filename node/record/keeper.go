package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

type fetcher interface {
	// FetchFor gets content of a case from here, from likely peers or from any other, and keeps it
	// for the case if there is room and it has at most that many bytes. Content comes with an error
	// only if the disk failed.
	FetchFor(ctx context.Context, task voting.Key, hash voting.Hash, most int, likely []peer.ID) ([]byte, error)
	// Follow says that the content of a case is needed, and what its task is.
	Follow(task voting.Key, terms *program.Task)
	// GatherDocuments tries once to fetch the documents of a task.
	GatherDocuments(ctx context.Context, task voting.Key)
}

type blobs interface {
	Blob(hash voting.Hash) ([]byte, error)
	Has(hash voting.Hash) bool
	Pinned(task voting.Key, hash voting.Hash) bool
	KeepOwn(task voting.Key, content []byte) (voting.Hash, error)
	Pin(owner voting.Key, hashes ...voting.Hash) error
}

// archive moves the events of a finished case out of the way.
type archive interface{ Archive(task voting.Key) error }

// Keeper completes the case files: it loads them, makes the Witness sign new statements, and
// exchanges events and content with the other seats.
type Keeper struct {
	*Witness
	stream  *Stream
	archive archive
	audit   audit
	fresh   bool          // the journal is new, so this node may have forgotten its own statements
	began   time.Time     // start of this run
	every   time.Duration // between two turns

	collector *collector
}

// NewKeeper returns a Keeper that has not begun. fresh says that the journal is new, and began when
// this run of the node started. It takes a turn every so often.
func NewKeeper(w *Witness, stream *Stream, archive archive, audit audit, fresh bool, began time.Time, every time.Duration) *Keeper {
	return &Keeper{Witness: w, stream: stream, archive: archive, audit: audit, fresh: fresh, began: began, every: every,
		collector: newCollector(w.d.Content, w.d.Blobs, w.d.Log)}
}

// errLater means that the next turn tries again.
var errLater = errors.New("later")

func later(err error) error { return fmt.Errorf("%w: %w", errLater, err) }

// Run looks after the case files until ctx ends. It returns only errors of this node's disk.
func (k *Keeper) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer k.collector.wait()
	defer stop()
	for {
		if err := k.collector.failed(); err != nil {
			return err
		}
		for _, c := range k.d.Cases.all() {
			if err := k.turn(ctx, c); err != nil {
				if !errors.Is(err, errLater) {
					return err
				}
				k.d.Log.Debug("case file", "case", casefile.Address(c.task), "err", err)
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

func (k *Keeper) pace() time.Duration {
	for _, c := range k.d.Cases.all() {
		if c.urgent(k.d.Clock()) {
			return k.every / hurry
		}
	}
	return k.every
}

// turn does one turn of work for one case. Every error except errLater is one of this node's disk.
func (k *Keeper) turn(ctx context.Context, c *caseRecord) error {
	look, terms := c.snapshot()
	k.d.Content.Follow(c.task, terms)
	if !c.known() {
		return nil
	}
	if look.Finished(k.d.Clock()) {
		// The machine forgets the case, too; it does not know a case that was over when it was
		// first seen.
		k.d.Cases.Forget(c.task)
		return k.archive.Archive(c.task)
	}
	load := func(context.Context, *caseRecord) error { return c.load() }
	for _, step := range []func(context.Context, *caseRecord) error{k.seatEarlierRounds, load, k.explainNoSeat, k.exchange} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	if !c.work.asked && k.mayHaveForgotten(c) {
		return nil
	}
	// None of these holds another back.
	said := errors.Join(k.Witness.testifyAll(ctx, c), k.Witness.testifyReceipts(c), k.Witness.testifyTwofold(ctx, c))
	// Others' statements are collected even if this node cannot make one of its own yet.
	k.collector.start(ctx, c)
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
	return k.fresh || k.d.Clock()-look.OpenedAt+forgetfulFor > int64(time.Since(k.began)/time.Second)
}

// seatEarlierRounds reads the seats of rounds that this node has not seen from the chain's history:
// rounds before its first look, or while it had no RPC node. Without the seats it would refuse
// their events as those of strangers. If the history does not show a draw yet, the next turn tries
// again.
func (k *Keeper) seatEarlierRounds(ctx context.Context, c *caseRecord) error {
	if k.d.Roster.Now() == nil {
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
				c.seat(number, k.d.Roster.Seats(o.slot, d))
				c.mu.Unlock()
				found++
			}
		}
	}
	c.soughtSeats(present, found == len(gaps))
	return nil
}

// maxEvents bounds the events of an answer, in bytes, so that base64 and heads fit beside them.
const maxEvents = 600 << 10

// maxAskTries is how often a node that may have forgotten something waits for the answers of more
// than half of the seats. After that one answer is enough.
const maxAskTries = 12

var errDisk = errors.New("record: case file store")

type eventsAnswer struct {
	Events []json.RawMessage              `json:"events"`
	Heads  map[casefile.DID]casefile.Head `json:"heads"`
	More   bool                           `json:"more"`
}

// exchange asks one seat, or several in a hurry, for missing events. It chooses seats at random.
func (k *Keeper) exchange(ctx context.Context, c *caseRecord) error {
	if c.finished() {
		return nil
	}
	seats := k.d.Cases.SeatPeers(c.task)
	if len(seats) == 0 {
		c.work.asked = true
		return nil
	}
	ask, need := 1, 1
	switch {
	case !c.work.asked && k.mayHaveForgotten(c):
		// A few seats may be the only ones that have our last event, and our next event must
		// follow it.
		if ask = len(seats); c.work.askTries < maxAskTries {
			need = len(seats)/2 + 1
		}
		c.work.askTries++
	case c.urgent(k.d.Clock()):
		ask = hurrySeats
	}
	answered := 0
	for _, i := range rand.Perm(len(seats))[:min(ask, len(seats))] {
		more, err := k.exchangeOnce(ctx, c, seats[i])
		for err == nil && more {
			more, err = k.exchangeOnce(ctx, c, seats[i])
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, errDisk) {
			k.d.Log.Debug("no events", "case", casefile.Address(c.task), "peer", seats[i], "err", err)
			continue
		}
		if err != nil {
			return err
		}
		answered++
	}
	c.work.asked = c.work.asked || answered >= need
	return nil
}

// exchangeOnce asks one peer once and reports whether it has more for us.
func (k *Keeper) exchangeOnce(ctx context.Context, c *caseRecord, to peer.ID) (more bool, err error) {
	var out eventsAnswer
	q := question{Op: opEvents, Case: casefile.Address(c.task), Heads: c.log.Heads()}
	if err := k.stream.ask(ctx, to, q, &out); err != nil {
		return false, err
	}
	added := false
	for _, raw := range out.Events {
		e, err := casefile.ParseEvent(raw)
		if err != nil {
			k.stream.host.Penalize(to, network.PointsInvalid, "case-event")
			return false, err
		}
		ok, err := c.log.Add(e)
		added = added || ok
		switch {
		case err == nil, errors.Is(err, casefile.ErrStranger), errors.Is(err, casefile.ErrGap), errors.Is(err, casefile.ErrForked):
		case casefile.Blame(err):
			k.stream.host.Penalize(to, network.PointsInvalid, "case-event")
			return false, err
		default:
			return false, errors.Join(errDisk, err)
		}
	}
	return out.More && added, nil
}

func (k *Keeper) answer(q question) ([]byte, error) {
	c := k.d.Cases.find(voting.Key(q.Case))
	if c == nil {
		return nil, p2p.ErrNotFound
	}
	events, more, err := c.log.Since(q.Heads, maxEvents)
	if err != nil {
		return nil, err
	}
	out := eventsAnswer{Events: []json.RawMessage{}, Heads: c.log.Heads(), More: more}
	for _, e := range events {
		raw, err := e.Encode()
		if err != nil {
			return nil, err
		}
		out.Events = append(out.Events, raw)
	}
	return network.Encode(out, maxMessage)
}
