package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/p2p"
	"ojud/voting"
)

// finder knows who has a source: from the announcements of judges, from the DHT, and from who answers a call on the data topic.
type finder struct{ n *Node }

var _ exchange.Finder = finder{}

// sourceKey is where the DHT keeps who has a source (protocol section 12).
func sourceKey(name string) []byte {
	sum := sha256.Sum256([]byte("oju:source:v1" + name))
	return sum[:]
}

// Holders implements exchange.Finder. The directory comes first: it costs no message. If it names as many holders as a question needs, the
// other ways wait until it seems that these do not answer: most questions are over by then, and nobody was disturbed. Who is slow to show
// the card of its source holds nobody back. Identities are free, so that any number of them may say that they have the source: judges on the
// Roster come first, and strangers, of whom a bounded number is looked at, when the judges had time to answer.
func (f finder) Holders(ctx context.Context, source string) <-chan exchange.Candidate {
	s := newSearch(f.n, source)
	f.n.tasks.Go(func() {
		defer close(s.out)
		defer s.looking.Wait()
		if s.directory(ctx) >= enough && !wait(ctx, lookFurther) {
			return
		}
		s.looking.Go(func() { s.dht(ctx) })
		s.topic(ctx)
	})
	return s.out
}

func newSearch(n *Node, source string) *search {
	return &search{n: n, source: source, out: make(chan exchange.Candidate), room: make(chan struct{}, cardsAtOnce),
		strange: make(chan struct{}, strangersAtOnce), seen: map[peer.ID]bool{n.host.ID(): true}}
}

const (
	// enough is how many holders a question needs (exchange), and lookFurther what they have before others are looked for.
	enough      = 2
	lookFurther = time.Second
	// cardsAtOnce bounds the candidates whose cards are fetched at the same time.
	cardsAtOnce = 8
	// maxStrangers bounds the candidates of one search that are not on the Roster, and strangersAtOnce how many of them are looked at
	// at the same time.
	maxStrangers    = 64
	strangersAtOnce = 8
)

// search is one search for the holders of a source.
type search struct {
	n       *Node
	source  string
	out     chan exchange.Candidate
	room    chan struct{} // for judges
	strange chan struct{} // for strangers
	looking sync.WaitGroup

	mu        sync.Mutex
	seen      map[peer.ID]bool
	strangers int
}

// directory looks at who announces the source, and returns how many judges do.
func (s *search) directory(ctx context.Context) (staked int) {
	for _, j := range s.n.host.Registry().Holders(s.source) {
		s.look(ctx, j.ID, cardOf(j, s.source))
		if s.n.onRoster(j.ID) {
			staked++
		}
	}
	return staked
}

// dht looks at who has a provider record.
func (s *search) dht(ctx context.Context) {
	err := s.n.host.EachProvider(ctx, sourceKey(s.source), maxProviders, func(ai peer.AddrInfo) { s.look(ctx, ai.ID, "") })
	if err != nil {
		s.n.log.Debug("holders in the DHT", "source", s.source, "err", err)
	}
}

// topic asks on the data topic, and looks at who offers until ctx ends.
func (s *search) topic(ctx context.Context) {
	offers := s.n.calls.listen(s.source)
	defer s.n.calls.leave(s.source, offers)
	s.n.call(ctx, s.source)
	for ctx.Err() == nil {
		select {
		case o := <-offers:
			s.look(ctx, o.from, o.card)
		case <-ctx.Done():
		}
	}
}

// look makes a candidate of a peer that was not looked at before, and sends it.
func (s *search) look(ctx context.Context, id peer.ID, card string) {
	switch judge := s.n.onRoster(id); {
	case !s.fresh(id, judge):
	case judge:
		s.show(ctx, id, card, s.room)
	default:
		s.looking.Go(func() {
			if wait(ctx, lookFurther) {
				s.show(ctx, id, card, s.strange)
			}
		})
	}
}

// show gets the card of a candidate, when there is room, and sends it.
func (s *search) show(ctx context.Context, id peer.ID, card string, room chan struct{}) {
	select {
	case room <- struct{}{}:
	case <-ctx.Done():
		return
	}
	s.looking.Go(func() {
		c, err := s.n.candidate(ctx, id, card)
		<-room
		if err != nil {
			s.n.log.Debug("no candidate", "peer", id, "err", err)
			return
		}
		select {
		case s.out <- c:
		case <-ctx.Done():
		}
	})
}

// fresh reports whether a peer is seen for the first time, and is not a stranger too many.
func (s *search) fresh(id peer.ID, judge bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[id] || !judge && s.strangers == maxStrangers {
		return false
	}
	if !judge {
		s.strangers++
	}
	s.seen[id] = true
	return true
}

// onRoster reports whether a peer is the node of a judge on the Roster.
func (n *Node) onRoster(id peer.ID) bool {
	key, err := peerKey(id)
	if err != nil {
		return false
	}
	_, ok := n.roster.Load().of(key)
	return ok
}

// maxProviders bounds the records that the DHT is asked for.
const maxProviders = 8

// cardOf is the hash of the card that a judge announces for a source.
func cardOf(j p2p.Judge, source string) string {
	for _, s := range j.Sources {
		if s.Name == source {
			return s.SchemaHash
		}
	}
	return ""
}

// cardTime bounds getting the card of a source; without it any JSON counts as an answer.
const cardTime = 3 * time.Second

// candidate makes a candidate of a peer, with the card of its source if it can be had.
func (n *Node) candidate(ctx context.Context, id peer.ID, card string) (exchange.Candidate, error) {
	key, err := peerKey(id)
	if err != nil {
		return exchange.Candidate{}, err
	}
	c := exchange.Candidate{Peer: casefile.DID(key)}
	raw, err := hex.DecodeString(card)
	if err != nil || len(raw) != len(voting.Hash{}) {
		return c, nil
	}
	if c.Card, err = n.blobs.Blob(voting.Hash(raw)); err == nil {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, cardTime)
	defer cancel()
	if c.Card, err = n.fetchFrom(ctx, id, voting.Hash(raw)); err != nil { // nobody else has to have it
		n.log.Debug("no card", "peer", id, "err", err)
	}
	return c, nil
}

// offer is a peer's word that it has a source.
type offer struct {
	from peer.ID
	card string
}

// calls are the sources for which this node waits for offers.
type calls struct {
	mu      sync.Mutex
	waiting map[string]map[chan offer]bool
}

// maxOffers bounds the offers that wait for one who listens, half of them for judges on the Roster; more are not needed.
const maxOffers = 32

func (c *calls) listen(source string) chan offer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[string]map[chan offer]bool{}
	}
	if c.waiting[source] == nil {
		c.waiting[source] = map[chan offer]bool{}
	}
	ch := make(chan offer, maxOffers)
	c.waiting[source][ch] = true
	return ch
}

func (c *calls) leave(source string, ch chan offer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting[source], ch)
	if len(c.waiting[source]) == 0 {
		delete(c.waiting, source)
	}
}

// tell hands an offer to all who wait for the source, and reports whether anybody does.
func (c *calls) tell(source string, o offer, judge bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ch := range c.waiting[source] {
		if !judge && len(ch) >= maxOffers/2 {
			continue // the other half is for those who cannot be as many as they like
		}
		select {
		case ch <- o:
		default: // it has enough
		}
	}
	return len(c.waiting[source]) > 0
}
