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

// Holders implements exchange.Finder. The directory comes first: it costs no message.
func (f finder) Holders(ctx context.Context, source string) <-chan exchange.Candidate {
	out := make(chan exchange.Candidate)
	offers := f.n.calls.listen(source)
	f.n.tasks.Go(func() {
		defer close(out)
		defer f.n.calls.leave(source, offers)
		seen := map[peer.ID]bool{f.n.host.ID(): true}
		send := func(id peer.ID, card string) bool {
			if seen[id] {
				return true
			}
			seen[id] = true
			c, err := f.n.candidate(ctx, id, card)
			if err != nil {
				return true
			}
			select {
			case out <- c:
				return true
			case <-ctx.Done():
				return false
			}
		}
		f.n.call(ctx, source)
		for _, j := range f.n.host.Registry().Holders(source) {
			if !send(j.ID, cardOf(j, source)) {
				return
			}
		}
		infos, err := f.n.host.FindProviders(ctx, sourceKey(source), maxProviders)
		if err != nil {
			f.n.log.Debug("holders in the DHT", "source", source, "err", err)
		}
		for i := range infos {
			if !send(infos[i].ID, "") {
				return
			}
		}
		for {
			select {
			case o := <-offers:
				if !send(o.from, o.card) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return out
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

// maxOffers bounds the offers that wait for one who listens; more are not needed.
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
func (c *calls) tell(source string, o offer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ch := range c.waiting[source] {
		select {
		case ch <- o:
		default: // it has enough
		}
	}
	return len(c.waiting[source]) > 0
}
