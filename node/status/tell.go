package status

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/webhook"
	"ojud/voting"
)

// tell passes to the operator's receivers what an event means for this judge. Run does it before it
// moves its position in the stream, so a crash loses nothing, but may tell an event twice.
func (o *Outcomes) tell(t ledger.Occurred, place int) {
	say := func(event string, d webhook.Details) { o.notify(t, place, event, d) }
	switch e := t.Events[place].(type) {
	case *program.Drawn:
		if seat := o.seatIn(e); seat >= 0 {
			say(webhook.JudgeDrawn, webhook.Details{
				Case: e.Task.String(), Round: e.Round, Seat: seat + 1, Seats: len(e.Seats), Due: e.CommitEnds,
				Text: fmt.Sprintf("This judge was drawn in case %s; its vote is due by %s.", e.Task, date(e.CommitEnds)),
			})
		}
	case *program.Revealed:
		if o.own(e.Judge) {
			say(webhook.JudgeVoted, webhook.Details{Case: e.Task.String(), Round: e.Round, Choice: e.Choice.String(),
				Text: fmt.Sprintf("This judge voted %s in case %s.", e.Choice, e.Task)})
		}
	case *program.RoundSettled:
		if seat := o.seat(e.Task, e.Round); seat >= 0 && seat < len(e.Seats) {
			o.tellSettled(e, e.Seats[seat], say)
		}
	case *program.LeafApplied:
		var ends []program.SeatEnd
		for _, s := range e.Seats {
			ends = append(ends, program.SeatEnd{Slashed: s.Slashed, Earned: s.Earned})
		}
		o.tellEnd(e.Task, ends, say, "golden case")
	case *program.CaseFinished:
		o.tellEnd(e.Task, e.Seats, say, "end of the case, in all")
	case *program.Slashed:
		if o.own(e.Judge) {
			tellMoney(say, e.Task, e.Round, e.Amount, 0, "equivocation")
		}
	case *program.RewardClaimed:
		if o.own(e.Judge) {
			say(webhook.JudgePaid, webhook.Details{Lamports: e.Amount, Cause: "to the wallet",
				Text: fmt.Sprintf("Rewards of %s were paid to the wallet.", onchain.SOL(e.Amount))})
		}
	case *program.Appealed:
		if o.satIn(e.Task) {
			say(webhook.CaseAppealed, webhook.Details{Case: e.Task.String(), Seats: int(e.Seats),
				Text: fmt.Sprintf("The verdict in case %s, in which this judge sat, is appealed.", e.Task)})
		}
	}
}

// notify passes one thing of an event to the operator's receivers.
func (o *Outcomes) notify(t ledger.Occurred, place int, event string, d webhook.Details) {
	n := webhook.Notification{ID: webhook.IDOf(t.Signature.String(), strconv.Itoa(place), event), Kind: event, Details: d}
	if t.Time > 0 {
		n.At = time.Unix(t.Time, 0)
	}
	o.d.Tell(n)
}

// teller says one thing of an event.
type teller func(event string, d webhook.Details)

func (o *Outcomes) tellSettled(e *program.RoundSettled, end program.SeatSettled, say teller) {
	if end.Result == voting.Absent {
		say(webhook.JudgeAbsent, webhook.Details{Case: e.Task.String(), Round: e.Round,
			Text: fmt.Sprintf("This judge did not vote in case %s.", e.Task)})
	}
	tellMoney(say, e.Task, e.Round, end.Slashed, end.Earned, "round settled")
}

// tellEnd tells what the seats of a case got that is over. The seats are those of its account: the
// first panel, then that of the appeal.
func (o *Outcomes) tellEnd(task onchain.Address, ends []program.SeatEnd, say teller, cause string) {
	look, _ := o.d.Look(voting.Key(task))
	seats := look.Seats
	if look.Appealed() {
		seats = slices.Concat(look.First, look.Seats)
	}
	if len(seats) != len(ends) {
		return // this node never saw the panel, so it had no seat there
	}
	own := slices.IndexFunc(seats, func(s voting.Seat) bool { return s.Judge == o.d.Judge })
	if own >= 0 {
		tellMoney(say, task, 0, ends[own].Slashed, ends[own].Earned, cause)
	}
}

func tellMoney(say teller, task onchain.Address, round uint8, lost, earned uint64, cause string) {
	d := webhook.Details{Case: task.String(), Round: round, Cause: cause}
	if lost > 0 {
		d.Lamports, d.Text = lost, fmt.Sprintf("This judge lost %s of its stake in case %s: %s.", onchain.SOL(lost), task, cause)
		say(webhook.JudgeSlashed, d)
	}
	if earned > 0 {
		d.Lamports, d.Text = earned, fmt.Sprintf("This judge earned %s in case %s: %s.", onchain.SOL(earned), task, cause)
		say(webhook.JudgePaid, d)
	}
}

// seatIn returns the place of this judge in a draw; -1 if it has none. The event names the seats by
// their places on the Roster.
func (o *Outcomes) seatIn(e *program.Drawn) int {
	roster := o.d.Roster.Now()
	if roster == nil {
		return -1
	}
	own := roster.Find(o.d.Judge)
	return slices.IndexFunc(e.Seats, func(s program.SeatDrawn) bool { return int(s.Index) == own })
}

// seat returns the place of this judge in a round; -1 if it has none.
func (o *Outcomes) seat(task onchain.Address, round uint8) int {
	return slices.IndexFunc(o.d.Seats(voting.Key(task), round), func(s voting.Seat) bool { return s.Judge == o.d.Judge })
}

// satIn reports whether this judge had a seat in a case.
func (o *Outcomes) satIn(task onchain.Address) bool {
	for round := uint8(1); round <= voting.MaxRound; round++ {
		if o.seat(task, round) >= 0 {
			return true
		}
	}
	return false
}

// tellRules tells of rules that are announced. The same announcement always has the same ID.
func tellRules(tell func(webhook.Notification), next *program.Rules, f Finding) {
	tell(webhook.Notification{
		ID: webhook.IDOf("rules", fmt.Sprintf("%+v", *next)), Kind: webhook.RulesNew,
		Details: webhook.Details{Version: next.Number, From: next.From, Text: f.Detail},
	})
}

// tellFunds tells that the authority has too little for fees.
func tellFunds(tell func(webhook.Notification), f Finding) {
	tell(webhook.Notification{Kind: webhook.FundsLow, Details: webhook.Details{Text: f.Detail}})
}
