package deeds

import (
	"context"
	"errors"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Done returns ledger.SubmitOptions.Done of an effect: whether the chain shows it as done.
func Done(c reader, e voting.Submit) func(context.Context) (bool, error) {
	if e.Op == voting.OpClaim {
		return func(ctx context.Context) (bool, error) {
			roster, _, err := ledger.Read(ctx, c, c.Program().Roster(), program.DecodeRoster)
			if err != nil {
				return false, err
			}
			i := roster.Find(e.Judge)
			return i < 0 || roster.Entries[i].Rewards == 0, nil // no rewards are left to claim
		}
	}
	return func(ctx context.Context) (bool, error) {
		dispute, _, err := ledger.Read(ctx, c, c.Program().Case(onchain.Address(e.Task)), program.DecodeCase)
		if errors.Is(err, ledger.ErrNotFound) {
			return e.Op == voting.OpDraw || e.Op == voting.OpSettle || e.Op == voting.OpExpire, nil
		}
		if err != nil {
			return false, err
		}
		return done(dispute, e), nil
	}
}

// done reports whether a case shows that an operation is done.
func done(dispute *program.Case, e voting.Submit) bool {
	const _ = uint(6 - voting.Statuses) // a seventh status may undo what an operation did
	later := dispute.Round > e.Round || dispute.Status.Over() || dispute.Status == voting.Appealable
	switch e.Op {
	case voting.OpDraw:
		return later || dispute.Round == e.Round && dispute.Status != voting.AwaitingDraw
	case voting.OpSettle:
		return later
	case voting.OpExpire:
		return dispute.Status.Over()
	}
	seats := slices.Concat(dispute.First, dispute.Seats) // no judge sits twice
	i := slices.IndexFunc(seats, func(s program.Seat) bool { return s.Judge == onchain.Address(e.Judge) })
	if i < 0 {
		return false
	}
	seat := &seats[i]
	switch e.Op {
	case voting.OpSlash:
		return seat.Flags&program.SeatEquivocated != 0
	case voting.OpCommit, voting.OpRelayCommit: // whatever it committed, nothing is left to relay
		same := seat.Commitment == e.Commitment || e.Op == voting.OpRelayCommit
		return dispute.Round == e.Round && seat.Flags&program.SeatCommitted != 0 && same
	case voting.OpReveal, voting.OpRelayReveal:
		return dispute.Round == e.Round && seat.Flags&program.SeatRevealed != 0
	}
	return false
}
