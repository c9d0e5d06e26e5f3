package program

import (
	"ojud/ledger/onchain"
)

// CreateTask builds the instruction. id is the creator's Agent.TasksCreated; the task will be at
// Program.Task(creator, id). rules is the version in force.
func (p Program) CreateTask(creator onchain.Address, id uint64, rules uint32, i CreateTask) onchain.Instruction {
	return p.build(&i, creator, p.config, p.Rules(rules), p.Agent(creator), p.Task(creator, id), p.roster, onchain.SystemProgram())
}

// Expire builds the instruction; worker is zero when the task has none.
func (p Program) Expire(task, creator, worker onchain.Address) onchain.Instruction {
	addresses := []onchain.Address{task, p.Agent(creator), p.pot}
	if !worker.IsZero() {
		addresses = append(addresses, p.Agent(worker))
	}
	return p.build(&Expire{}, addresses...)
}
