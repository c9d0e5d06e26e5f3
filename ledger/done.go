package ledger

import (
	"context"
	"errors"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Done returns what SubmitOptions.Done is for an effect of package voting: whether the chain shows that it is done.
func (c *Client) Done(e voting.Submit) func(context.Context) (bool, error) {
	if e.Op == voting.OpClaim {
		return func(ctx context.Context) (bool, error) { return c.claimed(ctx, e.Judge) }
	}
	return func(ctx context.Context) (bool, error) {
		dispute, _, err := c.Case(ctx, onchain.Address(e.Task))
		if errors.Is(err, ErrNotFound) {
			return e.Op == voting.OpDraw || e.Op == voting.OpSettle || e.Op == voting.OpExpire, nil
		}
		if err != nil {
			return false, err
		}
		return done(dispute, e), nil
	}
}

// claimed reports whether a judge has no rewards to claim.
func (c *Client) claimed(ctx context.Context, judge voting.Key) (bool, error) {
	roster, _, err := c.Roster(ctx)
	if err != nil {
		return false, err
	}
	i := roster.Find(judge)
	return i < 0 || roster.Entries[i].Rewards == 0, nil
}

// done reports whether a case shows that an operation is done.
func done(dispute *program.Case, e voting.Submit) bool {
	later := dispute.Round > e.Round || dispute.Status.Over()
	switch e.Op {
	case voting.OpDraw:
		return later || dispute.Round == e.Round && dispute.Status != voting.AwaitingDraw
	case voting.OpSettle:
		return later
	case voting.OpExpire:
		return dispute.Status.Over()
	}
	if int(e.Seat) >= len(dispute.Seats) || dispute.Seats[e.Seat].Judge != onchain.Address(e.Judge) {
		return false
	}
	seat := &dispute.Seats[e.Seat]
	switch e.Op {
	case voting.OpCommit:
		return dispute.Round == e.Round && seat.Flags&program.SeatCommitted != 0 && seat.Commitment == e.Commitment
	case voting.OpCarry: // whatever it committed, nothing is left to carry
		return dispute.Round == e.Round && seat.Flags&program.SeatCommitted != 0
	case voting.OpReveal, voting.OpRelay:
		return dispute.Round == e.Round && seat.Flags&program.SeatRevealed != 0
	case voting.OpSlash:
		return seat.Flags&program.SeatEquivocated != 0
	}
	return false
}
