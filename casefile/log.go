package casefile

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ojud/voting"
)

// Store keeps events. The node backs it with its database.
type Store interface {
	// Put stores an event for good before it returns. Storing one again is no error.
	Put(e Event) error
	// List returns every event that was stored of a case, in any order.
	List(task voting.Key) ([]Event, error)
}

// Log is the set of events of one case: a chain for each actor. It may be used by several
// goroutines at once.
//
// If a node lost its store, it must fetch its own chain from its peers before it appends again:
// otherwise it forks itself.
type Log struct {
	store Store

	mu     sync.Mutex
	court  Court
	seats  Seating
	chains map[DID]*ActorChain
}

// Head is the last event of an actor's chain, as peers tell it each other.
type Head struct {
	Seq    uint32 `json:"seq"`
	ID     Digest `json:"id"`
	Forked bool   `json:"forked,omitempty"` // there are two events with that number, and both are here
}

// NewLog returns an empty log of the case that the task names. Tell it who sits (Seat), then Load.
func NewLog(d voting.Domain, task voting.Key, store Store, verify Verify) *Log {
	l := &Log{store: store, chains: map[DID]*ActorChain{}}
	l.court = Court{Domain: d, Task: Address(task), Seats: &l.seats, Verify: verify}
	return l
}

// Domain returns the network and the program of the case.
func (l *Log) Domain() voting.Domain { return l.court.Domain }

// Task returns the address of the task, which names the case.
func (l *Log) Task() Address { return l.court.Task }

// Seat tells the log who sits in a round, as the chain drew it. Events of others are refused.
func (l *Log) Seat(round uint8, peer, judge voting.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seats.Seat(round, peer, judge)
}

// Load reads what the store has. Everything is checked again; events that are not taken are
// returned as one joined error, and the rest is there.
func (l *Log) Load() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	events, err := l.store.List(voting.Key(l.court.Task))
	if err != nil {
		return fmt.Errorf("casefile: load: %w", err)
	}
	slices.SortStableFunc(events, func(a, b Event) int { return int(a.Seq) - int(b.Seq) })
	var bad []error
	for _, e := range events {
		if _, err := l.add(e, nil); err != nil && !errors.Is(err, ErrForked) {
			bad = append(bad, fmt.Errorf("casefile: load: %w", err))
		}
	}
	return errors.Join(bad...)
}

// Append adds an event of this node's own: a body of the type that the kind demands. It is stored
// before Append returns. ErrRepeated: the node has said it already, which after a restart is no
// fault.
func (l *Log) Append(key ed25519.PrivateKey, kind Kind, body any, at int64) (Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	raw, err := encode(body, maxEvent)
	if err != nil {
		return Event{}, err
	}
	head := l.chain(peerOf(key)).head()
	e := Event{At: at, Body: raw, Case: l.court.Task, Kind: kind, Prev: head.ID, Seq: head.Seq + 1}
	if _, err := e.sign(l.court.Domain, key); err != nil {
		return Event{}, err
	}
	_, err = l.add(e, l.store)
	return e, err
}

// Add takes an event of another node and reports whether it was new. It is stored before Add
// returns.
//
// ErrStranger and ErrGap are no fault of who sent it: this node may not know enough yet. ErrForked
// is the actor's fault. All else is the fault of the sender, who would not have taken it either.
func (l *Log) Add(e Event) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(e, l.store)
}

func (l *Log) add(e Event, store Store) (bool, error) {
	if e.Case != l.court.Task {
		return false, fmt.Errorf("event %d of %s: %w", e.Seq, e.Actor, ErrOtherCase)
	}
	if _, err := e.Encode(); err != nil {
		return false, err
	}
	body, err := e.ParsedBody()
	if err != nil {
		return false, err
	}
	if _, ok := l.seats.Judge(0, e.Actor); !ok {
		return false, fmt.Errorf("event %d of %s: %w", e.Seq, e.Actor, ErrStranger)
	}
	id, err := e.verify(l.court.Domain, l.court.Verify)
	if err != nil {
		return false, err
	}
	c := l.chain(e.Actor)
	where, err := c.Place(e, id)
	if err != nil || where == known || where == Surplus {
		return false, err
	}
	if where == next {
		if err := l.court.examine(c, e, body); err != nil {
			return false, err
		}
	}
	if store != nil {
		if err := l.court.testifies(e, body); err != nil {
			return false, err
		}
		if err := store.Put(e); err != nil {
			return false, fmt.Errorf("casefile: store event: %w", err)
		}
	}
	if where == next {
		c.Events = append(c.Events, CheckedEvent{e, id, body})
		return true, nil
	}
	c.Oppose(CheckedEvent{e, id, body})
	return true, nil
}

// chain returns the actor's chain, which is made when it is needed.
func (l *Log) chain(actor DID) *ActorChain {
	c := l.chains[actor]
	if c == nil {
		c = &ActorChain{}
		l.chains[actor] = c
	}
	return c
}

// Has reports whether the actor has said something of that kind about a round (0 for open and
// outcome) and, for equivocation, about a judge.
func (l *Log) Has(actor voting.Key, kind Kind, round uint8, judge voting.Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chains[DID(actor)]
	return c != nil && len(c.find(topic{kind: kind, round: round, judge: Address(judge)})) > 0
}

// Heads returns where each chain ends.
func (l *Log) Heads() map[DID]Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[DID]Head{}
	for actor, c := range l.chains {
		if len(c.Events) > 0 {
			out[actor] = c.head()
		}
	}
	return out
}

// Since returns what somebody with these heads lacks, in chain order for each actor, until about
// most bytes are full; more says that there is more. Somebody whose head is another event of the
// same number gets the whole chain: the fork has to come out. Who cannot take an actor's events
// (yet) asks with Seq maxEvents for it, or would get the same again and again.
func (l *Log) Since(heads map[DID]Head, most int) (events []Event, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, actor := range l.actors() {
		for _, e := range l.chains[actor].since(heads[actor]) {
			raw, err := e.Encode()
			if err != nil {
				return nil, false, err
			}
			if most -= len(raw); most < 0 && len(events) > 0 {
				return events, true, nil
			}
			events = append(events, e)
		}
	}
	return events, false, nil
}

// Events returns all events, sorted as a bundle sorts them: by actor (as text), number, id.
func (l *Log) Events() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Event
	for _, actor := range l.actors() {
		out = append(out, l.chains[actor].all()...)
	}
	return out
}

// Forks returns, for each actor that forked its chain, the two events that prove it.
func (l *Log) Forks() map[DID][2]Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[DID][2]Event{}
	for actor, c := range l.chains {
		if c.fork != nil {
			out[actor] = [2]Event{c.Events[len(c.Events)-1].Event, c.fork.Event}
		}
	}
	return out
}

func (l *Log) actors() []DID {
	return slices.SortedFunc(maps.Keys(l.chains), func(a, b DID) int { return strings.Compare(a.String(), b.String()) })
}
