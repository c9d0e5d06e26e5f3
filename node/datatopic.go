package node

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/voting"
)

// haveStream brings the answers to a request on the data topic directly to who asked.
const haveStream = "have"

const (
	maxWanted = 16      // sources in a request
	maxWant   = 4 << 10 // bytes of a request, and of an offer
	// maxWants bounds the bytes of the requests of one seat in an hour that are passed on.
	maxWants = 64 << 10
)

// want is one entry of a request on the data topic: the object of seed 000. The first of its two steps asks who has the source, so
// that the request itself stays empty: it is for the holder alone.
type want struct {
	Source  string   `json:"data_source"`
	Request struct{} `json:"request"`
}

// have is the answer to it.
type have struct {
	Source string `json:"data_source"`
	Card   string `json:"card"` // hash of its card, hex
}

// openTalks joins the topic and serves the streams of package exchange.
func (n *Node) openTalks() (err error) {
	if n.wants, err = n.host.Join(dataTopic, n.validateWant); err != nil {
		return err
	}
	limits := p2p.DefaultLimits()
	limits.MaxRequest, limits.MaxResponse, limits.Timeout = maxWant, 16, n.cfg.Sync.Timeout
	if err := n.host.Handle(haveStream, limits, n.takeOffer); err != nil {
		return err
	}
	limits = p2p.DefaultLimits()
	limits.MaxRequest, limits.MaxResponse, limits.Timeout = maxSharedAsk, maxSharedSay, n.cfg.Sync.Timeout
	if err := n.host.Handle(sharedStream, limits, n.answerShared); err != nil {
		return err
	}
	return n.host.HandleStream(dataStream, dataLimits(), n.talk)
}

// validateWant is the gossip verdict on a request: only seats of live rounds may ask, and not too much.
func (n *Node) validateWant(_ context.Context, _, origin peer.ID, data []byte) p2p.Verdict {
	if _, err := decodeWants(data); err != nil {
		return p2p.Reject
	}
	key, err := peerKey(origin)
	if err != nil || !n.sits(key) || !n.asking.spend(origin, len(data)) {
		return p2p.Ignore
	}
	return p2p.Accept
}

// decodeWants reads a request; it is canonical JSON, so that one has one spelling.
func decodeWants(data []byte) ([]want, error) {
	var wants []want
	if err := decodeExact(data, maxWant, &wants); err != nil {
		return nil, err
	}
	if len(wants) == 0 || len(wants) > maxWanted {
		return nil, p2p.Fail(p2p.ErrBadRequest, "a request names 1 to 16 sources")
	}
	if again, err := canonicalJSON(wants, maxWant); err != nil || !bytes.Equal(again, data) { // a member that is left out would be a second spelling
		return nil, p2p.Fail(p2p.ErrBadRequest, "a request has data_source and request")
	}
	return wants, nil
}

// sits reports whether a node sits in a live round of a case that is followed here.
func (n *Node) sits(peer voting.Key) bool {
	for _, c := range n.docket.all() {
		look, _ := c.snapshot()
		if look.Live() && slices.ContainsFunc(look.Seats, func(s voting.Seat) bool { return s.Peer == peer }) {
			return true
		}
	}
	return false
}

// call asks the judiciary network who has a source. Nobody needs to answer: it is one of three ways.
func (n *Node) call(ctx context.Context, source string) {
	raw, err := canonicalJSON([]want{{Source: source}}, maxWant)
	if err == nil {
		err = n.wants.Publish(ctx, raw)
	}
	if err != nil {
		n.log.Debug("nobody was asked on the data topic", "source", source, "err", err)
	}
}

// hearWants answers requests for sources that are here.
func (n *Node) hearWants(ctx context.Context) error {
	for {
		m, err := n.wants.Next(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		wants, err := decodeWants(m.Data)
		if err != nil {
			continue // the validator refused it
		}
		for _, w := range wants {
			if card, ok := n.book.Card(w.Source); ok {
				if hash, err := card.Hash(); err == nil {
					n.spawn(ctx, func(ctx context.Context) error { return n.offerSource(ctx, m.Origin, w.Source, hash) })
				}
			}
		}
	}
}

// offerSource tells who asked that the source is here.
func (n *Node) offerSource(ctx context.Context, to peer.ID, source string, card voting.Hash) error {
	raw, err := canonicalJSON(have{Source: source, Card: hex.EncodeToString(card[:])}, maxWant)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, n.cfg.Sync.Timeout)
	defer cancel()
	if _, err := n.host.Request(ctx, to, haveStream, raw); err != nil {
		n.log.Debug("offer not taken", "peer", to, "source", source, "err", err)
	}
	return nil
}

// takeOffer takes a peer's word that it has a source, if this node waits for it.
func (n *Node) takeOffer(_ context.Context, from peer.ID, raw []byte) ([]byte, error) {
	var h have
	if err := decodeExact(raw, maxWant, &h); err != nil {
		return nil, p2p.Fail(p2p.ErrBadRequest, "want data_source and card as canonical JSON")
	}
	if !n.calls.tell(h.Source, offer{from, h.Card}, n.onRoster(from)) {
		return nil, p2p.Fail(p2p.ErrNotFound, "nobody waits for that source here")
	}
	return []byte{}, nil
}
