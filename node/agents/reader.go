package agents

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/program"
	"ojud/voting"
)

// ErrNone means that the court has no agent with an address.
var ErrNone = errors.New("agents: this court has no such agent")

// Bounds bound a look at the directory.
type Bounds struct {
	Ask      int           // cards that are asked for in one look
	Patience time.Duration // for all of them
	Fresh    time.Duration // how long the last answer is shown again
}

const (
	atOnce = 8           // cards
	retry  = time.Minute // before a card that nobody sent is asked for again
	// maxBytes bounds the cards that are remembered, together. Those of the agents with the best
	// record come first, so new agents without a record displace nobody.
	maxBytes = 32 << 20
)

// Why a card is not shown.
const (
	notHere  = "no node has sent this card yet"
	noRoom   = "the directory has no room for this card: agents with a better record fill it"
	notTheir = "the chain names content that is not a card of this agent"
)

// Needs are what an Index asks.
type Needs struct {
	// List reads all agents from the chain.
	List func(ctx context.Context) ([]*program.Agent, error)
	// Card gets content by its hash, from here or from a node. agent is whose card it should be.
	Card func(ctx context.Context, agent voting.Key, hash voting.Hash) ([]byte, error)
}

// Index reads the directory of a court. It is safe for concurrent use.
type Index struct {
	needs  Needs
	bounds Bounds

	reading chan struct{} // holds a token while somebody reads
	at      time.Time     // of the last answer; like all below, it belongs to who reads
	last    Directory
	cards   map[voting.Hash]kept
}

// kept is what is known of the content that the chain names as a card.
type kept struct {
	card  *agentcard.Signed
	wrong bool      // it is no card
	asked time.Time // when nobody sent it; zero: it is known
}

// New returns an index.
func New(n Needs, b Bounds) *Index {
	return &Index{needs: n, bounds: b, reading: make(chan struct{}, 1), cards: map[voting.Hash]kept{}}
}

// Read returns the directory. The error is that of the chain. A card that no node sends in time is
// left out, and the next look asks for more.
func (x *Index) Read(ctx context.Context) (Directory, error) {
	select {
	case x.reading <- struct{}{}:
		defer func() { <-x.reading }()
	case <-ctx.Done():
		return Directory{}, ctx.Err()
	}
	if !x.at.IsZero() && time.Since(x.at) < x.bounds.Fresh {
		return x.last, nil
	}
	all, err := x.needs.List(ctx)
	if err != nil {
		return Directory{}, err
	}
	d := Directory{Agents: make([]Profile, len(all))}
	for i, a := range all {
		d.Agents[i].Agent = a
	}
	slices.SortFunc(d.Agents, order)
	x.learn(ctx, d.Agents)
	d.Waiting = x.fill(d.Agents)
	x.last, x.at = d, time.Now()
	return d, nil
}

// Agent returns one agent of the directory. The error is ErrNone if there is none.
func (x *Index) Agent(ctx context.Context, authority voting.Key) (Profile, error) {
	d, err := x.Read(ctx)
	if err != nil {
		return Profile{}, err
	}
	return d.Agent(authority)
}

// learn gets the first cards that are not known yet.
func (x *Index) learn(ctx context.Context, all []Profile) {
	ctx, cancel := context.WithTimeout(ctx, x.bounds.Patience)
	defer cancel()
	wanted := x.unknown(all)
	got := make([][]byte, len(wanted))
	room := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for i, p := range wanted {
		room <- struct{}{}
		wait.Go(func() {
			defer func() { <-room }()
			if raw, err := x.needs.Card(ctx, voting.Key(p.Authority), p.CardHash); err == nil && casefile.HashOf(raw) == p.CardHash {
				got[i] = raw
			}
		})
	}
	wait.Wait()
	for i, p := range wanted {
		switch s, err := agentcard.Parse(got[i]); {
		case got[i] == nil:
			x.cards[p.CardHash] = kept{asked: time.Now()}
		case err != nil || s.Hash != p.CardHash:
			x.cards[p.CardHash] = kept{wrong: true}
		default:
			x.cards[p.CardHash] = kept{card: &s}
		}
	}
}

// unknown returns the agents whose cards are asked for now. It forgets cards that no agent has any
// more, and those for which the agents with a better record leave no room.
func (x *Index) unknown(all []Profile) (out []Profile) {
	var again []Profile // whose cards nobody sent before; they are asked for after the new ones
	named, room := map[voting.Hash]bool{}, maxBytes
	for _, p := range all {
		if p.CardHash == (voting.Hash{}) || named[p.CardHash] {
			continue
		}
		named[p.CardHash] = true
		k, known := x.cards[p.CardHash]
		switch {
		case k.card != nil && len(k.card.Content) > room:
			delete(x.cards, p.CardHash)
		case k.card != nil:
			room -= len(k.card.Content)
		case !known && len(out) < x.bounds.Ask && room >= agentcard.MaxBytes:
			out, room = append(out, p), room-agentcard.MaxBytes
		case known && !k.asked.IsZero() && time.Since(k.asked) >= retry:
			again = append(again, p)
		}
	}
	for hash := range x.cards {
		if !named[hash] {
			delete(x.cards, hash)
		}
	}
	return append(out, again[:min(len(again), x.bounds.Ask-len(out), room/agentcard.MaxBytes)]...)
}

// fill gives each agent its card, and returns how many cards are not here yet.
func (x *Index) fill(all []Profile) (waiting int) {
	bytes := 0
	for i, p := range all {
		if p.CardHash == (voting.Hash{}) {
			continue
		}
		k := x.cards[p.CardHash]
		switch {
		case k.wrong, k.card != nil && k.card.Authority != casefile.Address(p.Authority):
			all[i].NoCard = notTheir
		case k.card != nil:
			all[i].Card = k.card
			bytes += len(k.card.Content)
		case bytes+agentcard.MaxBytes > maxBytes:
			all[i].NoCard = noRoom
		default:
			all[i].NoCard = notHere
			waiting++
		}
	}
	return waiting
}
