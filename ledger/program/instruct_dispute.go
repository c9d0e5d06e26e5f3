package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// Object rejects a result and posts the creator's bond from its vault. Status: Disputed, for answer_seconds.
//
// Who: the creator. When: in Verification, before the deadline. Errors: NotCreator, WrongStatus, TooLate, MissingHash,
// NotEnoughInVault.
type Object struct{ ObjectionHash voting.Hash }

// Rework takes the objection as fair: the creator's bond goes back and the worker tries again. Status: InProgress, for
// work_seconds.
//
// Who: the worker. When: in Disputed, before the deadline, fewer than max_reworks times. Errors: NotWorker, WrongStatus, TooLate,
// ReworksExhausted.
type Rework struct{}

// CounterObject posts the worker's bond from its vault and opens a case. Status: Judiciary; the Case account, whose rent the
// worker's wallet pays, is in Draw of round 1.
//
// Who: the worker. When: in Disputed, before the deadline. Errors: NotWorker, WrongStatus, TooLate, MissingHash, NotEnoughInVault.
type CounterObject struct{ CounterHash voting.Hash }

// Expire does what time has decided (D6): an unclaimed task ends with a refund; a missed deadline puts the task back on the
// market; a silent creator pays; a silent worker is not paid.
//
// Who: anyone. When: the time of the present status is over. Errors: WrongStatus, TooEarly.
type Expire struct{}

// CloseTask removes a task that is over; its rent goes to the creator's wallet.
//
// Who: anyone. When: status 8 or more; if there was a case, evidence_seconds after the end. Errors: WrongStatus, TooEarly.
type CloseTask struct{}

var _ = []Instruction{(*Object)(nil), (*Rework)(nil), (*CounterObject)(nil), (*Expire)(nil), (*CloseTask)(nil)}

// InstructionName returns "object".
func (*Object) InstructionName() string { return "object" }

// Accounts are what the instruction wants, in order.
func (*Object) Accounts() []AccountRole {
	return roles("creator:s", "config", "creator_agent:w", "task:w")
}

func (i *Object) walk(w *walk) { hash(w, "objection_hash", &i.ObjectionHash) }

// Object builds the instruction.
func (p Program) Object(creator, task solana.PublicKey, i Object) solana.Instruction {
	return p.build(&i, creator, p.config, p.Agent(creator), task)
}

// InstructionName returns "rework".
func (*Rework) InstructionName() string { return "rework" }

// Accounts are what the instruction wants, in order.
func (*Rework) Accounts() []AccountRole {
	return roles("worker:s", "config", "creator_agent:w", "task:w")
}

func (*Rework) walk(*walk) {}

// Rework builds the instruction.
func (p Program) Rework(worker, creator, task solana.PublicKey) solana.Instruction {
	return p.build(&Rework{}, worker, p.config, p.Agent(creator), task)
}

// InstructionName returns "counter_object".
func (*CounterObject) InstructionName() string { return "counter_object" }

// Accounts are what the instruction wants, in order.
func (*CounterObject) Accounts() []AccountRole {
	return roles("worker:sw", "config", "worker_agent:w", "task:w", "case:w", "system")
}

func (i *CounterObject) walk(w *walk) { hash(w, "counter_hash", &i.CounterHash) }

// CounterObject builds the instruction.
func (p Program) CounterObject(worker, task solana.PublicKey, i CounterObject) solana.Instruction {
	return p.build(&i, worker, p.config, p.Agent(worker), task, p.Case(task), solana.SystemProgramID)
}

// InstructionName returns "expire".
func (*Expire) InstructionName() string { return "expire" }

// Accounts are what the instruction wants, in order.
func (*Expire) Accounts() []AccountRole { return roles("task:w", "creator_agent:w", "worker_agent:wo") }

func (*Expire) walk(*walk) {}

// Expire builds the instruction; worker is zero when the task has none.
func (p Program) Expire(task, creator, worker solana.PublicKey) solana.Instruction {
	addresses := []solana.PublicKey{task, p.Agent(creator)}
	if !worker.IsZero() {
		addresses = append(addresses, p.Agent(worker))
	}
	return p.build(&Expire{}, addresses...)
}

// InstructionName returns "close_task".
func (*CloseTask) InstructionName() string { return "close_task" }

// Accounts are what the instruction wants, in order.
func (*CloseTask) Accounts() []AccountRole { return roles("config", "task:w", "wallet:w") }

func (*CloseTask) walk(*walk) {}

// CloseTask builds the instruction.
func (p Program) CloseTask(task, creator solana.PublicKey) solana.Instruction {
	return p.build(&CloseTask{}, p.config, task, creator)
}
