package brain

import (
	"fmt"

	"ojud/ledger/onchain"
)

// Around is what stands around a task, and what carrying it on may need: the verdict of its
// dispute, and the near classes and the creator of its class.
type Around struct {
	Verdict, Creator onchain.Address
	Near             []onchain.Address
}

// Next builds the instruction by which anybody carries a task on, and says what it does. Now is the
// chain's time, in Unix seconds. If nobody can carry it on, it says why.
func (p Megabrain) Next(at onchain.Address, t *TaskAccount, by Around, now int64) (onchain.Instruction, string, error) {
	class, over := t.Parties.Class, now >= t.Clock.Deadline
	_, claimant, dispute := t.InCourt()
	switch {
	case dispute:
		return p.ResolveDispute(class, at, by.Verdict, claimant), "end the dispute by the court's verdict", nil
	case t.Open() && over:
		return p.EndGolden(class, at, by.Creator), "end the golden task", nil
	case t.Open():
		return onchain.Instruction{}, "", fmt.Errorf("who failed the golden task may appeal for %d more seconds", t.Clock.Deadline-now)
	case t.Status >= Settled:
		return onchain.Instruction{}, "", fmt.Errorf("the task is over: it is %s", t.Status)
	case t.Status == Ready || t.Status == Posted && over:
		return p.SettleTask(class, at), "settle the task", nil
	case !over && (t.Status == DrawWorkers || t.Status == DrawEvaluators):
		return p.Draw(class, at, by.Near), "draw whom the task waits for", nil
	case over:
		return p.Advance(class, at), "end the phase \"" + t.Status.String() + "\"", nil
	}
	return onchain.Instruction{}, "", fmt.Errorf("%s: this phase lasts %d more seconds", t.Status, t.Clock.Deadline-now)
}
