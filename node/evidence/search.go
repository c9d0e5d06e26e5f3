package evidence

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/datasource/exchange"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/p2p/directory"
	"ojud/voting"
)

const (
	// enough is the number of holders that a question needs. If the directory names as many, the
	// search gives them lookFurther before it looks for others. Judges get the same time before
	// strangers.
	enough      = 2
	lookFurther = time.Second
	// cardsAtOnce bounds the judges whose cards are fetched at the same time, and strangersAtOnce
	// the other peers.
	cardsAtOnce     = 8
	strangersAtOnce = 8
	// maxStrangers bounds the candidates of one search that are not on the Roster.
	maxStrangers = 64
	// maxProviders bounds the records that the DHT is asked for.
	maxProviders = 8
)

// SourceKey is the key of the DHT for the holders of a source (protocol section 12).
func SourceKey(name string) []byte {
	sum := sha256.Sum256([]byte("oju:source:v1" + name))
	return sum[:]
}

// announcements are the judges of the directory.
type announcements interface {
	Holders(source string) []directory.Judge
	Judge(p peer.ID) (directory.Judge, bool)
}

// searchHost is the part of the network that a search needs.
type searchHost interface {
	ID() peer.ID
	EachProvider(ctx context.Context, key []byte, most int, see func(peer.AddrInfo)) error
}

// caller calls on the data topic and takes the offers.
type caller interface {
	listen(source string) chan offer
	leave(source string, ch chan offer)
	call(ctx context.Context, source string)
}

// finder looks for the holders of a source.
type finder struct {
	announced announcements
	host      searchHost
	topic     caller
	roster    staked
	cards     cards
	work      *work.Group
	log       *slog.Logger
	places    Place
	only      *casefile.DID // look at this peer only; nil: look at all
}

// newFinder returns a search in all places.
func newFinder(announced announcements, host searchHost, topic caller, roster staked, cards cards, g *work.Group, log *slog.Logger) finder {
	return finder{announced: announced, host: host, topic: topic, roster: roster, cards: cards, work: g, log: log, places: All}
}

// Place is a set of the places where a search looks for holders.
type Place uint8

// The three places, and all of them.
const (
	Directory Place = 1 << iota // announcements of nodes
	DHT                         // provider records
	Calls                       // offers on the data topic. Only seats of live rounds may call there
	All       = Directory | DHT | Calls
)

var _ exchange.Finder = finder{}

// Finder returns a search in some places.
func (e *Evidence) Finder(p Place) exchange.Finder {
	f := e.finder
	f.places = p
	return f
}

// Holders implements exchange.Finder.
//
// The directory comes first, because it costs no message. If it names enough holders, the search
// calls on the data topic only when these do not seem to answer. By then most questions are over,
// and no other node was disturbed. A holder that is slow to show its card does not delay the
// others. Identities are free, so any number of peers may claim to have the source. Therefore
// judges on the Roster come first, and a bounded number of strangers after them.
func (f finder) Holders(ctx context.Context, source string) <-chan exchange.Candidate {
	s := &search{
		f: f, source: source, out: make(chan exchange.Candidate), judges: newGate(cardsAtOnce), strangers: newGate(strangersAtOnce),
		seen: map[peer.ID]bool{f.host.ID(): true},
	}
	f.work.Go(func() {
		defer close(s.out)
		if source == agentdata.Source { // each node reads it itself
			return
		}
		defer s.wait()
		s.run(ctx)
	})
	return s.out
}

type search struct {
	f         finder
	source    string
	out       chan exchange.Candidate
	judges    *gate
	strangers *gate
	waiting   sync.WaitGroup // the DHT, and strangers that wait until judges had their time

	mu      sync.Mutex
	seen    map[peer.ID]bool
	strange int // strangers among them
}

func (s *search) run(ctx context.Context) {
	if s.f.only != nil {
		if id, err := network.PeerOf(voting.Key(*s.f.only)); err == nil {
			j, _ := s.f.announced.Judge(id)
			s.show(ctx, id, cardOf(j, s.source), s.judges)
		}
		return
	}
	staked := 0
	if s.has(Directory) {
		staked = s.directory(ctx)
	}
	if s.has(Calls) && staked >= enough && !work.Pause(ctx, lookFurther) {
		return
	}
	if s.has(DHT) {
		s.waiting.Go(func() { s.dht(ctx) })
	}
	if s.has(Calls) {
		s.call(ctx)
	}
}

func (s *search) has(place Place) bool { return s.f.places&place != 0 }

// wait returns when no candidate is being looked at.
func (s *search) wait() {
	s.waiting.Wait()
	s.judges.wait()
	s.strangers.wait()
}

// directory looks at the peers that announce the source, and returns how many of them are judges.
func (s *search) directory(ctx context.Context) (staked int) {
	for _, j := range s.f.announced.Holders(s.source) {
		s.look(ctx, j.ID, cardOf(j, s.source))
		if s.f.roster.Has(j.ID) {
			staked++
		}
	}
	return staked
}

// dht looks at the peers that have a provider record.
func (s *search) dht(ctx context.Context) {
	err := s.f.host.EachProvider(ctx, SourceKey(s.source), maxProviders, func(ai peer.AddrInfo) { s.look(ctx, ai.ID, "") })
	if err != nil {
		s.f.log.Debug("holders in the DHT", "source", s.source, "err", err)
	}
}

func (s *search) call(ctx context.Context) {
	offers := s.f.topic.listen(s.source)
	defer s.f.topic.leave(s.source, offers)
	s.f.topic.call(ctx, s.source)
	for ctx.Err() == nil {
		select {
		case o := <-offers:
			s.look(ctx, o.from, o.card)
		case <-ctx.Done():
		}
	}
}

// look makes a candidate of a peer that was not seen before, and sends it.
func (s *search) look(ctx context.Context, id peer.ID, card string) {
	switch judge := s.f.roster.Has(id); {
	case !s.isNew(id, judge):
	case judge:
		s.show(ctx, id, card, s.judges)
	default:
		s.waiting.Go(func() {
			if !s.has(Calls) || work.Pause(ctx, lookFurther) {
				s.show(ctx, id, card, s.strangers)
			}
		})
	}
}

// isNew reports whether a peer is seen for the first time and is not beyond the limit of strangers.
func (s *search) isNew(id peer.ID, judge bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[id] || !judge && s.strange == maxStrangers {
		return false
	}
	if !judge {
		s.strange++
	}
	s.seen[id] = true
	return true
}

func (s *search) show(ctx context.Context, id peer.ID, card string, room *gate) {
	room.run(ctx, func(leave func()) {
		c, err := s.f.cards.candidate(ctx, id, card)
		leave()
		if err != nil {
			s.f.log.Debug("no candidate", "peer", id, "err", err)
			return
		}
		select {
		case s.out <- c:
		case <-ctx.Done():
		}
	})
}

// gate runs functions on goroutines of their own, a bounded number at a time.
type gate struct {
	room    chan struct{}
	running sync.WaitGroup
}

func newGate(limit int) *gate { return &gate{room: make(chan struct{}, limit)} }

// run waits for room, starts f, and gives the room back when f calls leave or returns. It is false
// if ctx ended before.
func (g *gate) run(ctx context.Context, f func(leave func())) bool {
	select {
	case g.room <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	g.running.Go(func() {
		leave := sync.OnceFunc(func() { <-g.room })
		defer leave()
		f(leave)
	})
	return true
}

func (g *gate) wait() { g.running.Wait() }
