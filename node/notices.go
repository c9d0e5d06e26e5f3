package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/node/network"
	"ojud/node/record"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/voting"
)

// The names of the topic and the stream of notices (protocol section 9).
const (
	roundsTopic = "rounds"
	voteStream  = "vote"
)

type notices struct {
	host        *p2p.Host
	cases       *record.Cases
	inbox       *inbox
	twins       *twins
	broadcaster Broadcaster
	topic       *p2p.Topic
	heard       func(voting.Notice) // gets each new notice; may be nil
	hint        func(task voting.Key)
	hints       *network.Allowance // cases that peers named and this node did not know
	gossipAfter time.Duration
	work        *work.Group
	metrics     *metrics
	log         *slog.Logger
}

// serve joins the topic and answers the stream of notices. If wrap is not nil, it wraps the
// Broadcaster.
func (s *notices) serve(wrap func(Broadcaster) Broadcaster) (err error) {
	if s.topic, err = s.host.Join(roundsTopic, s.validate); err != nil {
		return err
	}
	s.broadcaster = post{s.host, s.topic}
	if wrap != nil {
		s.broadcaster = wrap(s.broadcaster)
	}
	return s.host.HandlePush(voteStream, s.pushed)
}

// validate is the gossip verdict on a message (protocol section 9). Package voting decides; this
// only translates.
func (s *notices) validate(_ context.Context, from, origin peer.ID, data []byte) p2p.Verdict {
	author, err := network.KeyOf(origin)
	if err != nil {
		return p2p.Reject
	}
	err = s.consider(from, author, data)
	switch voting.Classify(err) {
	case voting.GossipAccept:
		return p2p.Accept
	case voting.GossipReject:
		return p2p.Reject
	default:
		if origin == s.host.ID() && isDuplicate(err) {
			return p2p.Accept // our own notice: we know it, but others may not
		}
		s.blame(err)
		return p2p.Ignore
	}
}

// isDuplicate reports whether a notice was refused only because it is here already.
func isDuplicate(err error) bool {
	var fault *voting.NoticeError
	return errors.As(err, &fault) && fault.Class == voting.Duplicate
}

func (s *notices) pushed(from peer.ID, msg []byte) {
	s.sanction(from, s.consider(from, voting.Key{}, msg), "notice")
}

// sanction penalises a peer for a notice that it could know to be wrong.
func (s *notices) sanction(from peer.ID, err error, reason string) {
	if voting.Classify(err) == voting.GossipReject {
		s.host.Penalize(from, network.PointsInvalid, reason)
	}
	s.blame(err)
}

// check reads a notice and checks it; the notice is nil if it cannot be checked. It uses only the
// view of the loop, because gossip validates on several goroutines.
func (s *notices) check(origin voting.Key, data []byte) (voting.Notice, voting.Checked, error) {
	notice, err := voting.DecodeNotice(data, casefile.ParseNotice)
	if err != nil {
		return nil, voting.Checked{}, err
	}
	view := s.inbox.View()
	if view == nil {
		return nil, voting.Checked{}, &voting.NoticeError{Class: voting.Unknown, Reason: "the chain was not read yet"}
	}
	checked, err := view.Check(origin, notice)
	return notice, checked, err
}

// consider checks a notice and hands it to the machine if it is useful. It uses only the view of
// the loop, because gossip validates on several goroutines.
func (s *notices) consider(from peer.ID, origin voting.Key, data []byte) error {
	notice, checked, err := s.check(origin, data)
	if notice == nil {
		return err
	}
	if from != s.host.ID() {
		if checked.Usable() {
			s.tellHeard(notice)
			s.inbox.offer(func(at int64) voting.Event { return voting.NoticeReceived{At: at, Notice: checked} })
		}
		s.suggest(from, notice, err)
	}
	s.metrics.notice(err)
	return err
}

// maxHints is how many notices of unknown cases a peer can send in an hour that have an effect. A
// case of several rounds has about as many.
const maxHints = 256

// suggest has the chain read for a case that a peer's notice names and this node does not know. The
// list of cases, which should show it, may not work.
func (s *notices) suggest(from peer.ID, notice voting.Notice, err error) {
	var fault *voting.NoticeError
	if errors.As(err, &fault) && fault.Class == voting.Unknown && s.hints.Spend(from, 1) {
		task, _, _ := notice.Seat()
		s.hint(task)
	}
}

// Bring is for package record. It waits for room, because the answer to a CatchUp comes after its
// notices.
func (s *notices) Bring(ctx context.Context, from peer.ID, raw []byte) {
	notice, checked, err := s.check(voting.Key{}, raw)
	if checked.Usable() {
		s.tellHeard(notice)
		s.inbox.answer(ctx, func(at int64) voting.Event { return voting.NoticeReceived{At: at, Notice: checked} })
	}
	s.sanction(from, err, "catch-up")
}

func (s *notices) Send(to peer.ID, notice []byte) error {
	return s.host.Push(voteStream, []peer.ID{to}, notice)
}

func (s *notices) Shown(task voting.Key, known []voting.Known) []voting.Known {
	return s.twins.shown(task, known)
}

func (s *notices) tellHeard(notice voting.Notice) {
	if s.heard != nil {
		s.heard(notice)
	}
}

// blame penalises a judge that contradicts itself, not the peer that passed the contradiction on.
func (s *notices) blame(err error) {
	var fault *voting.NoticeError
	if !errors.As(err, &fault) || fault.Class != voting.Contradicted {
		return
	}
	if id, err := network.PeerOf(fault.Author); err == nil {
		s.host.Penalize(id, network.PointsContradicted, "contradiction")
	}
}

// drain discards the messages that gossip accepted, because the validator has handed them to the
// machine already.
func (s *notices) drain(ctx context.Context) error {
	for {
		if _, err := s.topic.Next(ctx); ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// announce pushes a notice to the seats, and gossips it to all a little later. A seat that has it
// by then takes the gossip for a duplicate and does not pass it on a second time.
func (s *notices) announce(ctx context.Context, e voting.Announce) error {
	if err := s.broadcaster.Push(e.To, e.Notice); err != nil && !errors.Is(err, p2p.ErrClosed) {
		return fmt.Errorf("node: push %s: %w", e.Notice, err)
	}
	s.work.Spawn(ctx, func(ctx context.Context) error {
		if !work.Pause(ctx, s.gossipAfter) {
			return nil
		}
		// If the round has ended meanwhile, our own validator refuses, and no peer needs the notice
		// any more.
		if err := s.broadcaster.Publish(e.Notice); err != nil {
			s.log.Debug("not gossiped", "notice", e.Notice, "err", err)
		}
		return nil
	})
	return nil
}

// linkedSeats returns the other seats of a case to which there is a link.
func (s *notices) linkedSeats(task voting.Key) []voting.Key {
	var out []voting.Key
	linked := s.host.Peers()
	for _, id := range s.cases.SeatPeers(task) {
		if !slices.Contains(linked, id) {
			continue
		}
		if key, err := network.KeyOf(id); err == nil {
			out = append(out, key)
		}
	}
	return out
}

// catchUp asks peers for the notices of a round.
type catchUp struct {
	peers *record.CatchUp
	inbox *inbox
}

// round exchanges the notices of a round with peers, and tells the machine how many of them
// answered.
func (c catchUp) round(ctx context.Context, e voting.CatchUp) {
	answered := c.peers.Round(ctx, e)
	c.inbox.answer(ctx, func(at int64) voting.Event {
		return voting.CaughtUp{At: at, Task: e.Task, Round: e.Round, Answered: answered}
	})
}

type post struct {
	host  *p2p.Host
	topic *p2p.Topic
}

func (p post) Push(to []voting.Key, notice voting.Notice) error {
	ids := make([]peer.ID, 0, len(to))
	for _, k := range to {
		id, err := network.PeerOf(k)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	return p.host.Push(voteStream, ids, notice.Encode())
}

func (p post) Publish(notice voting.Notice) error {
	return p.topic.Publish(context.Background(), notice.Encode())
}
