package record

import (
	"ojud/casefile"
	"ojud/ledger/program"
)

// dispute builds the facts of the opening of a dispute of others, which has no escrow and no bonds.
// The step that made it says what was paid for the panel.
func (h history) dispute(at occurrence) (casefile.Doc[casefile.OpenFact], error) {
	brought, _, err := last(h, func(e *program.TaskMoved) bool { return e.From == 0 && e.To == program.Judiciary })
	if err != nil {
		return casefile.Doc[casefile.OpenFact]{}, err
	}
	t := h.terms
	return casefile.NewOpen(casefile.OpenFact{
		Stamp: h.stamp(at),
		Task: casefile.TaskTerms{
			Creator: casefile.Address(t.Creator), Worker: casefile.Address(t.Worker), WorkerOperator: casefile.Address(t.WorkerOperator),
			TaskHash: casefile.Digest(t.TaskHash), ResultHash: casefile.Digest(t.ResultHash),
			ObjectionHash: casefile.Digest(t.ObjectionHash), CounterHash: casefile.Digest(t.CounterHash),
			Reward: casefile.Amount(t.Reward), WorkerBond: casefile.Amount(brought.Amount), OnUndecided: casefile.OnUndecided(t.OnUndecided), Prepaid: true,
			SubmittedAt: t.CreatedAt,
		},
		Rules: casefile.RulesOf(h.look.Rules),
	})
}
