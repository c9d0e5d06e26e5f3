package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// TaskMoved: a task changed its status.
type TaskMoved struct {
	Task       solana.PublicKey
	Actor      solana.PublicKey // who signed; zero: anyone
	From       TaskStatus       // 0: it did not exist
	To         TaskStatus
	Outcome    voting.Outcome
	Resolution Resolution
	Hash       voting.Hash // of the document that came with it, or zero
	Amount     uint64      // reward_max at creation, the price at the claim, the bond at an objection, else 0
	Deadline   int64       // Unix seconds; 0 none
	At         int64       // Unix seconds
}

// Paid: lamports left a task's account for the vault of one of its parties.
type Paid struct {
	Task   solana.PublicKey
	To     solana.PublicKey // authority
	Kind   voting.PaymentKind
	Amount uint64
}

var _ = []Event{(*TaskMoved)(nil), (*Paid)(nil)}

// EventName returns "TaskMoved".
func (*TaskMoved) EventName() string { return "TaskMoved" }

func (e *TaskMoved) walk(w *walk) {
	key(w, "task", &e.Task)
	key(w, "actor", &e.Actor)
	u8(w, "from", &e.From)
	w.within("from", uint64(e.From), 0, uint64(Undecided))
	u8(w, "to", &e.To)
	w.within("to", uint64(e.To), uint64(Created), uint64(Undecided))
	u8(w, "outcome", &e.Outcome)
	w.within("outcome", uint64(e.Outcome), 0, uint64(voting.Split))
	u8(w, "resolution", &e.Resolution)
	w.within("resolution", uint64(e.Resolution), 0, uint64(ByExpiry))
	hash(w, "hash", &e.Hash)
	u64(w, "amount", &e.Amount)
	i64(w, "deadline", &e.Deadline)
	i64(w, "at", &e.At)
}

// EventName returns "Paid".
func (*Paid) EventName() string { return "Paid" }

func (e *Paid) walk(w *walk) {
	key(w, "task", &e.Task)
	key(w, "to", &e.To)
	u8(w, "kind", &e.Kind)
	w.within("kind", uint64(e.Kind), uint64(voting.PayReward), uint64(voting.PayExcess))
	u64(w, "amount", &e.Amount)
}
