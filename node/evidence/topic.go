package evidence

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/datasource"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// Judges ask on Topic who has a source. offerStream brings the offers directly to the asker
// (protocol section 12).
const (
	Topic       = "data"
	offerStream = "have"
)

const (
	maxSources  = 16       // in a call
	maxCall     = 4 << 10  // bytes of a call, and of an offer
	maxCallRate = 64 << 10 // bytes of the calls of one seat in an hour that are passed on
	// maxOffers bounds the offers that wait for one search. Half of them are reserved for judges on
	// the Roster.
	maxOffers = 32
)

// call is one entry of a message on the data topic. It has the form that seed 000 gives to a
// request. The request itself stays empty in this first step, because only the holder should see
// it.
type call struct {
	Source  string   `json:"data_source"`
	Request struct{} `json:"request"`
}

type offerMessage struct {
	Source string `json:"data_source"`
	Card   string `json:"card"` // hash of its card, hex
}

type offer struct {
	from peer.ID
	card string
}

// sitters knows which nodes have a seat in a live round.
type sitters interface{ Sits(node voting.Key) bool }

// staked knows which peers are judges on the Roster.
type staked interface{ Has(id peer.ID) bool }

// cardIndex has the cards of this node's own sources.
type cardIndex interface {
	Card(source string) (datasource.Card, bool)
}

// topicHost is the part of the network that the data topic needs.
type topicHost interface {
	Join(name string, validate p2p.Validator) (*p2p.Topic, error)
	Handle(name string, limits p2p.StreamLimits, answer p2p.Handler) error
	Request(ctx context.Context, to peer.ID, name string, request []byte) ([]byte, error)
}

// dataTopic asks on the data topic who has a source, and answers such calls.
type dataTopic struct {
	host    topicHost
	cases   sitters
	roster  staked
	own     cardIndex
	timeout time.Duration // of an offer
	work    *work.Group
	log     *slog.Logger
	passed  *network.Allowance
	topic   *p2p.Topic // nil before serve

	mu      sync.Mutex
	waiting map[string]map[chan offer]bool // searches, by source
}

func newDataTopic(host topicHost, cases sitters, roster staked, own cardIndex, timeout time.Duration, g *work.Group, log *slog.Logger) *dataTopic {
	return &dataTopic{
		host: host, cases: cases, roster: roster, own: own, timeout: timeout, work: g, log: log,
		passed: network.NewAllowance(maxCallRate), waiting: map[string]map[chan offer]bool{},
	}
}

// serve joins the topic and takes offers from now on.
func (t *dataTopic) serve() (err error) {
	if t.topic, err = t.host.Join(Topic, t.validate); err != nil {
		return err
	}
	limits := p2p.DefaultLimits()
	limits.MaxRequest, limits.MaxResponse, limits.Timeout = maxCall, 16, t.timeout
	return t.host.Handle(offerStream, limits, t.takeOffer)
}

// validate returns the gossip verdict on a call: only seats of live rounds may call, and not too
// often.
func (t *dataTopic) validate(_ context.Context, _, origin peer.ID, data []byte) p2p.Verdict {
	if _, err := decodeCalls(data); err != nil {
		return p2p.Reject
	}
	key, err := network.KeyOf(origin)
	if err != nil || !t.cases.Sits(key) || !t.passed.Spend(origin, len(data)) {
		return p2p.Ignore
	}
	return p2p.Accept
}

// decodeCalls reads a message of the topic. It is canonical JSON, so that each call has one
// spelling.
func decodeCalls(data []byte) ([]call, error) {
	var calls []call
	if err := network.Decode(data, maxCall, &calls); err != nil {
		return nil, err
	}
	if len(calls) == 0 || len(calls) > maxSources {
		return nil, p2p.Fail(p2p.ErrBadRequest, fmt.Sprintf("a request names 1 to %d sources", maxSources))
	}
	// A missing member would be a second spelling.
	if again, err := network.Encode(calls, maxCall); err != nil || !bytes.Equal(again, data) {
		return nil, p2p.Fail(p2p.ErrBadRequest, "a request has data_source and request")
	}
	return calls, nil
}

// call asks the network who has a source. This is one of three ways to find out, so an error is not
// fatal.
func (t *dataTopic) call(ctx context.Context, source string) {
	raw, err := network.Encode([]call{{Source: source}}, maxCall)
	if err == nil {
		err = t.topic.Publish(ctx, raw)
	}
	if err != nil {
		t.log.Debug("no call on the data topic", "source", source, "err", err)
	}
}

// answerCalls answers calls for sources of this node until ctx ends.
func (t *dataTopic) answerCalls(ctx context.Context) error {
	for {
		m, err := t.topic.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		calls, err := decodeCalls(m.Data)
		if err != nil {
			continue // the validator refused it
		}
		for _, c := range calls {
			if card, ok := t.own.Card(c.Source); ok {
				if hash, err := card.Hash(); err == nil {
					t.work.Spawn(ctx, func(ctx context.Context) error { return t.offer(ctx, m.Origin, c.Source, hash) })
				}
			}
		}
	}
}

func (t *dataTopic) offer(ctx context.Context, to peer.ID, source string, card voting.Hash) error {
	raw, err := network.Encode(offerMessage{Source: source, Card: hex.EncodeToString(card[:])}, maxCall)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if _, err := t.host.Request(ctx, to, offerStream, raw); err != nil {
		t.log.Debug("offer not taken", "peer", to, "source", source, "err", err)
	}
	return nil
}

// takeOffer takes a peer's offer, if a search waits for it.
func (t *dataTopic) takeOffer(_ context.Context, from peer.ID, raw []byte) ([]byte, error) {
	var m offerMessage
	if err := network.Decode(raw, maxCall, &m); err != nil {
		return nil, p2p.Fail(p2p.ErrBadRequest, "want data_source and card as canonical JSON")
	}
	if !t.deliver(m.Source, offer{from, m.Card}, t.roster.Has(from)) {
		return nil, p2p.Fail(p2p.ErrNotFound, "nobody waits for that source here")
	}
	return []byte{}, nil
}

// listen returns a channel for the offers of a source. The caller must leave.
func (t *dataTopic) listen(source string) chan offer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting[source] == nil {
		t.waiting[source] = map[chan offer]bool{}
	}
	ch := make(chan offer, maxOffers)
	t.waiting[source][ch] = true
	return ch
}

func (t *dataTopic) leave(source string, ch chan offer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting[source], ch)
	if len(t.waiting[source]) == 0 {
		delete(t.waiting, source)
	}
}

// deliver hands an offer to all searches for the source, and reports whether there is one.
func (t *dataTopic) deliver(source string, o offer, judge bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ch := range t.waiting[source] {
		if !judge && len(ch) >= maxOffers/2 {
			continue // the other half is for judges, whose number is limited
		}
		select {
		case ch <- o:
		default: // the search has enough offers
		}
	}
	return len(t.waiting[source]) > 0
}
