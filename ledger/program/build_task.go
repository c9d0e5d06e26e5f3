package program

import (
	"ojud/ledger/onchain"
)

// CreateTask builds the instruction. id is the creator's Agent.TasksCreated; the task will be at
// Program.Task(creator, id). rules is the version in force.
func (p Program) CreateTask(creator onchain.Address, id uint64, rules uint32, i CreateTask) onchain.Instruction {
	addresses := []onchain.Address{creator, p.config, p.Rules(rules), p.Agent(creator), p.Task(creator, id), p.roster, onchain.SystemProgram()}
	return p.build(&i, p.paid(addresses, i.EngineAgent)...)
}

// SettleByEngine builds the instruction for a task whose terms name another engine.
func (p Program) SettleByEngine(task onchain.Address, t *Task) onchain.Instruction {
	addresses := []onchain.Address{task, p.Agent(t.Creator), p.Agent(t.Worker), p.pot, EngineVerdict(t.Engine, t.EngineGroup, task)}
	return p.build(&SettleByEngine{}, p.paid(addresses, t.EngineAgent)...)
}

// paid appends the agent that gets the fee of another engine, if there is one.
func (p Program) paid(addresses []onchain.Address, agent onchain.Address) []onchain.Address {
	if agent.IsZero() {
		return addresses
	}
	return append(addresses, p.Agent(agent))
}

// Expire builds the instruction; worker is zero when the task has none.
func (p Program) Expire(task, creator, worker onchain.Address) onchain.Instruction {
	addresses := []onchain.Address{p.config, task, p.Agent(creator), p.pot}
	if !worker.IsZero() {
		addresses = append(addresses, p.Agent(worker))
	}
	return p.build(&Expire{}, addresses...)
}
