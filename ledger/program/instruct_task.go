package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// CreateTask posts a task and moves RewardMax from the creator's vault into its escrow. Status: Created.
//
// Who: an agent, which pays the rent. When: unless paused. Errors: Paused, MissingHash, BadReward (not min_reward ≤ RewardMin ≤
// RewardMax; not equal in a first-come task), BadDuration, BadTerm, WrongEngine, NotEnoughInVault, AlreadyExists (another task
// of this creator took the number: read Agent again).
type CreateTask struct {
	TaskHash       voting.Hash
	RewardMin      uint64
	RewardMax      uint64
	Auction        voting.Auction
	AuctionSeconds uint32 // 0 for first come, 1..2,592,000 for an auction
	WorkSeconds    uint32 // 1..31,536,000: from the claim to the result
	ClaimBy        int64  // Unix seconds; 0 never
	OnUndecided    voting.OnUndecided
	Engine         uint8 // EngineOju
}

// CancelTask returns the escrow to the creator's vault. Status: Cancelled.
//
// Who: the creator. When: in Created. Errors: NotCreator, WrongStatus.
type CancelTask struct{}

// ClaimTask makes the signer the worker and fixes the price; what the escrow holds above it returns to the creator's vault.
// Status: Claimed, for work_seconds.
//
// Who: an agent that is neither the creator nor the task's last_worker. When: in Created, before claim_by. Errors: OwnTask,
// WorkerBarred, WrongStatus, TooLate, PriceTooLow.
type ClaimTask struct {
	MinReward uint64 // refuse a lower price
}

// StartTask says that the work has begun. Status: InProgress, with the deadline of the claim.
//
// Who: the worker. When: in Claimed, before the deadline. Errors: NotWorker, WrongStatus, TooLate.
type StartTask struct{}

// SubmitResult hands in a result. Status: Submitted.
//
// Who: the worker. When: in InProgress, before the deadline. Errors: NotWorker, WrongStatus, TooLate, MissingHash.
type SubmitResult struct{ ResultHash voting.Hash }

// OpenVerification starts the creator's time to answer. Status: Verification, for verify_seconds.
//
// Who: anyone. When: in Submitted. Errors: WrongStatus.
type OpenVerification struct{}

// Accept pays the worker. Status: Complete.
//
// Who: the creator. When: in Verification. Errors: NotCreator, WrongStatus.
type Accept struct{}

var _ = []Instruction{(*CreateTask)(nil), (*CancelTask)(nil), (*ClaimTask)(nil), (*StartTask)(nil), (*SubmitResult)(nil),
	(*OpenVerification)(nil), (*Accept)(nil)}

// InstructionName returns "create_task".
func (*CreateTask) InstructionName() string { return "create_task" }

// Accounts are what the instruction wants, in order.
func (*CreateTask) Accounts() []AccountRole {
	return roles("authority:sw", "config", "agent:w", "task:w", "system")
}

func (i *CreateTask) walk(w *walk) {
	hash(w, "task_hash", &i.TaskHash)
	u64(w, "reward_min", &i.RewardMin)
	u64(w, "reward_max", &i.RewardMax)
	u8(w, "auction", &i.Auction)
	u32(w, "auction_seconds", &i.AuctionSeconds)
	u32(w, "work_seconds", &i.WorkSeconds)
	i64(w, "claim_by", &i.ClaimBy)
	u8(w, "on_undecided", &i.OnUndecided)
	u8(w, "engine", &i.Engine)
}

// CreateTask builds the instruction. id is the creator's Agent.TasksCreated; the task will be at Program.Task(creator, id).
func (p Program) CreateTask(creator solana.PublicKey, id uint64, i CreateTask) solana.Instruction {
	return p.build(&i, creator, p.config, p.Agent(creator), p.Task(creator, id), solana.SystemProgramID)
}

// InstructionName returns "cancel_task".
func (*CancelTask) InstructionName() string { return "cancel_task" }

// Accounts are what the instruction wants, in order.
func (*CancelTask) Accounts() []AccountRole { return roles("authority:s", "agent:w", "task:w") }

func (*CancelTask) walk(*walk) {}

// CancelTask builds the instruction.
func (p Program) CancelTask(creator, task solana.PublicKey) solana.Instruction {
	return p.build(&CancelTask{}, creator, p.Agent(creator), task)
}

// InstructionName returns "claim_task".
func (*ClaimTask) InstructionName() string { return "claim_task" }

// Accounts are what the instruction wants, in order.
func (*ClaimTask) Accounts() []AccountRole {
	return roles("worker:s", "creator_agent:w", "worker_agent:w", "task:w")
}

func (i *ClaimTask) walk(w *walk) { u64(w, "min_reward", &i.MinReward) }

// ClaimTask builds the instruction.
func (p Program) ClaimTask(worker, creator, task solana.PublicKey, i ClaimTask) solana.Instruction {
	return p.build(&i, worker, p.Agent(creator), p.Agent(worker), task)
}

// InstructionName returns "start_task".
func (*StartTask) InstructionName() string { return "start_task" }

// Accounts are what the instruction wants, in order.
func (*StartTask) Accounts() []AccountRole { return roles("worker:s", "task:w") }

func (*StartTask) walk(*walk) {}

// StartTask builds the instruction.
func (p Program) StartTask(worker, task solana.PublicKey) solana.Instruction {
	return p.build(&StartTask{}, worker, task)
}

// InstructionName returns "submit_result".
func (*SubmitResult) InstructionName() string { return "submit_result" }

// Accounts are what the instruction wants, in order.
func (*SubmitResult) Accounts() []AccountRole { return roles("worker:s", "task:w") }

func (i *SubmitResult) walk(w *walk) { hash(w, "result_hash", &i.ResultHash) }

// SubmitResult builds the instruction.
func (p Program) SubmitResult(worker, task solana.PublicKey, i SubmitResult) solana.Instruction {
	return p.build(&i, worker, task)
}

// InstructionName returns "open_verification".
func (*OpenVerification) InstructionName() string { return "open_verification" }

// Accounts are what the instruction wants, in order.
func (*OpenVerification) Accounts() []AccountRole { return roles("config", "task:w") }

func (*OpenVerification) walk(*walk) {}

// OpenVerification builds the instruction.
func (p Program) OpenVerification(task solana.PublicKey) solana.Instruction {
	return p.build(&OpenVerification{}, p.config, task)
}

// InstructionName returns "accept".
func (*Accept) InstructionName() string { return "accept" }

// Accounts are what the instruction wants, in order.
func (*Accept) Accounts() []AccountRole {
	return roles("creator:s", "creator_agent:w", "worker_agent:w", "task:w")
}

func (*Accept) walk(*walk) {}

// Accept builds the instruction.
func (p Program) Accept(creator, worker, task solana.PublicKey) solana.Instruction {
	return p.build(&Accept{}, creator, p.Agent(creator), p.Agent(worker), task)
}
