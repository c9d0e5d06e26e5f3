package verify

import (
	"errors"
	"fmt"
	"math"

	"ojud/casefile/leaf"
	"ojud/voting"
	"ojud/voting/rules"
)

// openLeaf checks the open leaf of a golden case: its hash is the seal of the task, which the seats
// testified before anybody knew the answer, and it moved what the rules say. A generator that says
// something else is the fault of the proctor, and is noted.
func openLeaf(v *verifier) (int, *fault) {
	if len(v.bundle.Leaf) == 0 {
		return 0, nil
	}
	l, err := leaf.Parse(v.bundle.Leaf)
	if err != nil {
		return 0, faultAt("$.leaf", "%v", err)
	}
	terms := v.open.Value.Task
	whole := l.Golden(v.bundle.Case, terms)
	if whole.Hash() != voting.Hash(terms.Seal) {
		return 0, faultAt("$.leaf.seed", "leaf and documents have the hash %s; the seal of the task is %s", whole.Hash(), terms.Seal)
	}
	switch why, untrue, err := again(whole); {
	case errors.Is(err, errNoEngine):
		return 0, &fault{path: "$.leaf", detail: err.Error(), cannot: true}
	case err == nil:
		v.report.note(NoteGolden, "$.leaf", "batch %d committed to %s, which is right: %s", l.Batch, whole.Answer, why)
	case untrue:
		v.report.note(NoteGolden, "$.leaf", "batch %d committed to an answer that is FALSE: %v", l.Batch, err)
	default:
		v.report.note(NoteGolden, "$.leaf", "batch %d committed to %s; this program cannot run its generator: %v", l.Batch, whole.Answer, err)
	}
	if l.Applied == nil {
		v.report.note(NoteGolden, "$.leaf", "no money has moved by the answer yet")
		return 1, nil
	}
	return 1, applied(v, l, whole.Answer)
}

// applied checks what an answer moved. The golden pot is in no file, so a right seat may have got
// less than its gain, if every other right seat got no more. A seat whose judge left got nothing,
// and a wrong one may have had less stake than it should lose.
func applied(v *verifier, l leaf.Leaf, answer voting.Choice) *fault {
	at := func(i int, field string) string { return fmt.Sprintf("$.leaf.applied.seats[%d].%s", i, field) }
	if isFirst(v) {
		return faultAt("$.leaf", "version 1 has no golden cases")
	}
	first, appeal := levelsOf(v)
	var seats []voting.Seat
	for _, level := range [][]round{first, appeal} {
		if len(level) > 0 {
			seats = append(seats, lateSeats(v, level[len(level)-1])...)
		}
	}
	said := *l.Applied
	if len(said.Seats) != len(seats) {
		return faultAt("$.leaf.applied.seats", "has %d seats; the panels had %d", len(said.Seats), len(seats))
	}
	law := rules.LawOf(v.open.Value.Rules.Second.Rules())
	due, err := law.Golden(rules.GoldenEnd{Reward: uint64(v.open.Value.Task.Reward), Answer: answer, Seats: seats, Standings: rich(len(seats)), Pot: math.MaxInt64})
	if err != nil {
		return faultAt("$.leaf.applied", "%v", err)
	}
	least, most, taken, paid := uint64(math.MaxUint64), uint64(0), uint64(0), uint64(0)
	for i, s := range said.Seats {
		slashed, earned := uint64(s.Slashed), uint64(s.Earned)
		switch want := due.Seats[i]; {
		case slashed > want.Slashed:
			return faultAt(at(i, "slashed"), "is %d; the vote could lose %d at most", slashed, want.Slashed)
		case earned > want.Earned:
			return faultAt(at(i, "earned"), "is %d; the vote could earn %d at most", earned, want.Earned)
		case slashed < want.Slashed:
			v.report.note(NoteInferred, at(i, "slashed"), "is %d of %d: the judge had no more stake, if the exporter is right", slashed, want.Slashed)
		case earned > 0 && earned < want.Earned: // an equal part of a small pot
			least = min(least, earned)
		}
		most, taken, paid = max(most, earned), taken+slashed, paid+earned
	}
	switch {
	case most > least:
		return faultAt("$.leaf.applied.seats", "one right seat earned %d, and another one %d of a larger gain: a small pot is shared equally", most, least)
	case taken != uint64(said.Taken):
		return faultAt("$.leaf.applied.taken", "is %d; the seats lost %d", said.Taken, taken)
	case paid != uint64(said.Paid):
		return faultAt("$.leaf.applied.paid", "is %d; the seats earned %d", said.Paid, paid)
	}
	v.report.note(NoteGolden, "$.leaf.applied", "the wrong votes lost %d lamports by it, the right ones earned %d, and the proctor %d", taken, paid, said.Fee)
	return nil
}
