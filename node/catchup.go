package node

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"
	"golang.org/x/sync/errgroup"

	"ojud/casefile"
	"ojud/p2p"
	"ojud/voting"
)

// maxCatchUp bounds a question or an answer of the case stream, in bytes (protocol section 9).
const maxCatchUp = 1 << 20

// maxNotices are those of a round: of each seat two statements, a relay request and a vote.
const maxNotices = 4 * voting.MaxSeats

// maxEventsAnswer is how much of an answer events may fill, so that base64 and heads fit beside them.
const maxEventsAnswer = 600 << 10

// question is what one node asks another about a case.
type question struct {
	Op      string                         `json:"op"` // round, events
	Case    casefile.Address               `json:"case"`
	Round   uint8                          `json:"round,omitempty"`
	Commits []int                          `json:"commits,omitempty"` // round: seats that need not be told
	Votes   []int                          `json:"votes,omitempty"`
	Relays  []int                          `json:"relays,omitempty"` // round: seats whose relay requests are here or not needed
	Heads   map[casefile.DID]casefile.Head `json:"heads,omitempty"`  // events: where the asker's chains end
}

// roundAnswer brings what the asker lacks and says what the answerer has.
type roundAnswer struct {
	Notices [][]byte `json:"notices"`
	Commits []int    `json:"commits"`
	Votes   []int    `json:"votes"`
	Relays  []int    `json:"relays"`
}

// answerCase serves the case stream.
func (n *Node) answerCase(_ context.Context, _ peer.ID, raw []byte) ([]byte, error) {
	var q question
	if err := decodeExact(raw, maxCatchUp, &q); err != nil {
		return nil, p2p.Fail(p2p.ErrBadRequest, err.Error())
	}
	switch q.Op {
	case "round":
		return n.answerRound(q)
	case "events":
		return n.answerEvents(q)
	}
	return nil, p2p.Fail(p2p.ErrBadRequest, "op must be round or events")
}

// decodeExact reads canonical JSON of bounded size into out; unknown fields are refused.
func decodeExact(raw []byte, limit int, out any) error {
	if err := casefile.Exact(raw, limit); err != nil {
		return err
	}
	return strictJSON(raw, out)
}

func (n *Node) answerRound(q question) ([]byte, error) {
	view := n.view.Load()
	if view == nil {
		return nil, p2p.ErrNotFound
	}
	known, ok := view.Round(voting.Key(q.Case), q.Round)
	if !ok {
		return nil, p2p.ErrNotFound
	}
	known = n.shown(voting.Key(q.Case), known)
	out := roundAnswer{Notices: lacking(known, q), Commits: []int{}, Votes: []int{}, Relays: view.Asked(voting.Key(q.Case), q.Round)}
	for _, k := range known {
		if len(k.Commits) > 0 {
			out.Commits = append(out.Commits, k.Seat)
		}
		if k.Vote != nil {
			out.Votes = append(out.Votes, k.Seat)
		}
	}
	return canonicalJSON(out, maxCatchUp)
}

// lacking are the notices that whoever asks does not have.
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

// catchUp asks peers for the notices of a round, and tells them what they lack.
func (n *Node) catchUp(ctx context.Context, e voting.CatchUp) error {
	answered := make([]bool, len(e.To))
	var group errgroup.Group
	group.SetLimit(8)
	for i, to := range e.To {
		group.Go(func() error {
			err := n.catchUpWith(ctx, e, to)
			answered[i] = err == nil
			if err != nil {
				n.log.Debug("no catch-up", "case", address(e.Task), "round", e.Round, "peer", to, "err", err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	count := 0
	for _, ok := range answered {
		if ok {
			count++
		}
	}
	n.answer(ctx, func(at int64) voting.Event {
		return voting.CaughtUp{At: at, Task: e.Task, Round: e.Round, Answered: count}
	})
	return nil
}

func (n *Node) catchUpWith(ctx context.Context, e voting.CatchUp, to voting.Key) error {
	id, err := keyPeer(to)
	if err != nil {
		return err
	}
	q := question{Op: "round", Case: casefile.Address(e.Task), Round: e.Round}
	if view := n.view.Load(); view != nil {
		q.Commits, q.Votes = view.Have(e.Task, e.Round)
		q.Relays = view.Asked(e.Task, e.Round)
	}
	var out roundAnswer
	if err := n.ask(ctx, id, q, &out); err != nil {
		return err
	}
	if len(out.Notices) > maxNotices {
		n.host.Penalize(id, pointsInvalid, "catch-up")
		return fmt.Errorf("node: %d notices, a round has at most %d", len(out.Notices), maxNotices)
	}
	for _, notice := range out.Notices {
		n.bring(ctx, id, notice)
	}
	return n.tell(e, to, out)
}

// bring hands over a notice that was asked for; it waits for room, for the answer to a CatchUp comes after its notices.
func (n *Node) bring(ctx context.Context, from peer.ID, raw []byte) {
	notice, err := voting.DecodeNotice(raw, casefile.ParseNotice)
	if err == nil {
		if view := n.view.Load(); view != nil {
			var checked voting.Checked
			checked, err = view.Check(voting.Key{}, notice)
			if checked.Usable() {
				n.heard(notice)
				n.answer(ctx, func(at int64) voting.Event { return voting.NoticeReceived{At: at, Notice: checked} })
			}
		}
	}
	if voting.Classify(err) == voting.GossipReject {
		n.host.Penalize(from, pointsInvalid, "catch-up")
	}
	n.blame(err)
}

// tell pushes what the other side lacks.
func (n *Node) tell(e voting.CatchUp, to voting.Key, has roundAnswer) error {
	view := n.view.Load()
	if view == nil {
		return nil
	}
	known, ok := view.Round(e.Task, e.Round)
	if !ok {
		return nil
	}
	id, err := keyPeer(to)
	if err != nil {
		return err
	}
	for _, raw := range lacking(n.shown(e.Task, known), question{Commits: has.Commits, Votes: has.Votes, Relays: has.Relays}) {
		if err := n.host.Push(voteStream, []peer.ID{id}, raw); err != nil {
			return err
		}
	}
	return nil
}

// ask puts a question to one peer.
func (n *Node) ask(ctx context.Context, to peer.ID, q question, out any) error {
	raw, err := canonicalJSON(q, maxCatchUp)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, n.patience(voting.Key(q.Case)))
	defer cancel()
	answer, err := n.host.Request(ctx, to, caseStream, raw)
	if err != nil {
		return err
	}
	if err := decodeExact(answer, maxCatchUp, out); err != nil {
		n.host.Penalize(to, pointsInvalid, "case-answer")
		return err
	}
	return nil
}

// canonicalJSON encodes a message.
func canonicalJSON(v any, limit int) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("node: encode: %w", err)
	}
	return casefile.Canonical(raw, limit)
}
