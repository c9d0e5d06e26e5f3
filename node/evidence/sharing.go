package evidence

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// sharedStream asks a judge of the same round for the answers that it got (protocol section 12, ADR
// 0015).
const sharedStream = "shared"

const (
	maxSharedQuestion = 1 << 10                                 // bytes
	maxShared         = 4                                       // answers to one question
	maxSharedAnswer   = maxShared*(casefile.MaxReceipt+64) + 64 // bytes
	fewSeats          = 5                                       // these are asked before holders
	sharedAtOnce      = 8
)

type (
	sharedQuestion struct {
		Case    casefile.Address `json:"case"`
		Round   uint8            `json:"round"`
		Source  string           `json:"data_source"`
		Request casefile.Digest  `json:"request"`
	}
	sharedAnswer struct {
		Receipts []casefile.Receipt `json:"receipts"`
	}
)

// colleagues is the part of the followed cases that says who sits in a round.
type colleagues interface {
	SeatPeers(task voting.Key) []peer.ID
	JudgeOf(task voting.Key, round uint8, node voting.Key) (voting.Key, bool)
	AtMost(task voting.Key, limit time.Duration) time.Duration
}

// sharingHost is the part of the network that sharing needs.
type sharingHost interface {
	Handle(name string, limits p2p.StreamLimits, answer p2p.Handler) error
	Request(ctx context.Context, to peer.ID, name string, request []byte) ([]byte, error)
	Penalize(p peer.ID, points float64, reason string)
}

// colleagueContent gets content from the judge that named it.
type colleagueContent interface {
	holderContent
	ConnectedFirst(peers []peer.ID) []peer.ID
}

// lender returns the answers that this node's judge got to a question.
type lender func(exchange.Question) []casefile.Receipt

// sharing asks other judges of a round for their answers, and gives them those of this node's
// judge.
type sharing struct {
	host    sharingHost
	cases   colleagues
	remote  colleagueContent
	local   localContent
	lent    lender
	timeout time.Duration // of one question
	work    *work.Group
	log     *slog.Logger
}

var _ exchange.Sharer = (*sharing)(nil)

func newSharing(host sharingHost, cases colleagues, remote colleagueContent, local localContent, lent lender,
	timeout time.Duration, g *work.Group, log *slog.Logger) *sharing {
	return &sharing{host: host, cases: cases, remote: remote, local: local, lent: lent, timeout: timeout, work: g, log: log}
}

func (s *sharing) serve() error {
	limits := p2p.DefaultLimits()
	limits.MaxRequest, limits.MaxResponse, limits.Timeout = maxSharedQuestion, maxSharedAnswer, s.timeout
	return s.host.Handle(sharedStream, limits, s.answer)
}

// Shared implements exchange.Sharer. It asks the judges in a new random order each time, so that no
// judge always speaks first.
func (s *sharing) Shared(ctx context.Context, q exchange.Question, every bool) <-chan exchange.Shared {
	out := make(chan exchange.Shared)
	seats := s.cases.SeatPeers(voting.Key(q.Case))
	rand.Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	seats = s.remote.ConnectedFirst(seats)
	if !every {
		seats = seats[:min(fewSeats, len(seats))]
	}
	s.work.Go(func() {
		defer close(out)
		asking := newGate(sharedAtOnce)
		defer asking.wait()
		for _, id := range seats {
			ok := asking.run(ctx, func(func()) {
				if err := s.ask(ctx, id, q, out); err != nil && ctx.Err() == nil {
					s.log.Debug("nothing shared", "peer", id, "source", q.Source, "err", err)
				}
			})
			if !ok {
				return
			}
		}
	})
	return out
}

func (s *sharing) ask(ctx context.Context, id peer.ID, q exchange.Question, out chan<- exchange.Shared) error {
	raw, err := network.Encode(sharedQuestion{q.Case, q.Round, q.Source, casefile.Digest(q.Request)}, maxSharedQuestion)
	if err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(ctx, s.cases.AtMost(voting.Key(q.Case), s.timeout))
	defer cancel()
	if raw, err = s.host.Request(asked, id, sharedStream, raw); err != nil {
		return err
	}
	var said sharedAnswer
	if err := network.Decode(raw, maxSharedAnswer, &said); err != nil || len(said.Receipts) > maxShared {
		s.host.Penalize(id, network.PointsInvalid, "shared")
		return errors.Join(errors.New("evidence: no list of receipts"), err)
	}
	for _, r := range said.Receipts {
		if err := s.send(ctx, id, q, r, out); err != nil {
			return err
		}
	}
	return nil
}

func (s *sharing) send(ctx context.Context, id peer.ID, q exchange.Question, r casefile.Receipt, out chan<- exchange.Shared) error {
	key, err := network.KeyOf(id)
	if err != nil {
		return err
	}
	if judge, ok := s.cases.JudgeOf(voting.Key(q.Case), q.Round, key); !ok || judge != voting.Key(r.Judge) {
		return errors.New("evidence: a judge shares the receipt of another seat")
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

// content gets content from here or from the judge that shares it.
func (s *sharing) content(ctx context.Context, id peer.ID, hash voting.Hash) ([]byte, error) {
	if content, err := s.local.Blob(hash); err == nil {
		return content, nil
	}
	return s.remote.FetchFrom(ctx, id, hash)
}

// answer gives a judge of the same round the answers that this node's judge got.
func (s *sharing) answer(_ context.Context, from peer.ID, raw []byte) ([]byte, error) {
	var q sharedQuestion
	if err := network.Decode(raw, maxSharedQuestion, &q); err != nil {
		return nil, p2p.Fail(p2p.ErrBadRequest, "want case, round, data_source and request as canonical JSON")
	}
	key, err := network.KeyOf(from)
	if err != nil {
		return nil, p2p.Fail(p2p.ErrRefused, "only nodes with an Ed25519 key sit in rounds")
	}
	if _, ok := s.cases.JudgeOf(voting.Key(q.Case), q.Round, key); !ok {
		return nil, p2p.Fail(p2p.ErrRefused, "only judges of the live round are told")
	}
	receipts := s.lent(exchange.Question{Case: q.Case, Round: q.Round, Source: q.Source, Request: voting.Hash(q.Request)})
	return network.Encode(sharedAnswer{append([]casefile.Receipt{}, receipts...)}, maxSharedAnswer)
}
