package cluster

import (
	"context"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/cluster/hearing"
	"ojud/voting"
)

// lines describes an event in plain words. The caller holds mu.
func (t *teller) lines(ctx context.Context, o ledger.Occurred, e program.Event) []Line {
	line := func(event, text string, data any) Line {
		return Line{Event: event, Text: text, Slot: o.Slot, At: o.Time, Tx: o.Signature.String(), Data: data}
	}
	data := fields(e)
	text := t.text(ctx, e, data)
	if text == "" {
		return nil
	}
	if who := subject(e); !who.IsZero() {
		data["name"] = t.who(who)
	}
	out := []Line{line(e.EventName(), text, data)}
	out[0].Show, out[0].Of, out[0].Vote = t.show(e)
	if s, ok := e.(*program.RoundSettled); ok {
		t.seats(ctx, s.Task, s.Round)
		for i, seat := range s.Seats {
			if seat.Slashed > 0 {
				judge := t.judge(s.Task, i)
				name, more := t.who(judge), map[string]any{
					"task": s.Task.String(), "round": s.Round, "seat": i, "result": seat.Result.String(), "amount": client.Lamports(seat.Slashed),
				}
				if more["judge"] = judge.String(); judge.IsZero() {
					delete(more, "judge")
					name = fmt.Sprintf("the judge in seat %d", i+1)
				}
				more["name"] = name
				slash := line(EventSeatSlashed, fmt.Sprintf("%s %s and loses %s of its stake.", upper(name), hearing.Fault(seat.Result), onchain.SOL(seat.Slashed)), more)
				slash.Show = ShowMany
				out = append(out, slash)
			}
		}
		if late := t.late(s); late > 0 {
			out = append(out, Line{Event: EventNote, Slot: o.Slot, At: o.Time, Text: fmt.Sprintf("%s runs but did not vote in time. This machine is too slow "+
				"for this court: take fewer judges (--nodes 7) or more time (--commit 5m --reveal 5m).", judges(late))})
		}
	}
	return out
}

// show says how an output for people treats an event. The caller holds mu.
func (t *teller) show(e program.Event) (show Show, of int, vote string) {
	switch e := e.(type) {
	case *program.StakeMoved, *program.AdmissionSet:
		if t.starting {
			return ShowLess, 0, ""
		}
	case *program.Committed:
		return ShowMany, len(t.panel(e.Task).judges), ""
	case *program.Revealed:
		if t.voice == nil {
			return ShowMany, len(t.panel(e.Task).judges), e.Choice.String()
		}
	case *program.RewardClaimed:
		return ShowMany, 0, ""
	case *program.ConfigSet, *program.RulesSet:
		return ShowLess, 0, ""
	case *program.AgentSet, *program.VaultMoved:
		return less(t.playing), 0, ""
	case *program.CaseOpened:
		return less(t.playing && e.Round == 1), 0, ""
	case *program.TaskMoved:
		return less(t.playing && (e.To == program.InProgress || e.To == program.Verification)), 0, ""
	}
	return ShowLine, 0, ""
}

func less(is bool) Show {
	if is {
		return ShowLess
	}
	return ShowLine
}

// late returns how many seats were absent although their nodes run and should have voted.
func (t *teller) late(s *program.RoundSettled) (n int) {
	for i, seat := range s.Seats {
		if seat.Result == voting.Absent && t.honest[t.judge(s.Task, i)] {
			n++
		}
	}
	return n
}

func judges(n int) string {
	if n == 1 {
		return "1 honest judge"
	}
	return fmt.Sprintf("Each of %d honest judges", n)
}

// subject returns the judge or party of an event, or zero if it has none.
func subject(e program.Event) onchain.Address {
	switch e := e.(type) {
	case *program.StakeMoved:
		return e.Judge
	case *program.Committed:
		return e.Judge
	case *program.Revealed:
		return e.Judge
	case *program.Slashed:
		return e.Judge
	case *program.RewardClaimed:
		return e.Judge
	case *program.JudgeExiting:
		return e.Judge
	case *program.AdmissionSet:
		return e.Judge
	case *program.Paid:
		return e.To
	case *program.TaskMoved:
		return e.Actor
	}
	return onchain.Address{}
}

// text returns the sentence for an event. It is empty for an event that only programs need.
func (t *teller) text(ctx context.Context, e program.Event, data map[string]any) string {
	switch e := e.(type) {
	case *program.ConfigSet:
		return "The court's authority is set."
	case *program.AdmissionSet:
		if e.Admitted == 0 {
			return fmt.Sprintf("%s is not admitted to the court any more.", upper(t.who(e.Judge)))
		}
		return fmt.Sprintf("%s is admitted to the court.", upper(t.who(e.Judge)))
	case *program.RulesSet:
		return fmt.Sprintf("Version %d is now the latest of the court's rules.", e.Number)
	case *program.AgentSet:
		return fmt.Sprintf("%s is an agent.", upper(t.who(e.Authority)))
	case *program.VaultMoved:
		return t.vault(e)
	case *program.StakeMoved:
		return t.stake(e)
	case *program.TaskMoved:
		return t.moved(e)
	case *program.Paid:
		if e.Kind == voting.PayTrade {
			return fmt.Sprintf("The golden pot gets %s (%s).", onchain.SOL(e.Amount), program.PaymentName(e.Kind))
		}
		return fmt.Sprintf("%s gets %s (%s).", upper(t.who(e.To)), onchain.SOL(e.Amount), program.PaymentName(e.Kind))
	case *program.CaseOpened:
		return fmt.Sprintf("Round %d is to be drawn from the hash of slot %d or later.", e.Round, e.SeedSlot)
	case *program.Drawn:
		return t.drawn(ctx, e, data)
	case *program.Committed:
		p := t.panel(e.Task)
		p.committed++
		p.seat(int(e.Seat), e.Judge)
		return fmt.Sprintf("%s commits (%d of %d).", upper(t.who(e.Judge)), p.committed, len(p.judges))
	case *program.Revealed:
		p := t.panel(e.Task)
		p.revealed++
		p.seat(int(e.Seat), e.Judge)
		return t.revealed(e, p, data)
	case *program.RoundSettled:
		return t.settled(e)
	case *program.Appealable:
		return fmt.Sprintf("The verdict of the first panel is %s. Its loser may appeal; until then all money of it waits.", e.Verdict)
	case *program.Appealed:
		return fmt.Sprintf("%s appeals, with a bond of %s. Up to %d judges that did not sit hear the case.", upper(t.who(e.Party)), onchain.SOL(e.Bond), e.Seats)
	case *program.CaseFinished:
		return hearing.Finished(e)
	case *program.Slashed:
		return fmt.Sprintf("%s is shown to have signed two statements in round %d and loses %s of its stake.", upper(t.who(e.Judge)), e.Round, onchain.SOL(e.Amount))
	case *program.RewardClaimed:
		return fmt.Sprintf("%s takes its reward of %s.", upper(t.who(e.Judge)), onchain.SOL(e.Amount))
	case *program.JudgeExiting:
		return fmt.Sprintf("%s leaves the court.", upper(t.who(e.Judge)))
	case *program.ProctorSet:
		if e.Admitted == 0 {
			return fmt.Sprintf("%s is no proctor any more.", upper(t.who(e.Proctor)))
		}
		return fmt.Sprintf("%s may commit golden cases.", upper(t.who(e.Proctor)))
	case *program.BatchCommitted:
		return fmt.Sprintf("%s commits to the answers of %d golden cases, with a deposit of %s.", upper(t.who(e.Proctor)), e.Leaves, onchain.SOL(e.Deposit))
	case *program.LeafOpened:
		if e.Void == 1 {
			return fmt.Sprintf("Leaf %d of batch %d is open, and void.", e.Index+1, e.Batch)
		}
		return fmt.Sprintf("Leaf %d of batch %d is open: task %s was golden, and its answer is %s.", e.Index+1, e.Batch, short(e.Task), e.Answer)
	case *program.LeafApplied:
		return fmt.Sprintf("The golden case of task %s is applied: wrong votes lose %s, right ones get %s.", short(e.Task), onchain.SOL(e.Taken), onchain.SOL(e.Paid))
	case *program.BatchClosed:
		return fmt.Sprintf("Batch %d is closed, and %s gets %s.", e.Batch, t.who(e.Proctor), onchain.SOL(e.Amount))
	case *program.ChallengeUpheld:
		return fmt.Sprintf("A leaf of batch %d is false, says a case; %s gets %s, and nothing of the batch is applied.", e.Batch, t.who(e.To), onchain.SOL(e.Amount))
	case *program.Closed:
		return fmt.Sprintf("An account is closed, and %s gets %s of rent back.", t.who(e.To), onchain.SOL(e.Amount))
	}
	return ""
}

func (t *teller) vault(e *program.VaultMoved) string {
	if e.Delta < 0 {
		return fmt.Sprintf("%s takes %s out of its vault.", upper(t.who(e.Authority)), onchain.SOL(uint64(-e.Delta)))
	}
	return fmt.Sprintf("%s puts %s into its vault.", upper(t.who(e.Authority)), onchain.SOL(uint64(e.Delta)))
}

func (t *teller) stake(e *program.StakeMoved) string {
	switch e.Kind {
	case program.StakeJoined:
		return fmt.Sprintf("%s stakes %s and joins the court.", upper(t.who(e.Judge)), onchain.SOL(e.Stake))
	case program.StakeToppedUp:
		return fmt.Sprintf("%s has %s at stake again.", upper(t.who(e.Judge)), onchain.SOL(e.Stake))
	}
	return fmt.Sprintf("%s takes its stake back.", upper(t.who(e.Judge)))
}

// moved describes the new state of a task.
func (t *teller) moved(e *program.TaskMoved) string {
	who, task := upper(t.who(e.Actor)), short(e.Task)
	switch e.To {
	case program.Created:
		if e.From != 0 {
			return fmt.Sprintf("Task %s is on the market again.", task)
		}
		return fmt.Sprintf("%s posts task %s with %s in escrow.", who, task, onchain.SOL(e.Amount))
	case program.Claimed:
		return fmt.Sprintf("%s claims the task for %s.", who, onchain.SOL(e.Amount))
	case program.InProgress:
		return fmt.Sprintf("%s begins to work.", who)
	case program.Verification:
		return fmt.Sprintf("%s hands in a result (sha256 %.4x…). The creator has time to answer.", who, e.Hash[:])
	case program.Disputed:
		if t.playing { // the words of the objection are told already
			return fmt.Sprintf("The objection has a bond of %s.", onchain.SOL(e.Amount))
		}
		return fmt.Sprintf("%s objects, with a bond of %s.", who, onchain.SOL(e.Amount))
	case program.Judiciary:
		switch {
		case e.From == program.Judiciary:
			return fmt.Sprintf("The engine of task %s was silent. The court has a case.", task)
		case e.Deadline != 0:
			return fmt.Sprintf("%s counter-objects, with a bond of %s. The engine of the task has time to decide.", who, onchain.SOL(e.Amount))
		}
		return fmt.Sprintf("%s counter-objects, with a bond of %s. The court has a case.", who, onchain.SOL(e.Amount))
	case program.Complete, program.Undecided:
		return fmt.Sprintf("Task %s is over: %s by %s.", task, program.OutcomeName(e.Outcome), e.Resolution)
	}
	return fmt.Sprintf("Task %s is %s.", task, e.To)
}

func (t *teller) settled(e *program.RoundSettled) string {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs a sentence
	paid, earned, slashed := 0, uint64(0), uint64(0)
	for _, s := range e.Seats {
		earned, slashed = earned+s.Earned, slashed+s.Slashed
		if s.Earned > 0 {
			paid++
		}
	}
	tally := fmt.Sprintf("stake behind accept %s, behind reject %s, of %s seated", onchain.SOL(e.Accept), onchain.SOL(e.Reject), onchain.SOL(e.Seated))
	lost := ""
	if slashed > 0 {
		lost = fmt.Sprintf(" Judges that were silent lose %s.", onchain.SOL(slashed))
	}
	pay := fmt.Sprintf("Of the lost bonds (%s), %d judges that took a side get %s, whichever side it was. The golden pot gets %s.", onchain.SOL(e.Bond), paid, onchain.SOL(earned), onchain.SOL(e.Golden))
	if e.Bond == 0 { // it waits for the end of the case
		pay = "Nobody is paid yet."
	}
	switch e.Verdict {
	case voting.NoVerdict:
		return fmt.Sprintf("Round %d has no quorum (%s): it is void, and a panel is drawn again.%s", e.Round, tally, lost)
	case voting.Undecided:
		if e.Bond == 0 {
			return fmt.Sprintf("Round %d has no quorum either (%s): the appeal decides nothing.%s", e.Round, tally, lost)
		}
		return fmt.Sprintf("Round %d has no quorum either (%s): the case ends undecided.%s %s", e.Round, tally, lost, pay)
	}
	return fmt.Sprintf("Round %d is settled: %s (%s).%s %s", e.Round, e.Verdict, tally, lost, pay)
}

// revealed gives the vote of a judge, and its reason if judges ask models.
func (t *teller) revealed(e *program.Revealed, p *panel, data map[string]any) string {
	who, count := upper(t.who(e.Judge)), fmt.Sprintf("%s (%d of %d)", e.Choice, p.revealed, p.committed)
	if t.voice != nil {
		if v, ok := t.voice(e); ok {
			data["opinion"] = v
			return fmt.Sprintf("%s, %s, reveals: %s: %s", who, v.manner(), count, v.Reason)
		}
	}
	return fmt.Sprintf("%s reveals: %s.", who, count)
}

// drawn notes the seats, to name absent judges later.
func (t *teller) drawn(ctx context.Context, e *program.Drawn, data map[string]any) string {
	p := &panel{judges: make([]onchain.Address, len(e.Seats))}
	t.panels[e.Task] = p
	if t.seats(ctx, e.Task, e.Round) {
		judges := make([]string, len(e.Seats))
		for i := range judges {
			judges[i] = p.judges[i].String()
		}
		data["judges"] = judges
	}
	return fmt.Sprintf("A panel of %d judges is drawn for round %d from slot %d.", len(e.Seats), e.Round, e.Slot)
}

// seats notes the judges of a panel from the account of the case, which keeps those of a void round
// until the next draw.
func (t *teller) seats(ctx context.Context, task onchain.Address, round uint8) bool {
	const _ = uint(6 - voting.Statuses) // does a seventh status keep the seats of the round before?
	c, _, err := t.client.Case(ctx, task)
	if err != nil || c.Round != round && (c.Status != voting.AwaitingDraw || c.Round != round+1) {
		return false // the names are missing, but nothing else
	}
	seats := c.Seats
	if len(seats) == 0 && c.FirstRound == round {
		seats = c.First
	}
	for i, s := range seats {
		t.panel(task).seat(i, s.Judge)
	}
	return true
}

func (t *teller) panel(task onchain.Address) *panel {
	p := t.panels[task]
	if p == nil {
		p = &panel{}
		t.panels[task] = p
	}
	return p
}

// seat notes a judge that acted.
func (p *panel) seat(i int, judge onchain.Address) {
	for len(p.judges) <= i {
		p.judges = append(p.judges, onchain.Address{})
	}
	p.judges[i] = judge
}

func (t *teller) judge(task onchain.Address, seat int) onchain.Address {
	if p := t.panel(task); seat < len(p.judges) {
		return p.judges[seat]
	}
	return onchain.Address{}
}

// upper makes the first letter of a sentence a capital.
func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
