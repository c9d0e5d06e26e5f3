package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// TaskSize is the size in bytes of a Task account.
const TaskSize = 448

// EngineOju is the only engine that this version of the program takes.
const EngineOju uint8 = 0

// Task is one piece of work. The account holds rent + Escrow + CreatorBond + WorkerBond. Amounts are lamports, times Unix
// seconds of the chain's clock.
type Task struct {
	Bump            uint8
	Status          TaskStatus
	Engine          uint8
	Auction         voting.Auction
	OnUndecided     voting.OnUndecided
	Outcome         voting.Outcome
	Resolution      Resolution
	ID              uint64
	Creator         solana.PublicKey // authority
	CreatorOperator solana.PublicKey // as declared when the task was created
	Worker          solana.PublicKey // authority; zero: none
	WorkerOperator  solana.PublicKey // as declared when the task was claimed
	TaskHash        voting.Hash
	ResultHash      voting.Hash
	ObjectionHash   voting.Hash
	CounterHash     voting.Hash
	RewardMin       uint64
	RewardMax       uint64
	Reward          uint64 // the price, fixed by the first claim; 0 before
	Escrow          uint64
	CreatorBond     uint64
	WorkerBond      uint64
	CreatedAt       int64
	ClaimBy         int64 // after it an unclaimed task may be expired; 0 never
	Deadline        int64 // of the present status; 0 none
	SubmittedAt     int64
	AuctionSeconds  uint32
	WorkSeconds     uint32
	Reworks         uint8
	Claims          uint8
	LastWorker      solana.PublicKey // missed the deadline and may not claim again
	FinishedAt      int64
}

// AccountName returns "Task".
func (*Task) AccountName() string { return "Task" }

// Encode returns the account's bytes.
func (t *Task) Encode() []byte { return encode(t) }

// DecodeTask decodes a Task account; ErrAccount if the bytes are none.
func DecodeTask(data []byte) (*Task, error) { return decodeAs[Task](data) }

func (t *Task) walk(w *walk) {
	w.head("Task", &t.Bump)
	t.state(w)
	u64(w.at(16), "id", &t.ID)
	key(w.at(24), "creator", &t.Creator)
	key(w.at(56), "creator_operator", &t.CreatorOperator)
	key(w.at(88), "worker", &t.Worker)
	key(w.at(120), "worker_operator", &t.WorkerOperator)
	hash(w.at(152), "task_hash", &t.TaskHash)
	hash(w.at(184), "result_hash", &t.ResultHash)
	hash(w.at(216), "objection_hash", &t.ObjectionHash)
	hash(w.at(248), "counter_hash", &t.CounterHash)
	u64(w.at(280), "reward_min", &t.RewardMin)
	u64(w.at(288), "reward_max", &t.RewardMax)
	u64(w.at(296), "reward", &t.Reward)
	u64(w.at(304), "escrow", &t.Escrow)
	u64(w.at(312), "creator_bond", &t.CreatorBond)
	u64(w.at(320), "worker_bond", &t.WorkerBond)
	i64(w.at(328), "created_at", &t.CreatedAt)
	i64(w.at(336), "claim_by", &t.ClaimBy)
	i64(w.at(344), "deadline", &t.Deadline)
	i64(w.at(352), "submitted_at", &t.SubmittedAt)
	u32(w.at(360), "auction_seconds", &t.AuctionSeconds)
	u32(w.at(364), "work_seconds", &t.WorkSeconds)
	u8(w.at(368), "reworks", &t.Reworks)
	u8(w, "claims", &t.Claims)
	key(w.at(376), "last_worker", &t.LastWorker)
	i64(w.at(408), "finished_at", &t.FinishedAt)
	w.at(TaskSize)
}

func (t *Task) state(w *walk) {
	u8(w.at(10), "status", &t.Status)
	w.within("status", uint64(t.Status), uint64(Created), uint64(Undecided))
	u8(w.at(11), "engine", &t.Engine)
	w.within("engine", uint64(t.Engine), uint64(EngineOju), uint64(EngineOju))
	u8(w.at(12), "auction", &t.Auction)
	w.within("auction", uint64(t.Auction), 0, uint64(voting.ReverseDutch))
	u8(w.at(13), "on_undecided", &t.OnUndecided)
	w.within("on_undecided", uint64(t.OnUndecided), uint64(voting.RefundCreator), uint64(voting.SplitEscrow))
	u8(w.at(14), "outcome", &t.Outcome)
	w.within("outcome", uint64(t.Outcome), 0, uint64(voting.Split))
	u8(w.at(15), "resolution", &t.Resolution)
	w.within("resolution", uint64(t.Resolution), 0, uint64(ByExpiry))
}
