package record

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/voting"
)

// maxEvents bounds the events of an answer, in bytes, so that base64 and heads fit beside them.
const maxEvents = 600 << 10

// maxAskTries is how often a node that may have forgotten something waits for the answers of more
// than half of the seats. After that one answer is enough.
const maxAskTries = 12

// errDisk means that a valid event could not be stored.
var errDisk = errors.New("record: case file store")

// eventsAnswer is the answer to an events question.
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
	seats := k.Cases.SeatPeers(c.task)
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
	case c.hurried(k.Clock()):
		ask = hurrySeats
	}
	answered := 0
	for _, i := range rand.Perm(len(seats))[:min(ask, len(seats))] {
		err := k.exchangeAll(ctx, c, seats[i])
		if err != nil && ctx.Err() == nil && !errors.Is(err, errDisk) {
			k.Log.Debug("no events", "case", casefile.Address(c.task), "peer", seats[i], "err", err)
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

// exchangeAll asks one peer until it has nothing more for us.
func (k *Keeper) exchangeAll(ctx context.Context, c *caseRecord, to peer.ID) error {
	more, err := k.exchangeOnce(ctx, c, to)
	for err == nil && more {
		more, err = k.exchangeOnce(ctx, c, to)
	}
	return err
}

// exchangeOnce asks one peer once and reports whether it has more for us.
func (k *Keeper) exchangeOnce(ctx context.Context, c *caseRecord, to peer.ID) (more bool, err error) {
	var out eventsAnswer
	q := question{Op: opEvents, Case: casefile.Address(c.task), Heads: c.log.Heads()}
	if err := k.Stream.ask(ctx, to, q, &out); err != nil {
		return false, err
	}
	added := false
	for _, raw := range out.Events {
		e, err := casefile.ParseEvent(raw)
		if err != nil {
			k.Stream.Host.Penalize(to, network.PointsInvalid, "case-event")
			return false, err
		}
		ok, err := c.log.Add(e)
		added = added || ok
		switch {
		case err == nil, errors.Is(err, casefile.ErrStranger), errors.Is(err, casefile.ErrGap), errors.Is(err, casefile.ErrForked):
		case casefile.Blame(err):
			k.Stream.Host.Penalize(to, network.PointsInvalid, "case-event")
			return false, err
		default:
			return false, errors.Join(errDisk, err)
		}
	}
	return out.More && added, nil
}

// answer serves the events of a case.
func (k *Keeper) answer(q question) ([]byte, error) {
	c := k.Cases.find(voting.Key(q.Case))
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

const (
	// maxMisses is the number of turns after which content that no peer has is given up.
	maxMisses = 20
	// fewMisses is the number of turns after which a file without it counts as complete, because
	// its author may have lost it with its disk.
	fewMisses = 3
)

// collect fetches the content that events name, so that every node can export the whole file.
func (k *Keeper) collect(ctx context.Context, c *caseRecord) error {
	missing := 0
	for _, e := range c.log.Events() {
		if c.work.withContent[e.Sig] {
			continue
		}
		lacks, awaited, err := k.collectFor(ctx, c, e)
		if err != nil {
			return err
		}
		missing += awaited
		c.work.withContent[e.Sig] = lacks == 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	settled := missing == 0 && len(c.todo) == 0 && c.look.Status.Over()
	c.complete = settled && c.concluded(func(s voting.Seat) bool { return s.Revealed })
	c.done = c.complete && c.concluded(func(voting.Seat) bool { return true })
	return nil
}

// collectFor fetches the content that one event names. It returns how much of it may still come,
// and how much of that the file waits for.
func (k *Keeper) collectFor(ctx context.Context, c *caseRecord, e casefile.Event) (missing, awaited int, err error) {
	var likely []peer.ID
	if id, err := network.PeerOf(voting.Key(e.Actor)); err == nil {
		likely = append(likely, id)
	}
	for _, name := range e.Names() {
		hash := voting.Hash(name)
		if k.Blobs.Has(hash) || c.work.misses[hash] >= maxMisses {
			continue
		}
		if _, err := k.Content.Fetch(ctx, hash, likely); err != nil {
			missing++
			if c.work.misses[hash]++; c.work.misses[hash] < fewMisses {
				awaited++
			}
			continue
		}
		if err := k.Blobs.Pin(c.task, hash); err != nil {
			return missing, awaited, err
		}
	}
	return missing, awaited, nil
}
