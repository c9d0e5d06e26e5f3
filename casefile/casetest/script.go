package casetest

import (
	"cmp"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/casefile/verify"
	"ojud/voting"
	"ojud/voting/rules"
)

// Act says how a seat behaves in a round.
type Act struct {
	Choice     voting.Choice
	Silent     bool                    // does not commit and testifies to nothing
	Hidden     bool                    // commits and does not reveal
	Equivocate bool                    // signs a second commitment, which another seat shows
	Late       bool                    // the same, but votes, and it is shown only while a void round waits for the next draw
	Ask        bool                    // asks for data before it commits
	Holders    int                     // how many seats after this one answer
	Lies       bool                    // the last of them answers something else
	Held       func(k int) []byte      // the answers are these, about data of an agent
	Fetched    int64                   // when the answers were fetched, as receipts say; 0: now
	Strange    bool                    // strangers answer instead, and the opinion decides by them alone
	Claims     casefile.HolderStanding // what the seat says of all of them; empty: nothing
	Finds      bool                    // finds that the result and the first answer speak to their reader, and says so before its vote

	Run     *runs.Run               // of the task's check 1, that the opinion contains
	Finding *casefile.Finding       // another finding that it contains
	Cites   bool                    // the other finding cites the answers that the seat got
	Opine   func(*casefile.Opinion) // changes the opinion before the judge commits to it

	Family, Dimension string // what the opinion says it judged with
}

// Plan says what the seat with that number, in the order drawn, does.
type Plan func(seat int) Act

// All lets every seat choose the same.
func All(c voting.Choice) Plan { return func(int) Act { return Act{Choice: c} } }

// mixed lets the first seats do as given, in order, and the rest as the last.
func mixed(acts ...Act) Plan { return func(i int) Act { return acts[min(i, len(acts)-1)] } }

// Script is a case: how many judges the roster has and what each round does. A script that does not
// end the case by itself lets it expire.
type Script struct {
	Name      string
	ID        uint64 // of the task, among those of its creator; 0: 7
	Judges    int
	Rounds    []Plan
	Panel     uint8              // seats of the first panel; 0: 28, and nobody can appeal
	Appeal    []Plan             // rounds of the appeal
	Starve    bool               // the loser appeals, and nobody is drawn
	Appellant voting.Key         // appeals instead of the loser: without a bond, unless it is a party
	Term      voting.OnUndecided // of an undecided case; 0: split
	Forge     Forge
	Documents // instead of the usual documents
	// Golden makes the case a golden one: a generator makes its documents, and the leaf is open.
	// Its answer is applied from a golden pot with Pot lamports; 0: it is not applied yet.
	Golden bool
	Pot    uint64
	// PassedOver are candidates of each draw that get no seat.
	PassedOver []casefile.Candidate
}

// Documents are documents of the parties as they write them; an empty one is the usual one.
type Documents struct {
	Task, Result, Objection, Counter string
	Module                           []byte // that the task names
}

// Forge changes facts before all seats testify to them: a panel that lies together. Nil changes
// nothing.
type Forge struct {
	Open    func(*casefile.OpenFact)
	Draw    func(*casefile.DrawFact)
	Settle  func(*casefile.SettleFact)
	Outcome func(*casefile.OutcomeFact)
	Finding func(*casefile.InjectionBody) // before a seat says it
}

// apply runs a change if there is one.
func apply[T any](change func(*T), fact *T) {
	if change != nil {
		change(fact)
	}
}

// Scripts are the endings that a case can have, with 28 seats each.
func Scripts() []Script {
	abstain := mixed(Act{Choice: voting.Abstain}, Act{Choice: voting.Accept}, Act{Silent: true}, Act{Hidden: true, Choice: voting.Accept},
		Act{Choice: voting.Reject}, Act{Choice: voting.Abstain})
	late := mixed(Act{Choice: voting.Abstain}, Act{Choice: voting.Accept, Late: true}, Act{Choice: voting.Abstain})
	reject := All(voting.Reject)
	return []Script{
		{Name: "accept", Judges: voting.MaxSeats, Rounds: []Plan{All(voting.Accept)}},
		{Name: "reject", Judges: voting.MaxSeats, Rounds: []Plan{All(voting.Reject)}},
		{Name: "minority", Judges: voting.MaxSeats, Rounds: []Plan{mixed(Act{Choice: voting.Reject}, Act{Choice: voting.Reject}, Act{Silent: true}, Act{Choice: voting.Abstain},
			Act{Choice: voting.Accept, Hidden: true}, Act{Choice: voting.Accept})}},
		{Name: "equivocation", Judges: voting.MaxSeats, Rounds: []Plan{mixed(Act{Choice: voting.Accept, Equivocate: true}, Act{Choice: voting.Accept})}},
		{Name: "second", Judges: 40, Rounds: []Plan{abstain, All(voting.Accept)}},
		{Name: "undecided", Judges: voting.MaxSeats, Rounds: []Plan{abstain, abstain}},
		{Name: "late", Judges: voting.MaxSeats, Rounds: []Plan{late, abstain}},
		{Name: "expired", Judges: voting.MaxSeats, Rounds: []Plan{abstain}},
		{Name: "data", Judges: voting.MaxSeats, Rounds: []Plan{mixed(Act{Choice: voting.Accept, Ask: true, Holders: 2, Finds: true}, Act{Choice: voting.Accept, Ask: true, Holders: 2, Lies: true},
			Act{Choice: voting.Abstain, Ask: true}, Act{Choice: voting.Accept, Ask: true, Holders: 1, Finds: true})}},
		{Name: "not appealed", Judges: voting.MaxSeats, Panel: 7, Rounds: []Plan{All(voting.Accept)}},
		{Name: "reversed", Judges: voting.MaxSeats, Panel: 7, Rounds: []Plan{mixed(Act{Choice: voting.Accept}, Act{Choice: voting.Accept}, Act{Choice: voting.Reject})}, Appeal: []Plan{All(voting.Accept)}},
		{Name: "confirmed", Judges: voting.MaxSeats, Panel: 7, Rounds: []Plan{reject}, Appeal: []Plan{mixed(Act{Choice: voting.Accept}, Act{Silent: true}, Act{Choice: voting.Reject})}},
		{Name: "appealed in vain", Judges: voting.MaxSeats, Panel: 7, Rounds: []Plan{abstain, reject}, Appeal: []Plan{abstain, abstain}},
		{Name: "appeal expired", Judges: voting.MaxSeats, Panel: 7, Rounds: []Plan{reject}, Appeal: []Plan{abstain}},
		{Name: "starved", Judges: voting.MaxSeats, Panel: 7, Rounds: []Plan{reject}, Starve: true},
	}
}

// Build plays a script to its end.
func Build(s Script) (*World, error) {
	w, err := newWorld(s)
	if err != nil {
		return nil, fmt.Errorf("casetest: %s: %w", s.Name, err)
	}
	if s.Panel > 0 {
		w.Rules.PanelSeats, w.Rules.Reversal, w.Rules.AppealSeconds = s.Panel, 20, 3600
	}
	f := casefile.OpenFact{Stamp: w.stamp("open"), Task: w.terms, Rules: casefile.RulesOf(w.Rules)}
	apply(w.script.Forge.Open, &f)
	opened, err := casefile.NewOpen(f)
	if err != nil {
		return nil, fmt.Errorf("casetest: %s: %w", s.Name, err)
	}
	open := casefile.FactBody{Facts: w.Store.Keep(opened.Raw)}
	var r *round
	for i, plan := range s.Rounds {
		if r, err = w.play(uint8(i+1), plan, open); err != nil {
			return nil, fmt.Errorf("casetest: %s: round %d: %w", s.Name, i+1, err)
		}
	}
	if s.Panel > 0 {
		if r.end.Status == voting.AwaitingDraw { // the next round is not drawn: that can be appealed
			w.now, w.slot = w.now+int64(w.Rules.DrawSeconds), w.slot+4500
			r.end.Status, r.end.Verdict = voting.Appealable, voting.Undecided
		}
		if r, err = w.second(s, r, open); err != nil {
			return nil, fmt.Errorf("casetest: %s: appeal: %w", s.Name, err)
		}
		return w, w.finish(r)
	}
	if r.end.Status == voting.AwaitingDraw {
		if err := w.expire(r); err != nil {
			return nil, fmt.Errorf("casetest: %s: %w", s.Name, err)
		}
	}
	return w, w.finish(r)
}

// File builds a script and exports the bundle.
func File(s Script) ([]byte, error) {
	w, err := Build(s)
	if err != nil {
		return nil, err
	}
	return w.Export()
}

// Export writes the bundle, sealed by the node of the first judge.
func (w *World) Export() ([]byte, error) {
	file, _, err := casefile.Export(w.Log, w.Store, verify.Panels(w.Seen), w.Golden.Leaf, w.Judges[0].Key, w.now)
	return file, err
}

// stamp begins a fact document at the world's slot.
func (w *World) stamp(tx string) casefile.Stamp {
	return casefile.Stamp{
		Network: casefile.Digest(w.Domain.Network), Program: casefile.Address(w.Domain.Program), Case: casefile.Address(w.Task),
		Slot: w.slot, Tx: txID(tx),
	}
}

// expire ends a case of which no further round is drawn.
func (w *World) expire(r *round) error {
	w.now += int64(w.Rules.DrawSeconds)
	w.slot += 4500
	end, err := rules.Expire(rules.RoundEnd{
		Law: rules.LawOf(w.Rules), Round: r.number + 1, Seats: r.seats, Standings: w.standings(r.seats), Terms: w.Terms(),
	})
	w.ended(end, "expire")
	return err
}

// ended writes down what became of the task.
func (w *World) ended(end rules.Settlement, tx string) {
	const _ = uint(6 - voting.Statuses) // a seventh status needs its task status
	w.outcome = casefile.OutcomeFact{
		Stamp: w.stamp(tx), Status: casefile.TaskComplete, Outcome: casefile.TaskOutcome(end.Outcome), Resolution: casefile.ByVerdict, At: w.now,
	}
	if end.Status == voting.EndedUndecided {
		w.outcome.Status, w.outcome.Resolution = casefile.TaskUndecided, casefile.ByUndecided
	}
	for _, side := range []struct {
		party rules.Party
		to    casefile.Address
	}{{rules.Worker, w.terms.Worker}, {rules.Creator, w.terms.Creator}, {rules.Pot, casefile.Address{}}} { // as the program pays: the worker first
		for _, p := range end.Payments {
			if p.To == side.party {
				w.outcome.Payments = append(w.outcome.Payments, casefile.Payment{To: side.to, Kind: casefile.PaymentKind(p.Kind), Amount: casefile.Amount(p.Amount), Tx: txID(tx)})
			}
		}
	}
	slices.SortStableFunc(w.outcome.Payments, func(a, b casefile.Payment) int { return cmp.Compare(a.Kind, b.Kind) })
}

// finish lets the seats of the last round testify to the outcome.
func (w *World) finish(r *round) error {
	apply(w.script.Forge.Outcome, &w.outcome)
	outcome, err := casefile.NewOutcome(w.outcome)
	if err != nil {
		return err
	}
	if err := w.all(r, casefile.KindOutcome, casefile.FactBody{Facts: w.Store.Keep(outcome.Raw)}); err != nil {
		return err
	}
	return w.apply(r)
}
