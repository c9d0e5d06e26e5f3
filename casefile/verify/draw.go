package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/casefile/canon"
	"ojud/voting"
	"ojud/voting/rules"
)

// opening checks that the opening facts belong to this case: the case id is the address that the
// program gives the task of that creator with that id, or a dispute of others by its parties and
// terms. So no exporter can say of a task that it is such a dispute.
func (v *verifier) opening() (int, *fault) {
	t := v.open.Value.Task
	if !isTask(v.domain.Program, t, voting.Key(v.bundle.Case)) {
		return 0, faultAt(inBlob(v.open.Hash, "task.id"), "the case is not the task with that id of that creator, or the dispute of these parties about these terms")
	}
	if t.Creator == t.Worker {
		return 0, faultAt(inBlob(v.open.Hash, "task.worker"), "is the creator")
	}
	if f := numbered(v); f != nil {
		return 0, f
	}
	if f := versions(v); f != nil {
		return 0, f
	}
	for i, hash := range []casefile.Digest{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash} {
		if hash == (casefile.Digest{}) {
			return 0, faultAt(inBlob(v.open.Hash, "task."+documentNames[i]), "is zero: a case has all four documents")
		}
	}
	return 1, nil
}

var documentNames = [...]string{"task_hash", "result_hash", "objection_hash", "counter_hash"}

// isTask reports whether address is that of the Task account for some bump: seeds "task", creator,
// id, or of a dispute of others "dispute", claimant, respondent, hash of the terms. Solana takes
// the first bump that is off the curve; which one it is does not matter here, because all are
// hashes of the same seeds.
func isTask(program voting.Key, t casefile.TaskTerms, address voting.Key) bool {
	seeds := binary.LittleEndian.AppendUint64(append([]byte("task"), t.Creator[:]...), t.ID)
	if t.Prepaid {
		seeds = slices.Concat([]byte("dispute"), t.Worker[:], t.Creator[:], t.TaskHash[:])
	}
	for bump := range 256 {
		b := append(seeds[:len(seeds):len(seeds)], byte(bump))
		b = append(b, program[:]...)
		if sha256.Sum256(append(b, "ProgramDerivedAddress"...)) == address {
			return true
		}
	}
	return false
}

// timing is what the rules of both versions have in common.
func timing(v *verifier) casefile.Timing { return v.open.Value.Rules.Timing() }

// versions checks that the file and all its facts are of the same version.
func versions(v *verifier) *fault {
	version, want := 2, casefile.Format
	if isFirst(v) {
		version, want = 1, casefile.FirstFormat
	}
	if v.bundle.Format != want {
		return faultAt("$.format", "is %q; the rules of the case are those of %q", v.bundle.Format, want)
	}
	if v.outcome.Value.Finish != nil && version == 1 {
		return faultAt(inBlob(v.outcome.Hash, "finish"), "does not fit the rules of version 1")
	}
	for _, r := range v.rounds {
		if d := r.draw.Value; (len(d.Weights) == 0) != (version == 1) {
			return faultAt(inBlob(r.draw.Hash, "weights"), "does not fit the rules of version %d", version)
		}
		if s := r.settle.Value; (s.Golden == nil) != (version == 1) {
			return faultAt(inBlob(r.settle.Hash, "golden"), "does not fit the rules of version %d", version)
		}
	}
	return nil
}

// draw draws every round again.
func (v *verifier) draw() (int, *fault) {
	after := v.open.Value.Slot
	for r, round := range v.rounds {
		due := int64(0)
		if r > 0 {
			after, due = v.rounds[r-1].settle.Value.Slot, v.rounds[r-1].settle.Value.At
		}
		if a := appealOf(v); a != nil && round.number == timing(v).MaxRounds+1 {
			after, due = a.Slot, a.At
		}
		all, err := candidates.Of(round.draw.Value, v.bundle.Blob)
		if err != nil {
			return 0, &fault{path: inBlob(round.draw.Hash, "lists"), detail: err.Error(), cannot: errors.Is(err, casefile.ErrNoBlob)}
		}
		round.draw.Value.Candidates, round.partly = all, false
		v.rounds[r] = round
		if f := v.drawRound(round, after); f != nil {
			return 0, f
		}
		if f := v.drawnInTime(due, round.draw); f != nil {
			return 0, f
		}
	}
	return len(v.rounds), nil
}

// drawnInTime checks that a round was drawn after the one before was settled, or appealed, and
// before its draw_by. When the case opened is in no fact, so nothing can be said of the first.
func (v *verifier) drawnInTime(due int64, draw casefile.Doc[casefile.DrawFact]) *fault {
	if due == 0 {
		return nil
	}
	at := draw.Value.At
	if by := due + int64(timing(v).DrawSeconds); at < due || at >= by {
		return faultAt(inBlob(draw.Hash, "at"), "is %d; the round could be drawn from %d until before %d", at, due, by)
	}
	return nil
}

func (v *verifier) drawRound(r round, after uint64) *fault {
	draw := r.draw
	d, terms, at := draw.Value, timing(v), func(field string) string { return inBlob(draw.Hash, field) }
	seated, least := panelSeats(v, r.number)
	switch {
	case d.PanelSeats != seated || d.MinSeats != least:
		return faultAt(at("panel_seats"), "panel and minimum are not those of the case")
	case d.DrawnSlot < after+uint64(terms.DrawDelaySlots) || d.DrawnSlot > d.Slot:
		return faultAt(at("drawn_slot"), "is %d; it must be at least %d slots after %d, and not after the draw itself (slot %d)", d.DrawnSlot, terms.DrawDelaySlots, after, d.Slot)
	case d.CommitEnds != d.At+int64(terms.CommitSeconds):
		return faultAt(at("commit_ends"), "is not %d s after the draw", terms.CommitSeconds)
	}
	candidates, f := v.candidates(r)
	if f != nil {
		return f
	}
	lot := rules.Lot{Program: v.domain.Program, Task: voting.Key(v.bundle.Case), Round: r.number, DrawnSlot: d.DrawnSlot, SlotHash: voting.Hash(d.SlotHash)}
	seats := make([]voting.Seat, len(d.Seats))
	for i, index := range d.Seats {
		seats[i] = voting.Seat{Index: index, Weight: seatWeight(d, i)}
	}
	if err := rules.Replay(lot.Seed(), candidates, d.PanelSeats, d.MinSeats, seats); err != nil {
		return faultAt(at("seats"), "%v", err)
	}
	if f := heavyEnough(v, r, seats); f != nil {
		return f
	}
	passedOver(v, draw, lot, candidates)
	return nil
}

// heavyEnough checks that a panel of an appeal could reverse the first verdict.
func heavyEnough(v *verifier, r round, seats []voting.Seat) *fault {
	if r.number <= timing(v).MaxRounds {
		return nil
	}
	given, err := givenOf(v)
	weight := uint64(0)
	for _, s := range seats {
		weight += s.Weight
	}
	if err != nil || !rules.Suffices(weight, given.Votes()) {
		return faultAt(inBlob(r.draw.Hash, "seats"), "weigh %d; the votes for the first verdict weigh %d, and an appeal needs half of that", weight, given.Votes())
	}
	return nil
}

// passedOver notes that the draw passed over candidates that are neither parties nor gone: they
// were leaving, or too much of their stake was reserved, if the seats testify truly.
func passedOver(v *verifier, draw casefile.Doc[casefile.DrawFact], lot rules.Lot, candidates []voting.Candidate) {
	d := draw.Value
	for i := range candidates {
		candidates[i].Seat = 0
		if candidates[i].Active {
			candidates[i].Seat = candidates[i].Weight
		}
	}
	all, err := rules.Draw(lot.Seed(), candidates, d.PanelSeats, d.MinSeats)
	same := err == nil && len(all) == len(d.Seats)
	for i := range d.Seats {
		same = same && all[i].Index == d.Seats[i]
	}
	if !same {
		v.report.note(NoteInferred, inBlob(draw.Hash, "seats"), "leave out candidates that were drawn: they were leaving, or too much of their stake was reserved for other cases, if the seats testify truly")
	}
}

// seatWeight is the weight of a seat as the facts of its draw give it.
func seatWeight(d casefile.DrawFact, seat int) uint64 {
	if len(d.Weights) > 0 {
		return uint64(d.Weights[seat])
	}
	for _, c := range d.Candidates {
		if c.Index == d.Seats[seat] {
			return uint64(c.Weight)
		}
	}
	return 0
}

// partiesOf returns the parties of the case with their operators.
func partiesOf(v *verifier) voting.Parties {
	t := v.open.Value.Task
	return voting.Parties{
		Creator: voting.Key(t.Creator), CreatorOperator: voting.Key(t.CreatorOperator),
		Worker: voting.Key(t.Worker), WorkerOperator: voting.Key(t.WorkerOperator),
	}
}

// candidates checks that no judge stands twice and that no party has a seat; in version 1, that no
// party is a candidate. It returns the candidates as package rules draws from them. A candidate
// without a judge is a weight whose judge has left: the draw passes over it.
func (v *verifier) candidates(r round) ([]voting.Candidate, *fault) {
	draw, sat := r.draw, satBefore(v, r.number)
	parties := partiesOf(v)
	judges, peers := map[casefile.Address]bool{}, map[casefile.DID]bool{}
	out := make([]voting.Candidate, 0, len(draw.Value.Candidates))
	for i, c := range draw.Value.Candidates {
		path := inBlob(draw.Hash, fmt.Sprintf("candidates[%d]", i)) // of all, if they are in lists
		left, seated := c.Judge == (casefile.Address{}), slices.Contains(draw.Value.Seats, c.Index)
		switch {
		case !left && (judges[c.Judge] || peers[c.Peer]):
			return nil, faultAt(path, "the judge or its node key stands here twice")
		case left && (isFirst(v) || seated):
			return nil, faultAt(path, "is nobody: a judge that has left has no seat")
		}
		judges[c.Judge], peers[c.Peer] = true, true
		party := rules.Bars(parties, voting.Key(c.Judge), voting.Key(c.Operator))
		if party && (isFirst(v) || seated) {
			return nil, faultAt(path, "is a party of the case, or its operator is")
		}
		if sat[voting.Key(c.Judge)] && seated {
			return nil, faultAt(path, "had a seat in the first panel, and nobody judges a case twice")
		}
		out = append(out, voting.Candidate{
			Index: c.Index, Judge: voting.Key(c.Judge), Peer: voting.Key(c.Peer), Operator: voting.Key(c.Operator),
			Stake: uint64(c.Weight), Weight: uint64(c.Weight), Active: !party && !left && !sat[voting.Key(c.Judge)],
		})
	}
	return out, nil
}

// documents looks at the documents that the opening facts name. One that is missing or cannot be
// read is a fault of the party that wrote it; that it is the named one was checked with its hash.
func (v *verifier) documents() (int, *fault) {
	t := v.open.Value.Task
	count := 0
	for i, d := range []struct {
		name string
		hash casefile.Digest
		read func([]byte) error
	}{
		{"task", t.TaskHash, reads(casefile.ParseTask)}, {"result", t.ResultHash, reads(casefile.ParseResult)},
		{"objection", t.ObjectionHash, reads(casefile.ParseObjection)}, {"counter-objection", t.CounterHash, reads(casefile.ParseCounterObjection)},
	} {
		path := inBlob(v.open.Hash, "task."+documentNames[i])
		content, ok := v.blob(d.hash)
		if !ok {
			v.report.note(NoteMissing, path, "the %s is not in the file", d.name)
			continue
		}
		count++
		if err := d.read(content); err != nil {
			v.report.note(NoteUnreadable, path, "the %s cannot be read: %v", d.name, err)
		}
	}
	return count, nil
}

// reads makes of a parser a test of exact canonical content.
func reads[T any](parse func([]byte) (casefile.Doc[T], error)) func([]byte) error {
	return func(content []byte) error {
		if err := canon.Exact(content, casefile.MaxDocument); err != nil {
			return err
		}
		_, err := parse(content)
		return err
	}
}

// equivocation checks proofs, and that no judge was punished without one.
func (v *verifier) equivocation() (int, *fault) {
	count, f := each[casefile.EquivocationBody](v, v.court().Proof)
	if f != nil {
		return 0, f
	}
	shown := v.shown()
	for _, round := range v.rounds {
		for i, s := range round.settle.Value.Seats {
			key := accused{round.number, s.Judge}
			if shownLater(v, round.number, i) && voting.Result(s.Result) != voting.Equivocated {
				if shown[key] == "" {
					return 0, faultAt(inBlob(v.outcome.Hash, "finish.seats"), "seat %d of round %d equivocated, but the file has no proof", i, round.number)
				}
				delete(shown, key)
			}
			if voting.Result(s.Result) == voting.Equivocated && shown[key] == "" {
				return 0, faultAt(inBlob(round.settle.Hash, fmt.Sprintf("seats[%d].result", i)), "equivocated, but the file has no proof")
			}
			if voting.Result(s.Result) == voting.Equivocated {
				delete(shown, key)
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(shown), func(a, b accused) int { return slices.Compare([]byte(shown[a]), []byte(shown[b])) }) {
		v.report.note(NoteSignedTwice, shown[key], "proves that %s equivocated in round %d; the settlement does not punish it", key.judge, key.round)
	}
	return count, nil
}

// accused is a seat.
type accused struct {
	round uint8
	judge casefile.Address
}

// shown returns the seats that equivocated according to the file, and where: by evidence, or
// because an actor's own chain has two commitments.
func (v *verifier) shown() map[accused]string {
	out := map[accused]string{}
	commits := map[accused]bool{}
	for _, e := range v.order {
		switch b := e.Parsed.(type) {
		case casefile.EquivocationBody:
			out[accused{b.Round, b.Judge}] = v.paths[e.Hash]
		case casefile.CommitBody:
			judge, _ := v.seating.Judge(b.Round, e.Actor)
			if key := (accused{b.Round, judge}); commits[key] {
				out[key] = v.paths[e.Hash]
			}
			commits[accused{b.Round, judge}] = true
		}
	}
	return out
}
