package program

import "github.com/gagliardetto/solana-go"

// StakeKind is why a stake moved.
type StakeKind uint8

// The reasons.
const (
	StakeJoined StakeKind = iota + 1
	StakeToppedUp
	StakeWithdrawn
)

// String names k for people.
func (k StakeKind) String() string {
	return name("stake", uint8(k), "none", "joined", "topped up", "withdrawn")
}

// StakeMoved: a judge joined, added to its stake or left. Slashes are in RoundSettled and Slashed.
type StakeMoved struct {
	Judge solana.PublicKey
	Index uint16 // of the Roster entry
	Delta int64
	Stake uint64 // afterwards
	Kind  StakeKind
}

// JudgeExiting: a judge began to leave.
type JudgeExiting struct {
	Judge  solana.PublicKey
	ExitAt int64 // Unix seconds
}

// RewardClaimed: what a judge earned was paid to its wallet.
type RewardClaimed struct {
	Judge  solana.PublicKey
	Amount uint64
}

var _ = []Event{(*StakeMoved)(nil), (*JudgeExiting)(nil), (*RewardClaimed)(nil)}

// EventName returns "StakeMoved".
func (*StakeMoved) EventName() string { return "StakeMoved" }

func (e *StakeMoved) walk(w *walk) {
	key(w, "judge", &e.Judge)
	u16(w, "index", &e.Index)
	i64(w, "delta", &e.Delta)
	u64(w, "stake", &e.Stake)
	u8(w, "kind", &e.Kind)
	w.within("kind", uint64(e.Kind), uint64(StakeJoined), uint64(StakeWithdrawn))
}

// EventName returns "JudgeExiting".
func (*JudgeExiting) EventName() string { return "JudgeExiting" }

func (e *JudgeExiting) walk(w *walk) {
	key(w, "judge", &e.Judge)
	i64(w, "exit_at", &e.ExitAt)
}

// EventName returns "RewardClaimed".
func (*RewardClaimed) EventName() string { return "RewardClaimed" }

func (e *RewardClaimed) walk(w *walk) {
	key(w, "judge", &e.Judge)
	u64(w, "amount", &e.Amount)
}
