package casetest

import (
	"crypto/ed25519"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/casefile/demand"
	"ojud/voting"
	"ojud/voting/rules"
)

// round is one round as it was played.
type round struct {
	number   uint8
	seats    []voting.Seat
	acts     []Act
	openings []voting.Opening
	data     []*casefile.DataBody // nil: the seat asked for none
	end      rules.Settlement
}

// play draws, commits, reveals and settles a round.
func (w *World) play(number uint8, plan Plan, open casefile.FactBody) (*round, error) {
	r := &round{number: number}
	draw, err := w.drawRound(r)
	if err != nil {
		return nil, err
	}
	r.openings, r.data = make([]voting.Opening, len(r.seats)), make([]*casefile.DataBody, len(r.seats))
	for i := range r.seats {
		r.acts = append(r.acts, plan(i))
		w.Log.Seat(number, r.seats[i].Peer, r.seats[i].Judge)
	}
	for i := range r.seats {
		if err := w.act(r, i, open, draw); err != nil {
			return nil, fmt.Errorf("seat %d: %w", i, err)
		}
	}
	return r, w.settle(r)
}

// drawRound seats the panel and writes the facts of the draw.
func (w *World) drawRound(r *round) (casefile.Digest, error) {
	w.slot += 5
	w.now += 2
	panel, least := w.panel()
	lot := rules.Lot{Program: w.Domain.Program, Task: w.Task, Round: r.number, DrawnSlot: w.slot - 3, SlotHash: voting.Hash(Key("slot:%d", r.number))}
	f := casefile.DrawFact{
		Stamp: w.stamp(fmt.Sprint("draw", r.number)), Round: r.number, DrawnSlot: lot.DrawnSlot, SlotHash: casefile.Digest(lot.SlotHash),
		PanelSeats: panel, MinSeats: least, CommitEnds: w.now + int64(w.Rules.CommitSeconds), At: w.now,
	}
	var eligible []voting.Candidate
	for i, j := range w.Judges {
		c := voting.Candidate{Index: uint16(i), Judge: j.Authority, Peer: j.Peer(), Stake: j.Stake, Weight: min(j.Stake, 10_000_000_000), Seat: min(j.Stake, 10_000_000_000), Active: true}
		if w.satFirst(j.Authority) {
			c.Seat, c.Active = 0, false
		}
		eligible = append(eligible, c)
		f.Candidates = append(f.Candidates, casefile.Candidate{
			Index: c.Index, Judge: casefile.Address(c.Judge), Peer: casefile.DID(c.Peer), Weight: casefile.Amount(c.Weight),
		})
	}
	for _, c := range w.script.PassedOver {
		eligible = append(eligible, voting.Candidate{Index: c.Index, Judge: voting.Key(c.Judge), Stake: uint64(c.Weight), Weight: uint64(c.Weight)})
		f.Candidates = append(f.Candidates, c)
	}
	var err error
	if r.seats, err = rules.Draw(lot.Seed(), eligible, panel, least); err != nil {
		return casefile.Digest{}, err
	}
	for _, s := range r.seats {
		f.Seats, f.Weights = append(f.Seats, s.Index), append(f.Weights, casefile.Amount(s.Weight))
	}
	apply(w.script.Forge.Draw, &f)
	doc, lists, err := candidates.Draw(f)
	if err != nil {
		return casefile.Digest{}, err
	}
	for _, list := range lists {
		w.Store.Keep(list)
	}
	return w.Store.Keep(doc.Raw), nil
}

// act lets one seat do what its plan says.
func (w *World) act(r *round, i int, open casefile.FactBody, draw casefile.Digest) error {
	s, act := &r.seats[i], r.acts[i]
	if act.Silent {
		return nil
	}
	key := w.keyOf(s.Judge)
	if !w.sat[s.Judge] {
		w.sat[s.Judge] = true
		if _, err := w.Log.Append(key, casefile.KindOpen, open, w.now); err != nil {
			return err
		}
	}
	if _, err := w.Log.Append(key, casefile.KindDraw, casefile.RoundFactBody{Round: r.number, Facts: draw}, w.now); err != nil {
		return err
	}
	if err := w.commit(r, i, key); err != nil {
		return err
	}
	if act.Equivocate {
		return w.equivocate(r, i, voting.Committing)
	}
	if act.Hidden {
		return nil
	}
	return w.vote(r, i, key)
}

// commit writes the opinion and commits to it.
func (w *World) commit(r *round, i int, key ed25519.PrivateKey) error {
	s := &r.seats[i]
	receipts, accessed, err := w.ask(r, i)
	if err != nil {
		return err
	}
	root, err := casefile.Receipts(receipts)
	if err != nil {
		return err
	}
	thought := Opinion(w.Task, r.number, s.Judge, r.acts[i].Choice)
	thought.DataAccessed, thought.Family, thought.Dimension = accessed, r.acts[i].Family, r.acts[i].Dimension
	if thought.Findings, err = w.steered(r, i, thought.Findings); err != nil {
		return err
	}
	if run := r.acts[i].Run; run != nil {
		thought.Findings = append(thought.Findings, casefile.Finding{Check: "specification/expected[1]", Outcome: casefile.OutcomeOf(run.Said), Evidence: []string{}, Run: run})
	}
	if f := r.acts[i].Finding; f != nil {
		cites, err := cited(*f, receipts, r.acts[i].Cites)
		if err != nil {
			return err
		}
		thought.Findings = append(thought.Findings, cites)
	}
	if change := r.acts[i].Opine; change != nil {
		change(&thought)
	}
	opinion, err := casefile.NewOpinion(thought)
	if err != nil {
		return err
	}
	r.openings[i] = voting.Opening{
		Choice: r.acts[i].Choice, Opinion: voting.Hash(w.Store.Keep(opinion.Raw)), Receipts: root,
		Salt: voting.Hash(Key("salt:%d:%x", r.number, s.Judge)),
	}
	s.Commitment, s.Committed = w.Domain.Commitment(w.Task, r.number, s.Judge, r.openings[i]), true
	body := casefile.CommitBody{Round: r.number, Commitment: casefile.Digest(s.Commitment), Statement: w.statement(r.number, *s, s.Commitment)}
	_, err = w.Log.Append(key, casefile.KindCommit, body, w.now)
	return err
}

// vote reveals.
func (w *World) vote(r *round, i int, key ed25519.PrivateKey) error {
	s := &r.seats[i]
	s.Choice, s.Revealed = r.acts[i].Choice, true
	accessed, err := w.testifyData(r, i, key)
	if err != nil {
		return err
	}
	vote, err := casefile.NewVote(w.Domain, key, casefile.Ballot{
		Task: w.Task, Round: r.number, Judge: s.Judge, Opening: r.openings[i], Model: casefile.CodeChecks, DataAccessed: accessed,
	})
	if err != nil {
		return err
	}
	body := casefile.OpinionBody{Round: r.number, Opinion: casefile.Digest(r.openings[i].Opinion)}
	if _, err := w.Log.Append(key, casefile.KindOpinion, body, w.now); err != nil {
		return err
	}
	if err := w.testifyInjections(r, i, key); err != nil {
		return err
	}
	_, err = w.Log.Append(key, casefile.KindVote, casefile.VoteBody{Round: r.number, Vote: vote.Value}, w.now)
	return err
}

// equivocate lets the last seat show that this one signed two commitments, and slashes it.
func (w *World) equivocate(r *round, i int, status voting.Status) error {
	s := &r.seats[i]
	other := voting.Hash(Key("other"))
	body := casefile.EquivocationBody{
		Round: r.number, Judge: casefile.Address(s.Judge), Peer: casefile.DID(s.Peer),
		A: casefile.Statement{Commitment: casefile.Digest(s.Commitment), Signature: w.statement(r.number, *s, s.Commitment)},
		B: casefile.Statement{Commitment: casefile.Digest(other), Signature: w.statement(r.number, *s, other)},
	}
	last := r.seats[len(r.seats)-1]
	open, err := w.Log.Append(w.keyOf(last.Judge), casefile.KindEquivocation, body, w.now)
	if err != nil {
		return fmt.Errorf("%s: %w", open.Kind, err)
	}
	p, err := rules.SlashEquivocation(status, r.seats, i, w.standings(r.seats)[i])
	if err != nil {
		return err
	}
	s.Equivocated = true
	w.stakes[s.Judge] -= p.Amount
	return nil
}

// settle settles the round and lets the seats testify to it.
func (w *World) settle(r *round) error {
	const _ = uint(6 - voting.Statuses) // does a seventh status end the case?
	w.now += int64(w.Rules.CommitSeconds + w.Rules.RevealSeconds)
	w.slot += 1500
	in := rules.RoundEnd{Law: rules.LawOf(w.Rules), Round: r.number, Seats: r.seats, Standings: w.standings(r.seats), Terms: w.Terms()}
	compute := rules.Settle
	if w.Rules.AppealSeconds > 0 {
		compute = w.close
	}
	end, err := compute(in)
	if err != nil {
		return err
	}
	r.end = end
	golden := casefile.Amount(end.Golden)
	tx := fmt.Sprint("settle", r.number)
	f := casefile.SettleFact{
		Stamp: w.stamp(tx), Round: r.number, Verdict: casefile.Verdict(end.Verdict), Accept: casefile.Amount(end.Tally.Accept),
		Reject: casefile.Amount(end.Tally.Reject), Abstain: casefile.Amount(end.Tally.Abstain), Seated: casefile.Amount(end.Tally.Seated),
		Bond: casefile.Amount(end.Bond), Golden: &golden, At: w.now,
	}
	for i := range r.seats {
		s := &r.seats[i]
		s.Result = end.Seats[i].Result
		w.stakes[s.Judge] -= end.Seats[i].Slashed
		f.Seats = append(f.Seats, casefile.SeatEnd{
			Judge: casefile.Address(s.Judge), Choice: casefile.Choice(s.Choice), Commitment: casefile.Digest(s.Commitment),
			Result: casefile.SeatResult(s.Result), Slashed: casefile.Amount(end.Seats[i].Slashed), Earned: casefile.Amount(end.Seats[i].Earned),
		})
	}
	if r.number <= w.Rules.MaxRounds {
		clear(w.drawn)
	}
	for i := range r.seats {
		if r.number <= w.Rules.MaxRounds {
			w.drawn[r.seats[i].Judge] = true
		}
	}
	if end.Status != voting.AwaitingDraw && w.Rules.AppealSeconds == 0 {
		w.ended(end, tx)
	}
	if err := w.testify(r, f); err != nil || end.Status != voting.AwaitingDraw {
		return err
	}
	return w.late(r)
}

// late shows what came to light only after a void round was settled.
func (w *World) late(r *round) error {
	for i, act := range r.acts {
		if !act.Late {
			continue
		}
		if err := w.equivocate(r, i, voting.AwaitingDraw); err != nil {
			return err
		}
		r.seats[i].Result = voting.Equivocated
	}
	return nil
}

// testify lets the seats name the settlement.
func (w *World) testify(r *round, f casefile.SettleFact) error {
	apply(w.script.Forge.Settle, &f)
	doc, err := casefile.NewSettle(f)
	if err != nil {
		return err
	}
	return w.all(r, casefile.KindSettle, casefile.RoundFactBody{Round: r.number, Facts: w.Store.Keep(doc.Raw)})
}

// all lets every seat that is not silent append an event.
func (w *World) all(r *round, kind casefile.Kind, body casefile.Form) error {
	for i, s := range r.seats {
		if r.acts[i].Silent {
			continue
		}
		if _, err := w.Log.Append(w.keyOf(s.Judge), kind, body, w.now); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) standings(seats []voting.Seat) []rules.Standing {
	out := make([]rules.Standing, len(seats))
	for i, s := range seats {
		out[i] = rules.Standing{Present: true, Stake: w.stakes[s.Judge]}
	}
	return out
}

// statement signs a commitment for a seat.
func (w *World) statement(round uint8, s voting.Seat, commitment voting.Hash) casefile.Signature {
	return casefile.Signature(ed25519.Sign(w.keyOf(s.Judge), w.Domain.Statement(w.Task, round, s.Judge, commitment)))
}

func (w *World) keyOf(authority voting.Key) ed25519.PrivateKey {
	i := slices.IndexFunc(w.Judges, func(j Judge) bool { return j.Authority == authority })
	return w.Judges[i].Key // seats are drawn from the judges
}

// Opinion is an opinion of the usual size.
func Opinion(task voting.Key, round uint8, judge voting.Key, choice voting.Choice) casefile.Opinion {
	o := casefile.Opinion{
		Case: casefile.Address(task), Round: round, Judge: casefile.Address(judge), Choice: casefile.Choice(choice),
		Summary: "The result was compared with the task by code alone.", Model: casefile.CodeChecks, DataAccessed: []casefile.Access{}, Checks: demand.Version,
	}
	for _, check := range []string{"specification/result", "specification/schema", "specification/expected[0]", "objection/1"} {
		o.Findings = append(o.Findings, casefile.Finding{
			Check: check, Outcome: casefile.Pass, Detail: "3 lines at /text, as the task demands", Evidence: []string{"result:/text"},
		})
	}
	return o
}
