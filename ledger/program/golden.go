package program

import (
	"fmt"

	"ojud/ledger/onchain"
	"ojud/voting"
	"ojud/voting/rules"
)

// maxLeaves is the most leaves that a batch of golden cases has.
const maxLeaves = 256

// leafWhole is the part of a leaf that Pot.Allowance is counted in.
const leafWhole = 10_000

// Leaves is how many leaves may be committed now.
func (p *Pot) Leaves() uint32 { return uint32(p.Allowance / leafWhole) }

// spareLeaves is from how many leaves on a void one never costs the deposit.
const spareLeaves = 8

// Fair reports whether the leaves may be applied when the time to challenge is over: all are open,
// at most a tenth is void, or one of eight or nine. Of the others 45 to 55 % say accept, or the
// void ones would make both sides equal.
func (b *Batch) Fair() bool {
	accepts, counting, void := uint64(b.Accepts), uint64(b.Opened)-uint64(b.Void), uint64(b.Void)
	few := 10*void <= uint64(b.Leaves) || void == 1 && b.Leaves >= spareLeaves
	rejects := counting - accepts
	level := max(accepts, rejects)-min(accepts, rejects) <= void
	return b.Opened == b.Leaves && few && (level || 100*accepts >= 45*counting && 100*accepts <= 55*counting)
}

// ApplyFrom is when the leaves may be applied; c is the court's Config. A pause stops challenges,
// and extends their time by its length when it is over.
func (b *Batch) ApplyFrom(c *Config) int64 {
	paused := c.PausedSeconds - min(c.PausedSeconds, b.PausedBefore)
	return b.CompleteAt + int64(b.ChallengeSeconds) + int64(paused)
}

// Record says in words what the record in golden cases says, and why it lets the judge sit or not.
func (e *RosterEntry) Record() string {
	right, wrong, seen := int(e.Right), int(e.Wrong), int(e.Seen)
	record := e.Credential()
	switch {
	case record.Holds() && !record.Proven():
		return fmt.Sprintf("%d of its %d votes in %d golden cases were right, a score of %d, and %d are needed", right, right+wrong, seen, record.Score(), rules.PassScore)
	case record.Holds():
		return fmt.Sprintf("%d of its %d votes in golden cases were right", right, right+wrong)
	case !record.Able() && !record.Proven():
		return fmt.Sprintf("only %d of its first %d votes in golden cases were right, a score of %d, and at %d a novice has failed", right, right+wrong, record.Score(), -rules.FailScore)
	case record.Able():
		return fmt.Sprintf("it voted for a side in only %d of the last %d golden cases that it saw, and half is needed", right+wrong, seen)
	}
	return fmt.Sprintf("only %d of its last %d votes in golden cases were right, and %d %% are needed", right, right+wrong, rules.KeepPercent)
}

// Proven reports whether the judge has passed the exam of its first golden cases.
func (e *RosterEntry) Proven() bool { return e.Credential().Proven() }

// RevokeProctor builds the instruction; payer is Proctor.Payer.
func (p Program) RevokeProctor(authority, proctor, payer onchain.Address) onchain.Instruction {
	return p.build(&RevokeProctor{}, authority, p.config, p.Proctor(proctor), payer)
}

// BatchCalls builds the instructions about one batch of golden cases.
type BatchCalls struct {
	p  Program
	at onchain.Address // of the Batch
}

// BatchCalls returns them for a batch by its number. That of the next one is Pot.Batches.
func (p Program) BatchCalls(number uint64) BatchCalls { return BatchCalls{p, p.Batch(number)} }

// Commit builds the instruction commit_batch; rules is the version in force.
func (b BatchCalls) Commit(proctor onchain.Address, rules uint32, i CommitBatch) onchain.Instruction {
	return b.p.build(&i, proctor, b.p.config, b.p.Rules(rules), b.p.Proctor(proctor), b.p.pot, b.at, onchain.SystemProgram())
}

// OpenLeaf builds the instruction. void leaves the case out.
func (b BatchCalls) OpenLeaf(proctor, task onchain.Address, void bool, i OpenLeaf) onchain.Instruction {
	addresses := []onchain.Address{proctor, b.at, task}
	if !void {
		addresses = append(addresses, b.p.Case(task))
	}
	return b.p.build(&i, addresses...)
}

// ApplyLeaf builds the instruction for the golden case of a task.
func (b BatchCalls) ApplyLeaf(task onchain.Address) onchain.Instruction {
	return b.p.build(&ApplyLeaf{}, b.p.config, b.at, b.p.Case(task), b.p.roster, b.p.pot)
}

// Close builds the instruction close_batch; proctor is Batch.Proctor.
func (b BatchCalls) Close(proctor onchain.Address) onchain.Instruction {
	return b.p.build(&CloseBatch{}, b.p.config, b.at, b.p.pot, proctor)
}

// Challenge names a case that has found that a leaf is false.
type Challenge struct {
	Proctor onchain.Address // Batch.Proctor
	Golden  onchain.Address // the task of the leaf
	Task    onchain.Address // whose result says that the leaf is false
	Worker  onchain.Address // of Task
}

// AppealChallenge builds the instruction; the proctor pays for it.
func (b BatchCalls) AppealChallenge(c Challenge, generator voting.Hash, seed [32]byte) onchain.Instruction {
	return b.p.build(&AppealChallenge{Generator: generator, Seed: seed}, c.Proctor, b.at, c.Golden, b.p.Case(c.Golden), b.p.roster, c.Task,
		b.p.Case(c.Task), onchain.SystemProgram())
}

// Uphold builds the instruction uphold_challenge.
func (b BatchCalls) Uphold(c Challenge, generator voting.Hash, seed [32]byte) onchain.Instruction {
	return b.p.build(&UpholdChallenge{Generator: generator, Seed: seed}, b.at, c.Golden, b.p.Case(c.Golden), c.Task, b.p.Case(c.Task),
		b.p.Agent(c.Worker), b.p.pot, c.Proctor)
}
