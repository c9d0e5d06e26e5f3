package record

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"golang.org/x/sync/errgroup"

	"ojud/casefile"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/voting"
)

const streamName = "case"

// maxMessage bounds a question or an answer of the case stream, in bytes (protocol section 9).
const maxMessage = 1 << 20

// These are the operations of the case stream.
const (
	opRound  = "round"
	opEvents = "events"
)

// question is a request of one node to another about a case.
type question struct {
	Op      string                         `json:"op"`
	Case    casefile.Address               `json:"case"`
	Round   uint8                          `json:"round,omitempty"`
	Commits []int                          `json:"commits,omitempty"` // round: seats whose statements are not needed
	Votes   []int                          `json:"votes,omitempty"`   // round: seats whose votes are not needed
	Relays  []int                          `json:"relays,omitempty"`  // round: seats whose relay requests are not needed
	Heads   map[casefile.DID]casefile.Head `json:"heads,omitempty"`   // events: where the asker's chains end
}

// Stream asks other nodes about cases.
type Stream struct {
	host    *p2p.Host
	cases   *Cases
	timeout time.Duration // of a question; less in a short round
}

// NewStream returns a stream on which Serve does not answer yet. A question to a peer may last for
// timeout, and less in a short round.
func NewStream(host *p2p.Host, cases *Cases, timeout time.Duration) *Stream {
	return &Stream{host: host, cases: cases, timeout: timeout}
}

func (s *Stream) ask(ctx context.Context, to peer.ID, q question, out any) error {
	raw, err := network.Encode(q, maxMessage)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cases.AtMost(voting.Key(q.Case), s.timeout))
	defer cancel()
	answer, err := s.host.Request(ctx, to, streamName, raw)
	if err != nil {
		return err
	}
	if err := network.Decode(answer, maxMessage, out); err != nil {
		s.host.Penalize(to, network.PointsInvalid, "case-answer")
		return err
	}
	return nil
}

// Serve answers the questions of other nodes from now on.
func (s *Stream) Serve(rounds *CatchUp, events *Keeper) error {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Timeout = maxMessage, maxMessage, s.timeout
	l.RatePerPeer, l.Burst = 20, 100
	return s.host.Handle(streamName, l, func(_ context.Context, _ peer.ID, raw []byte) ([]byte, error) {
		var q question
		if err := network.Decode(raw, maxMessage, &q); err != nil {
			return nil, p2p.Fail(p2p.ErrBadRequest, err.Error())
		}
		switch q.Op {
		case opRound:
			return rounds.answer(q)
		case opEvents:
			return events.answer(q)
		}
		return nil, p2p.Fail(p2p.ErrBadRequest, "op must be round or events")
	})
}

// maxNotices bounds the notices of a round: two statements, a relay request and a vote of each
// seat.
const maxNotices = 4 * voting.MaxSeats

const maxParallel = 8

// roundAnswer carries the notices that the asker lacks and lists the answerer's notices.
type roundAnswer struct {
	Notices [][]byte `json:"notices"`
	Commits []int    `json:"commits"`
	Votes   []int    `json:"votes"`
	Relays  []int    `json:"relays"`
}

type notices interface {
	// Bring hands over a notice that a peer gave as an answer. It waits for room.
	Bring(ctx context.Context, from peer.ID, notice []byte)
	// Send pushes a notice to one peer.
	Send(to peer.ID, notice []byte) error
	// Shown leaves out statements that must not be shown to others yet.
	Shown(task voting.Key, known []voting.Known) []voting.Known
}

// CatchUp exchanges the notices of a round with other nodes, in both directions.
type CatchUp struct {
	stream  *Stream
	notices notices
	view    viewFunc
	log     *slog.Logger
}

// NewCatchUp returns a CatchUp that asks on a stream.
func NewCatchUp(stream *Stream, notices notices, view viewFunc, log *slog.Logger) *CatchUp {
	return &CatchUp{stream: stream, notices: notices, view: view, log: log}
}

// Round asks peers for the notices of a round, sends them the notices that they lack, and returns
// how many of them answered.
func (u *CatchUp) Round(ctx context.Context, e voting.CatchUp) (answered int) {
	var count atomic.Int64
	var group errgroup.Group
	group.SetLimit(maxParallel)
	for _, to := range e.To {
		group.Go(func() error {
			if err := u.with(ctx, e, to); err != nil {
				u.log.Debug("no catch-up", "case", casefile.Address(e.Task), "round", e.Round, "peer", to, "err", err)
				return nil
			}
			count.Add(1)
			return nil
		})
	}
	_ = group.Wait() // no goroutine returns an error
	return int(count.Load())
}

func (u *CatchUp) with(ctx context.Context, e voting.CatchUp, to voting.Key) error {
	id, err := network.PeerOf(to)
	if err != nil {
		return err
	}
	q := question{Op: opRound, Case: casefile.Address(e.Task), Round: e.Round}
	if view := u.view(); view != nil {
		q.Commits, q.Votes = view.Have(e.Task, e.Round)
		q.Relays = view.Asked(e.Task, e.Round)
	}
	var out roundAnswer
	if err := u.stream.ask(ctx, id, q, &out); err != nil {
		return err
	}
	if len(out.Notices) > maxNotices {
		u.stream.host.Penalize(id, network.PointsInvalid, "catch-up")
		return fmt.Errorf("record: %d notices, a round has at most %d", len(out.Notices), maxNotices)
	}
	for _, notice := range out.Notices {
		u.notices.Bring(ctx, id, notice)
	}
	return u.tell(e, id, out)
}

func (u *CatchUp) tell(e voting.CatchUp, to peer.ID, has roundAnswer) error {
	view := u.view()
	if view == nil {
		return nil
	}
	known, ok := view.Round(e.Task, e.Round)
	if !ok {
		return nil
	}
	present := question{Commits: has.Commits, Votes: has.Votes, Relays: has.Relays}
	for _, raw := range lacking(u.notices.Shown(e.Task, known), present) {
		if err := u.notices.Send(to, raw); err != nil {
			return err
		}
	}
	return nil
}

func (u *CatchUp) answer(q question) ([]byte, error) {
	view := u.view()
	if view == nil {
		return nil, p2p.ErrNotFound
	}
	known, ok := view.Round(voting.Key(q.Case), q.Round)
	if !ok {
		return nil, p2p.ErrNotFound
	}
	known = u.notices.Shown(voting.Key(q.Case), known)
	out := roundAnswer{Notices: lacking(known, q), Commits: []int{}, Votes: []int{}, Relays: view.Asked(voting.Key(q.Case), q.Round)}
	for _, k := range known {
		if len(k.Commits) > 0 {
			out.Commits = append(out.Commits, k.Seat)
		}
		if k.Vote != nil {
			out.Votes = append(out.Votes, k.Seat)
		}
	}
	return network.Encode(out, maxMessage)
}

// lacking returns the notices that the asker of a question does not have.
func lacking(known []voting.Known, q question) [][]byte {
	commits, votes, relays := set(q.Commits), set(q.Votes), set(q.Relays)
	out := [][]byte{}
	for _, k := range known {
		if !commits[k.Seat] {
			for _, c := range k.Commits {
				out = append(out, c.Encode())
			}
		}
		if k.Request != nil && !relays[k.Seat] {
			out = append(out, k.Request.Encode())
		}
		if k.Vote != nil && !votes[k.Seat] {
			out = append(out, k.Vote.Encode())
		}
	}
	return out
}

func set(seats []int) map[int]bool {
	out := make(map[int]bool, len(seats))
	for _, s := range seats {
		out[s] = true
	}
	return out
}
