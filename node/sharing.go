package node

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/p2p"
	"ojud/voting"
)

// sharedStream asks a judge of the same round what it was answered (protocol section 12, ADR 0015).
const sharedStream = "shared"

const (
	maxSharedAsk = 1 << 10
	maxShared    = 4                                       // answers to one question
	maxSharedSay = maxShared*(casefile.MaxReceipt+64) + 64 // bytes
	fewSeats     = 5                                       // are asked before holders are
	sharedAtOnce = 8
)

// sharedAsk is the question, and sharedSay the answer to it.
type (
	sharedAsk struct {
		Case    casefile.Address `json:"case"`
		Round   uint8            `json:"round"`
		Source  string           `json:"data_source"`
		Request casefile.Digest  `json:"request"`
	}
	sharedSay struct {
		Receipts []casefile.Receipt `json:"receipts"`
	}
)

// sharer asks other judges of a round.
type sharer struct{ n *Node }

var _ exchange.Sharer = sharer{}

// Shared implements exchange.Sharer. Who is asked first is drawn anew each time, so that no judge speaks to all of the round.
func (s sharer) Shared(ctx context.Context, q exchange.Question, every bool) <-chan exchange.Shared {
	out := make(chan exchange.Shared)
	seats := s.n.seatPeers(voting.Key(q.Case))
	rand.Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	seats = s.n.connectedFirst(seats)
	if !every {
		seats = seats[:min(fewSeats, len(seats))]
	}
	s.n.tasks.Go(func() {
		defer close(out)
		var asking sync.WaitGroup
		defer asking.Wait()
		room := make(chan struct{}, sharedAtOnce)
		for _, id := range seats {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			asking.Go(func() {
				defer func() { <-room }()
				if err := s.from(ctx, id, q, out); err != nil && ctx.Err() == nil {
					s.n.log.Debug("nothing shared", "peer", id, "source", q.Source, "err", err)
				}
			})
		}
	})
	return out
}

// from asks one judge, and sends what it shares with the content.
func (s sharer) from(ctx context.Context, id peer.ID, q exchange.Question, out chan<- exchange.Shared) error {
	raw, err := canonicalJSON(sharedAsk{q.Case, q.Round, q.Source, casefile.Digest(q.Request)}, maxSharedAsk)
	if err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(ctx, s.n.patience(voting.Key(q.Case)))
	defer cancel()
	if raw, err = s.n.host.Request(asked, id, sharedStream, raw); err != nil {
		return err
	}
	var said sharedSay
	if err := decodeExact(raw, maxSharedSay, &said); err != nil || len(said.Receipts) > maxShared {
		s.n.host.Penalize(id, pointsInvalid, "shared")
		return errors.Join(errors.New("node: no list of receipts"), err)
	}
	for _, r := range said.Receipts {
		if err := s.send(ctx, id, q, r, out); err != nil {
			return err
		}
	}
	return nil
}

func (s sharer) send(ctx context.Context, id peer.ID, q exchange.Question, r casefile.Receipt, out chan<- exchange.Shared) error {
	key, err := peerKey(id)
	if err != nil {
		return err
	}
	if judge, ok := s.n.seatOf(voting.Key(q.Case), q.Round, key); !ok || judge != voting.Key(r.Judge) {
		return errors.New("node: the receipt is of another seat than that of who shares it")
	}
	shared := exchange.Shared{From: casefile.DID(key), Receipt: r}
	if shared.Content, err = s.content(ctx, id, voting.Hash(r.Response)); err != nil {
		return err
	}
	if shared.Terms, err = s.content(ctx, id, voting.Hash(r.Terms)); err != nil {
		return err
	}
	select {
	case out <- shared:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// content gets content from here or from who shares it.
func (s sharer) content(ctx context.Context, id peer.ID, hash voting.Hash) ([]byte, error) {
	if content, err := s.n.blobs.Blob(hash); err == nil {
		return content, nil
	}
	return s.n.fetchFrom(ctx, id, hash)
}

// seatOf is the judge for which a node sits in the live round of a case.
func (n *Node) seatOf(task voting.Key, round uint8, peer voting.Key) (voting.Key, bool) {
	c := n.docket.find(task)
	if c == nil {
		return voting.Key{}, false
	}
	look, _ := c.snapshot()
	if !look.Live() || look.Round != round {
		return voting.Key{}, false
	}
	for _, s := range look.Seats {
		if s.Peer == peer {
			return s.Judge, true
		}
	}
	return voting.Key{}, false
}

// answerShared tells a judge of the same round what this one was answered.
func (n *Node) answerShared(_ context.Context, from peer.ID, raw []byte) ([]byte, error) {
	var ask sharedAsk
	if err := decodeExact(raw, maxSharedAsk, &ask); err != nil {
		return nil, p2p.Fail(p2p.ErrBadRequest, "want case, round, data_source and request as canonical JSON")
	}
	key, err := peerKey(from)
	if err != nil {
		return nil, p2p.Fail(p2p.ErrRefused, "only nodes with an Ed25519 key sit in rounds")
	}
	if _, ok := n.seatOf(voting.Key(ask.Case), ask.Round, key); !ok {
		return nil, p2p.Fail(p2p.ErrRefused, "only judges of the live round are told")
	}
	receipts := n.desk.Lent(exchange.Question{Case: ask.Case, Round: ask.Round, Source: ask.Source, Request: voting.Hash(ask.Request)})
	return canonicalJSON(sharedSay{append([]casefile.Receipt{}, receipts...)}, maxSharedSay)
}
