package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// Draw seats a panel (protocol section 6). Status: Commit. If the slot hashes no longer reach back to seed_slot, it only moves
// seed_slot into the future and has to be sent again later.
//
// Who: anyone. When: in Draw, now < draw_by, when SlotHashes has an entry of seed_slot or later. Errors: WrongStatus, TooLate,
// TooEarly, TooFewJudges.
type Draw struct{}

// Commit hands in a seat's commitment. When no seat is left that could commit, the reveal begins.
//
// Who: a seated judge. When: in Commit, before commit_ends, once. Errors: WrongRound, WrongStatus, TooLate, NotSeated,
// AlreadyCommitted, Equivocated, MissingHash, BadSealed.
type Commit struct {
	Round      uint8
	Commitment voting.Hash
	Sealed     []byte // the sealed opening, 93 bytes that only their author can read, or empty
}

// Reveal opens a seat's commitment; its weight is tallied.
//
// Who: anyone who knows the opening. When: commits are over and now < reveal_ends. Errors: WrongRound, WrongStatus, TooEarly,
// TooLate, NotSeated, NotCommitted, AlreadyRevealed, Equivocated, BadChoice, WrongOpening.
type Reveal struct {
	Round        uint8
	Judge        solana.PublicKey
	Choice       voting.Choice
	OpinionHash  voting.Hash
	ReceiptsRoot voting.Hash
	Salt         voting.Hash
}

// Settle ends a round: it slashes, and decides the case, calls for another draw, or ends the case undecided.
//
// Who: anyone. When: the reveals are over, or nothing more can come. Errors: WrongStatus, NotYetSettleable.
type Settle struct{}

// ExpireCase ends a case undecided that could not be drawn in time.
//
// Who: anyone. When: in Draw, now ≥ draw_by. Errors: WrongStatus, TooEarly.
type ExpireCase struct{}

// CloseCase removes a case that is over; its rent goes to who paid it.
//
// Who: anyone. When: evidence_seconds after the end. Errors: WrongStatus, TooEarly.
type CloseCase struct{}

var _ = []Instruction{(*Draw)(nil), (*Commit)(nil), (*Reveal)(nil), (*Settle)(nil), (*ExpireCase)(nil), (*CloseCase)(nil)}

// InstructionName returns "draw".
func (*Draw) InstructionName() string { return "draw" }

// Accounts are what the instruction wants, in order.
func (*Draw) Accounts() []AccountRole { return roles("config", "roster:w", "case:w", "task") }

func (*Draw) walk(*walk) {}

// Draw builds the instruction.
func (p Program) Draw(task solana.PublicKey) solana.Instruction {
	return p.build(&Draw{}, p.config, p.roster, p.Case(task), task)
}

// InstructionName returns "commit".
func (*Commit) InstructionName() string { return "commit" }

// Accounts are what the instruction wants, in order.
func (*Commit) Accounts() []AccountRole { return roles("judge:s", "case:w") }

func (i *Commit) walk(w *walk) {
	u8(w, "round", &i.Round)
	hash(w, "commitment", &i.Commitment)
	blob(w, "sealed", "bytes", &i.Sealed)
}

// Commit builds the instruction.
func (p Program) Commit(judge, task solana.PublicKey, i Commit) solana.Instruction {
	return p.build(&i, judge, p.Case(task))
}

// InstructionName returns "reveal".
func (*Reveal) InstructionName() string { return "reveal" }

// Accounts are what the instruction wants, in order.
func (*Reveal) Accounts() []AccountRole { return roles("case:w") }

func (i *Reveal) walk(w *walk) {
	u8(w, "round", &i.Round)
	key(w, "judge", &i.Judge)
	u8(w, "choice", &i.Choice)
	hash(w, "opinion_hash", &i.OpinionHash)
	hash(w, "receipts_root", &i.ReceiptsRoot)
	hash(w, "salt", &i.Salt)
}

// Opening is what the instruction opens the commitment with.
func (i *Reveal) Opening() voting.Opening {
	return voting.Opening{Choice: i.Choice, Opinion: i.OpinionHash, Receipts: i.ReceiptsRoot, Salt: i.Salt}
}

// Reveal builds the instruction for the seat of any judge.
func (p Program) Reveal(task, judge solana.PublicKey, round uint8, o voting.Opening) solana.Instruction {
	return p.build(&Reveal{
		Round: round, Judge: judge, Choice: o.Choice, OpinionHash: o.Opinion, ReceiptsRoot: o.Receipts, Salt: o.Salt,
	}, p.Case(task))
}

// ending is what the instructions want that can end a case.
func ending() []AccountRole {
	return roles("roster:w", "case:w", "task:w", "creator_agent:w", "worker_agent:w")
}

// InstructionName returns "settle".
func (*Settle) InstructionName() string { return "settle" }

// Accounts are what the instruction wants, in order.
func (*Settle) Accounts() []AccountRole { return ending() }

func (*Settle) walk(*walk) {}

// Settle builds the instruction.
func (p Program) Settle(task, creator, worker solana.PublicKey) solana.Instruction {
	return p.build(&Settle{}, p.roster, p.Case(task), task, p.Agent(creator), p.Agent(worker))
}

// InstructionName returns "expire_case".
func (*ExpireCase) InstructionName() string { return "expire_case" }

// Accounts are what the instruction wants, in order.
func (*ExpireCase) Accounts() []AccountRole { return ending() }

func (*ExpireCase) walk(*walk) {}

// ExpireCase builds the instruction.
func (p Program) ExpireCase(task, creator, worker solana.PublicKey) solana.Instruction {
	return p.build(&ExpireCase{}, p.roster, p.Case(task), task, p.Agent(creator), p.Agent(worker))
}

// InstructionName returns "close_case".
func (*CloseCase) InstructionName() string { return "close_case" }

// Accounts are what the instruction wants, in order.
func (*CloseCase) Accounts() []AccountRole { return roles("case:w", "wallet:w") }

func (*CloseCase) walk(*walk) {}

// CloseCase builds the instruction; payer is Case.Payer.
func (p Program) CloseCase(task, payer solana.PublicKey) solana.Instruction {
	return p.build(&CloseCase{}, p.Case(task), payer)
}
