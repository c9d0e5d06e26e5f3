package program

import (
	"ojud/ledger/onchain"
)

// CreateTask builds the instruction. id is the creator's Agent.TasksCreated; the task will be at
// Program.Task(creator, id).
func (p Program) CreateTask(creator onchain.Address, id uint64, i CreateTask) onchain.Instruction {
	return p.build(&i, creator, p.config, p.Agent(creator), p.Task(creator, id), onchain.SystemProgram())
}

// CancelTask builds the instruction.
func (p Program) CancelTask(creator, task onchain.Address) onchain.Instruction {
	return p.build(&CancelTask{}, creator, p.Agent(creator), task)
}

// ClaimTask builds the instruction.
func (p Program) ClaimTask(worker, creator, task onchain.Address, i ClaimTask) onchain.Instruction {
	return p.build(&i, worker, p.Agent(creator), p.Agent(worker), task)
}

// StartTask builds the instruction.
func (p Program) StartTask(worker, task onchain.Address) onchain.Instruction {
	return p.build(&StartTask{}, worker, task)
}

// SubmitResult builds the instruction.
func (p Program) SubmitResult(worker, task onchain.Address, i SubmitResult) onchain.Instruction {
	return p.build(&i, worker, task)
}

// OpenVerification builds the instruction.
func (p Program) OpenVerification(task onchain.Address) onchain.Instruction {
	return p.build(&OpenVerification{}, p.config, task)
}

// Accept builds the instruction.
func (p Program) Accept(creator, worker, task onchain.Address) onchain.Instruction {
	return p.build(&Accept{}, creator, p.Agent(creator), p.Agent(worker), task)
}

// Object builds the instruction.
func (p Program) Object(creator, task onchain.Address, i Object) onchain.Instruction {
	return p.build(&i, creator, p.config, p.Agent(creator), task)
}

// Rework builds the instruction.
func (p Program) Rework(worker, creator, task onchain.Address) onchain.Instruction {
	return p.build(&Rework{}, worker, p.config, p.Agent(creator), task)
}

// CounterObject builds the instruction.
func (p Program) CounterObject(worker, task onchain.Address, i CounterObject) onchain.Instruction {
	return p.build(&i, worker, p.config, p.Agent(worker), task, p.Case(task), onchain.SystemProgram())
}

// Expire builds the instruction; worker is zero when the task has none.
func (p Program) Expire(task, creator, worker onchain.Address) onchain.Instruction {
	addresses := []onchain.Address{task, p.Agent(creator)}
	if !worker.IsZero() {
		addresses = append(addresses, p.Agent(worker))
	}
	return p.build(&Expire{}, addresses...)
}

// CloseTask builds the instruction.
func (p Program) CloseTask(task, creator onchain.Address) onchain.Instruction {
	return p.build(&CloseTask{}, p.config, task, creator)
}
