package program

import (
	"encoding/binary"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// Program names one deployment of the oju program and derives the addresses of its accounts
// (protocol section 4).
type Program struct {
	id     onchain.Address
	config onchain.Address
	roster onchain.Address
	pot    onchain.Address
}

// New names the program at an address.
func New(id onchain.Address) Program {
	p := Program{id: id}
	p.config = p.derive([]byte("config"))
	p.roster = p.derive([]byte("roster"))
	p.pot = p.derive([]byte("pot"))
	return p
}

// ID is the program's address.
func (p Program) ID() onchain.Address { return p.id }

// Config is the address of the Config account.
func (p Program) Config() onchain.Address { return p.config }

// Roster is the address of the Roster account.
func (p Program) Roster() onchain.Address { return p.roster }

// Pot is the address of the Pot account.
func (p Program) Pot() onchain.Address { return p.pot }

// Rules is the address of a version of the rules.
func (p Program) Rules(number uint32) onchain.Address {
	return p.derive([]byte("rules"), binary.LittleEndian.AppendUint32(nil, number))
}

// Admission is the address of what admits a judge to a listed court.
func (p Program) Admission(judge onchain.Address) onchain.Address {
	return p.derive([]byte("admission"), judge[:])
}

// Due returns what the parties of a task are still to get of its pledge (protocol section 5).
// Before the task is over, that is nothing.
func (v *Pledge) Due(t *Task) (creator, worker uint64) {
	if !t.Status.Over() {
		return 0, 0
	}
	switch t.Outcome {
	case voting.Paid:
		worker = v.Amount
	case voting.Split:
		worker = v.Amount / 2
	}
	creator = (v.Amount - worker) * uint64(1-v.CreatorPaid)
	return creator, worker * uint64(1-v.WorkerPaid)
}

// PledgeAt is the address of the tokens beside the reward of a task.
func PledgeAt(p Program, task onchain.Address) onchain.Address {
	return p.derive([]byte("pledge"), task[:])
}

// RegistryPage is the address of a page of the registry.
func (p Program) RegistryPage(page uint32) onchain.Address {
	return p.derive([]byte("registry"), binary.LittleEndian.AppendUint32(nil, page))
}

// Agent is the address of an authority's Agent account.
func (p Program) Agent(authority onchain.Address) onchain.Address {
	return p.derive([]byte("agent"), authority[:])
}

// Data is the address of an agent's data account of that name: 1..32 bytes of [a-z0-9._-].
func (p Program) Data(authority onchain.Address, name string) (onchain.Address, error) {
	if err := checkDataName(name); err != nil {
		return onchain.Address{}, fmt.Errorf("program: data account: %w", err)
	}
	return p.derive([]byte("data"), authority[:], []byte(name)), nil
}

// Task is the address of a creator's task; id is the creator's Agent.TasksCreated when the task was
// created.
func (p Program) Task(creator onchain.Address, id uint64) onchain.Address {
	return p.derive([]byte("task"), creator[:], binary.LittleEndian.AppendUint64(nil, id))
}

// Case is the address of a task's Case account. The case itself is named by the task.
func (p Program) Case(task onchain.Address) onchain.Address {
	return p.derive([]byte("case"), task[:])
}

// Verdict is the address of the lasting result of the case of a task.
func (p Program) Verdict(task onchain.Address) onchain.Address {
	return p.derive([]byte("verdict"), task[:])
}

// EngineVerdict is the address at which another program keeps its verdict of a subject: that of the
// group, unless it is zero.
func EngineVerdict(engine, group, subject onchain.Address) onchain.Address {
	if group.IsZero() {
		return find(engine, []byte("verdict"), subject[:])
	}
	return find(engine, []byte("verdict"), subject[:], group[:])
}

// Proctor is the address of the admission of a maker of golden cases.
func (p Program) Proctor(proctor onchain.Address) onchain.Address {
	return p.derive([]byte("proctor"), proctor[:])
}

// Batch is the address of a batch of golden cases.
func (p Program) Batch(number uint64) onchain.Address {
	return p.derive([]byte("batch"), binary.LittleEndian.AppendUint64(nil, number))
}

// Channel is the address of the Channel account from one agent to another, each named by its
// authority.
func (p Program) Channel(payer, payee onchain.Address) onchain.Address {
	return p.derive([]byte("channel"), payer[:], payee[:])
}

// ProgramData is the address of the account in which the upgradeable loader keeps the program and
// its upgrade authority.
func (p Program) ProgramData() onchain.Address {
	return find(onchain.Address(solana.BPFLoaderUpgradeableProgramID), p.id[:])
}

func (p Program) derive(seeds ...[]byte) onchain.Address { return find(p.id, seeds...) }

// find derives an address. Seeds here are at most 32 bytes, so that it only fails when none of 255
// hashes is off the curve, which each is with a chance of one half.
func find(program onchain.Address, seeds ...[]byte) onchain.Address {
	address, _, err := solana.FindProgramAddress(seeds, solana.PublicKey(program))
	if err != nil {
		panic(fmt.Sprintf("program: no address for %x: %v", seeds, err))
	}
	return onchain.Address(address)
}
