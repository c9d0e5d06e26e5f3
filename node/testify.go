package node

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// testifyAll says what is still to be said in a case, in order, as far as it can be said now.
func (n *Node) testifyAll(ctx context.Context, c *dispute) error {
	var h *history
	for {
		c.mu.Lock()
		if len(c.todo) == 0 {
			c.mu.Unlock()
			return nil
		}
		e := c.todo[0]
		c.mu.Unlock()
		if h == nil && isFact(e.Kind) {
			read, err := n.chronicle(ctx, c)
			if err != nil {
				return later(err)
			}
			h = &read
		}
		if err := n.testify(ctx, c, h, e); err != nil {
			return later(err)
		}
		c.mu.Lock()
		c.todo = c.todo[1:]
		c.mu.Unlock()
	}
}

// isFact reports whether a testimony rests on the final history of the chain.
func isFact(k voting.Testimony) bool {
	return k == voting.TestifyOpen || k == voting.TestifyDraw || k == voting.TestifySettle || k == voting.TestifyOutcome
}

// errLater: what failed is tried again at the next turn.
var errLater = errors.New("later")

func later(err error) error { return fmt.Errorf("%w: %w", errLater, err) }

// testify appends one entry to this node's chain, unless it is there.
func (n *Node) testify(ctx context.Context, c *dispute, h *history, e voting.Testify) error {
	kind, judge := casefile.Kind(e.Kind.String()), voting.Key{}
	if e.Kind == voting.TestifyEquivocation {
		judge = e.Evidence.Judge
	}
	if c.log.Has(n.home.Keys.Peer(), kind, e.Round, judge) {
		return nil
	}
	body, err := n.testimony(ctx, c, h, e)
	if err != nil {
		return err
	}
	_, err = c.log.Append(n.home.Keys.node, kind, body, at(n.client))
	switch {
	case errors.Is(err, casefile.ErrRepeated):
	case errors.Is(err, casefile.ErrForked): // for good: the others take nothing more of this chain, and the rest of the file is to be whole
		n.log.Error("this node's own events in a case contradict each other, so that it can say nothing more in it; was it started from an old copy of its disk?",
			"case", address(c.task), "unsaid", kind, "round", e.Round)
	default:
		return err
	}
	return nil
}

// testimony is the body of an entry. Facts are kept as content first.
func (n *Node) testimony(ctx context.Context, c *dispute, h *history, e voting.Testify) (any, error) {
	switch e.Kind {
	case voting.TestifyCommit:
		return casefile.CommitBody{Round: e.Round, Commitment: casefile.Digest(e.Commit.Commitment), Statement: casefile.Signature(e.Commit.Signature)}, nil
	case voting.TestifyOpinion:
		return casefile.OpinionBody{Round: e.Round, Opinion: casefile.Digest(e.Opinion)}, nil
	case voting.TestifyVote:
		if err := n.testifyData(c, e.Round); err != nil {
			return nil, err
		}
		v, err := casefile.ParseVote(e.Vote)
		if err == nil {
			err = n.testifyInjections(c, v)
		}
		return casefile.VoteBody{Round: e.Round, Vote: v}, err
	case voting.TestifyEquivocation:
		return equivocation(e.Evidence), nil
	case voting.TestifyOpen:
		doc, err := h.open()
		return casefile.FactBody{Facts: casefile.Digest(doc.Hash)}, n.keep(c.task, doc.Raw, err)
	case voting.TestifyDraw:
		raw, hash, err := n.draw(ctx, *h, e.Round)
		if errors.Is(err, errNoRoster) {
			raw, hash, err = n.adoptDraw(ctx, c, *h, e.Round)
		}
		return casefile.RoundFactBody{Round: e.Round, Facts: casefile.Digest(hash)}, n.keep(c.task, raw, err)
	case voting.TestifySettle:
		doc, err := h.settle(e.Round, c.seated(e.Round))
		return casefile.RoundFactBody{Round: e.Round, Facts: casefile.Digest(doc.Hash)}, n.keep(c.task, doc.Raw, err)
	case voting.TestifyOutcome:
		doc, err := h.outcome()
		if err == nil {
			n.learn(ctx, *h)
		}
		return casefile.FactBody{Facts: casefile.Digest(doc.Hash)}, n.keep(c.task, doc.Raw, err)
	}
	return nil, fmt.Errorf("node: testimony %d is not known here", e.Kind)
}

// keep stores a document that is about to be named, and passes on why there is none.
func (n *Node) keep(task voting.Key, raw []byte, err error) error {
	if err != nil {
		return err
	}
	hash, err := n.blobs.Put(raw)
	if err != nil {
		return err
	}
	return n.blobs.Pin(task, hash)
}

func equivocation(e voting.Evidence) casefile.EquivocationBody {
	statement := func(s voting.Signed) casefile.Statement {
		return casefile.Statement{Commitment: casefile.Digest(s.Commitment), Signature: casefile.Signature(s.Signature)}
	}
	return casefile.EquivocationBody{
		Round: e.Round, Judge: casefile.Address(e.Judge), Peer: casefile.DID(e.Peer), A: statement(e.A), B: statement(e.B),
	}
}

// seated are the seats of a round.
func (c *dispute) seated(round uint8) []voting.Seat {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seats[round]
}
