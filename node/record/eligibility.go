package record

import (
	"context"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/why"
	"ojud/voting"
	"ojud/voting/rules"
)

// audit stores what a node did in each case, to explain it later.
type audit interface {
	Note(task voting.Key, e why.LogEntry) error
}

// explainNoSeat writes down why this judge could not be drawn into the present round of a case,
// because the chain does not show it later.
func (k *Keeper) explainNoSeat(ctx context.Context, c *caseRecord) error {
	look, terms := c.snapshot()
	number := look.SeatsRound()
	if number == 0 || number <= c.work.explainedTo || look.SeatOf(k.Judge) >= 0 || terms == nil {
		return nil
	}
	config, err := k.Chain.Config(ctx)
	if err != nil {
		return later(err)
	}
	how, text := k.ineligible(look, terms, config.MinStake, config.MaxSeatWeight)
	c.work.explainedTo = number
	if how == "" {
		return nil
	}
	return k.Audit.Note(c.task, why.LogEntry{Round: number, Deed: why.PassedOver, How: how, Text: text})
}

// ineligible returns why the judge could not be drawn, by the Roster that gives the drawn seats. It
// is empty if the judge could be drawn, or if no Roster that was seen gives these seats.
func (k *Keeper) ineligible(look voting.Case, terms *program.Task, minStake, maxWeight uint64) (how, text string) {
	seed := min(look.SeedSlot, look.DrawnSlot) // after a void round the look has the next seed slot
	for _, r := range k.Roster.Around(look.DrawnSlot) {
		if !drawsAs(k.Cases.domain.Program, look, rules.Eligible(r.Candidates(seed), parties(terms), minStake, maxWeight)) {
			continue
		}
		i := r.Find(k.Judge)
		if i < 0 {
			return why.NoEntry, fmt.Sprintf("the roster had %d judges", r.Active)
		}
		e := r.Entries[i]
		switch p := parties(terms); {
		case p.Conflicts(k.Judge):
			return why.IsParty, "this judge is a party, or the operator of one"
		case p.Conflicts(voting.Key(e.Operator)):
			return why.IsParty, "its operator " + casefile.Address(e.Operator).String() + " is a party, or the operator of one"
		case !e.SitsAt(seed):
			return why.Leaving, fmt.Sprintf("it was %s, and its stake is free at %s", e.State, time.Unix(e.ExitAt, 0).UTC().Format(time.DateTime))
		case e.StakeAt(seed) < minStake && e.Stake >= minStake:
			return why.Fresh, fmt.Sprintf("%d lamports before slot %d; the least is %d", e.StakeAt(seed), seed, minStake)
		case e.StakeAt(seed) < minStake:
			return why.LowStake, fmt.Sprintf("%d lamports before slot %d; the least is %d", e.StakeAt(seed), seed, minStake)
		}
		return "", ""
	}
	return "", ""
}

// drawsAs reports whether drawing from these candidates gives the seats of a look.
func drawsAs(program voting.Key, look voting.Case, eligible []voting.Candidate) bool {
	lot := rules.Lot{Program: program, Task: look.Task, Round: look.SeatsRound(), DrawnSlot: look.DrawnSlot, SlotHash: look.SlotHash}
	drawn, err := rules.Draw(lot.Seed(), eligible, look.Rules.PanelSeats, look.Rules.MinSeats)
	if err != nil || len(drawn) != len(look.Seats) {
		return false
	}
	for i := range drawn {
		if drawn[i].Judge != look.Seats[i].Judge || drawn[i].Weight != look.Seats[i].Weight {
			return false
		}
	}
	return true
}
