package record

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/node/network"
	"ojud/voting"
)

// These bounds hold for each seat of a case. Its events name content, and every node fetches what
// they name.
const (
	// maxNamed is how many bytes the events of one seat make this node fetch.
	maxNamed = 4 << 20
	// maxLost is how much content of one seat that no peer has is asked for at a time.
	maxLost = 4
	// maxMisses is the number of turns after which content that no peer has is given up.
	maxMisses = 20
	// fewMisses is the number of turns after which a file without it counts as complete, because
	// its author may have lost it with its disk.
	fewMisses = 3
)

// maxCollected is how many cases collect content at once.
const maxCollected = 8

// needs is what a case needs from peers. Only the goroutine that collects for the case uses it.
type needs struct {
	busy  chan struct{} // holds a token while nobody collects
	known map[casefile.Signature]*named
	order []*named
	actor map[casefile.DID]*naming
	lost  map[voting.Hash]int // turns in which no peer had it
}

// named is the content that an event names.
type named struct {
	event   casefile.Event
	hashes  []casefile.Digest
	most    int  // bytes of each
	later   bool // it comes after what a verifier cannot do without
	settled bool // all of it is here or was given up
	listed  bool // the hashes are those of the lists that the content named, if it named some
}

// naming is what the events of one seat have cost.
type naming struct{ bytes, lost int }

func newNeeds() needs {
	n := needs{busy: make(chan struct{}, 1), known: map[casefile.Signature]*named{}, actor: map[casefile.DID]*naming{}, lost: map[voting.Hash]int{}}
	n.busy <- struct{}{}
	return n
}

// learn notes the content that new events name. An answer that a holder tells of has no content of
// its own: the asker names it, or nobody needs it.
func (n *needs) learn(events []casefile.Event) {
	for _, e := range events {
		if n.known[e.Sig] != nil {
			continue
		}
		one := &named{event: e, most: casefile.MaxDocument}
		if e.Kind != casefile.KindReceipt {
			one.hashes = e.Names()
		}
		if e.Kind == casefile.KindData || e.Kind == casefile.KindTwofold {
			one.most, one.later = casefile.MaxBlob, true
		}
		n.known[e.Sig] = one
		n.order = append(n.order, one)
	}
}

// collector fetches the content that events name, so that every node can export the whole file.
// Each case has a turn of its own, so that content that no peer has delays no other case.
type collector struct {
	content fetcher
	blobs   blobs
	log     *slog.Logger
	places  chan struct{}
	slow    chan struct{} // places for cases that wait for content that no peer had
	running sync.WaitGroup
	fail    chan error // of this node's disk
}

func newCollector(content fetcher, blobs blobs, log *slog.Logger) *collector {
	return &collector{content: content, blobs: blobs, log: log, places: make(chan struct{}, maxCollected),
		slow: make(chan struct{}, maxCollected/2), fail: make(chan error, 1)}
}

func (k *collector) wait() { k.running.Wait() }

func (k *collector) failed() error {
	select {
	case err := <-k.fail:
		return err
	default:
		return nil
	}
}

// start collects for a case in the background, unless that goes on already or all places are taken.
func (k *collector) start(ctx context.Context, c *caseRecord) {
	select {
	case <-c.need.busy:
	default:
		return
	}
	done := func() { c.need.busy <- struct{}{} }
	places := k.places
	if len(c.need.lost) > 0 {
		places = k.slow
	}
	select {
	case places <- struct{}{}:
	default:
		done()
		return
	}
	k.running.Go(func() {
		defer done()
		defer func() { <-places }()
		if err := k.collect(ctx, c); err != nil {
			select {
			case k.fail <- err:
			default: // an earlier one ends the node
			}
		}
	})
}

// collect does one turn for a case.
func (k *collector) collect(ctx context.Context, c *caseRecord) error {
	events := c.log.Events()
	c.need.learn(events)
	awaited := 0
	for _, later := range []bool{false, true} {
		for _, one := range c.need.order {
			if one.settled || one.later != later {
				continue
			}
			wait, err := k.collectFor(ctx, c, one)
			if err != nil || ctx.Err() != nil {
				return err
			}
			awaited += wait
		}
	}
	told := len(c.log.Events())
	c.mu.Lock()
	defer c.mu.Unlock()
	settled := awaited == 0 && told == len(events) && len(c.todo) == 0 && c.look.Status.Over()
	c.complete = settled && c.concluded(func(s voting.Seat) bool { return s.Revealed })
	c.done = c.complete && c.concluded(func(voting.Seat) bool { return true })
	return nil
}

// collectFor fetches the content that one event names. It returns how much of it the file waits
// for.
func (k *collector) collectFor(ctx context.Context, c *caseRecord, one *named) (awaited int, err error) {
	seat := c.need.actor[one.event.Actor]
	if seat == nil {
		seat = &naming{}
		c.need.actor[one.event.Actor] = seat
	}
	var likely []peer.ID
	if id, err := network.PeerOf(voting.Key(one.event.Actor)); err == nil {
		likely = append(likely, id)
	}
	open := 0
	for _, name := range one.hashes {
		hash := voting.Hash(name)
		lost := c.need.lost[hash]
		if k.blobs.Pinned(c.task, hash) || lost >= maxMisses {
			continue
		}
		most, here := one.most, k.blobs.Has(hash)
		if !here && (seat.bytes >= maxNamed || lost == 0 && seat.lost >= maxLost) {
			open++
			continue
		}
		if !here {
			most = min(most, maxNamed-seat.bytes)
		}
		got, err := k.content.FetchFor(ctx, c.task, hash, most, likely)
		switch {
		case err == nil:
			if !here {
				seat.bytes += min(len(got), most) // what is larger was not kept
			}
			if lost > 0 {
				seat.lost--
				delete(c.need.lost, hash)
			}
			continue
		case got != nil:
			return awaited, err
		case ctx.Err() != nil:
			return awaited, nil
		case lost == 0:
			seat.lost++
		}
		open++
		if c.need.lost[hash]++; c.need.lost[hash] < fewMisses {
			awaited++
		}
	}
	one.settled = open == 0
	lists, err := k.lists(one)
	if err != nil {
		return awaited, err
	}
	if len(lists) > 0 {
		one.hashes = lists
		return k.collectFor(ctx, c, one)
	}
	return awaited, nil
}

// lists returns the lists of candidates that the facts of a draw name, once these facts are here.
func (k *collector) lists(one *named) ([]casefile.Digest, error) {
	if one.event.Kind != casefile.KindDraw || one.listed || !one.settled {
		return nil, nil
	}
	facts, err := k.blobs.Blob(voting.Hash(one.hashes[0]))
	if err != nil && !errors.Is(err, casefile.ErrNoBlob) {
		return nil, err // of this node's disk
	}
	one.listed = true
	if err != nil {
		return nil, nil // they were given up
	}
	return one.event.Lists(facts), nil
}
