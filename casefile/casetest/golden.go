package casetest

import (
	"encoding/json"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/leaf"
	"ojud/golden/generator"
	"ojud/voting"
	"ojud/voting/rules"
)

// Golden is the leaf of a golden case.
type Golden struct {
	Leaf json.RawMessage // the part of the file; nil: an ordinary case
	open *leaf.Leaf
}

// golden gives the case the documents and the seal of a leaf.
func (w *World) golden() error {
	g, err := generator.Of(generator.Arithmetic)
	if err != nil {
		return err
	}
	seed := [32]byte(Key("golden seed"))
	d, err := g.Make(seed)
	if err != nil {
		return err
	}
	if err := w.documents(Documents{Task: string(d.Task)}); err != nil {
		return err
	}
	w.terms.ResultHash, w.terms.ObjectionHash, w.terms.CounterHash = w.Store.Keep(d.Result), w.Store.Keep(d.Objection), w.Store.Keep(d.Counter)
	w.Golden.open = &leaf.Leaf{Batch: 4, Index: 1, Answer: casefile.Choice(d.Answer), Generator: casefile.Digest(g.Version()), Seed: seed, Tx: txID("open leaf")}
	w.terms.Seal = casefile.Digest(w.Golden.open.Golden(casefile.Address(w.Task), w.terms).Hash())
	return nil
}

// apply pays the seats of a panel by the answer, from a golden pot.
func (w *World) apply(r *round) (err error) {
	if w.Golden.open == nil {
		return nil
	}
	w.Golden.open.At = w.now + 60
	if w.script.Pot > 0 {
		end, err := rules.LawOf(w.Rules).Golden(rules.GoldenEnd{
			Reward: uint64(w.terms.Reward), Answer: voting.Choice(w.Golden.open.Answer), Seats: r.seats, Standings: w.standings(r.seats), Pot: w.script.Pot,
		})
		if err != nil {
			return fmt.Errorf("casetest: the answer: %w", err)
		}
		a := &leaf.Applied{Fee: 28_000_000, Tx: txID("apply leaf"), At: w.now + 600}
		for _, e := range end.Seats {
			a.Taken, a.Paid = a.Taken+casefile.Amount(e.Slashed), a.Paid+casefile.Amount(e.Earned)
			a.Seats = append(a.Seats, leaf.Moved{Slashed: casefile.Amount(e.Slashed), Earned: casefile.Amount(e.Earned)})
		}
		w.Golden.open.Applied = a
	}
	w.Golden.Leaf, err = w.Golden.open.Encode()
	return err
}
