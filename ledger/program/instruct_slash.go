package program

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// SlashEquivocation takes a seat's stake for two signed statements with different commitments in one round.
//
// Who: anyone. When: while the Case exists and has seats; the instruction just before it is an Ed25519 instruction with the two
// statements. Errors: BadEvidence, NotSeated (no such seat), Equivocated (already shown).
type SlashEquivocation struct{ Seat uint8 }

var _ Instruction = (*SlashEquivocation)(nil)

// InstructionName returns "slash_equivocation".
func (*SlashEquivocation) InstructionName() string { return "slash_equivocation" }

// Accounts are what the instruction wants, in order.
func (*SlashEquivocation) Accounts() []AccountRole {
	return roles("config", "roster:w", "case:w", "instructions")
}

func (i *SlashEquivocation) walk(w *walk) { u8(w, "seat", &i.Seat) }

// SlashEquivocation builds the two instructions of a transaction, in their order: the evidence and the slashing. The error says
// why e proves nothing; sending it would cost a fee for a refusal.
func (p Program) SlashEquivocation(seat uint8, network voting.Hash, e voting.Evidence) ([]solana.Instruction, error) {
	d := voting.Domain{Network: network, Program: voting.Key(p.id)}
	if err := e.Verify(d); err != nil {
		return nil, fmt.Errorf("program: slash_equivocation: %w", err)
	}
	statement := func(s voting.Signed) SelfContained {
		return SelfContained{Peer: e.Peer, Signature: s.Signature, Message: d.Statement(e.Task, e.Round, e.Judge, s.Commitment)}
	}
	return []solana.Instruction{
		Ed25519(statement(e.A), statement(e.B)),
		p.build(&SlashEquivocation{Seat: seat}, p.config, p.roster, p.Case(solana.PublicKey(e.Task)), solana.SysVarInstructionsPubkey),
	}, nil
}
