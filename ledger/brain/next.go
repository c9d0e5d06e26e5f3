package brain

import (
	"fmt"

	"ojud/ledger/onchain"
)

// Next builds the instruction by which anybody carries a task on, and says what it does. Now is the
// chain's time, in Unix seconds; verdict is that of the task's dispute, and near are the near
// classes of its class. If nobody can carry it on, it says why.
func (p Megabrain) Next(at onchain.Address, t *TaskAccount, verdict onchain.Address, near []onchain.Address, now int64) (onchain.Instruction, string, error) {
	class, over := t.Parties.Class, now >= t.Clock.Deadline
	switch {
	case t.Status >= Settled:
		return onchain.Instruction{}, "", fmt.Errorf("the task is over: it is %s", t.Status)
	case t.Status == Ready || t.Status == Posted && over:
		return p.SettleTask(class, at), "settle the task", nil
	case t.Status == Disputed:
		return p.ResolveDispute(class, at, verdict, t.Disputant), "end the dispute by the court's verdict", nil
	case !over && (t.Status == DrawWorkers || t.Status == DrawEvaluators):
		return p.Draw(class, at, near), "draw whom the task waits for", nil
	case over:
		return p.Advance(class, at), "end the phase in which " + t.Status.String(), nil
	}
	return onchain.Instruction{}, "", fmt.Errorf("%s: this phase lasts %d more seconds", t.Status, t.Clock.Deadline-now)
}
