package program

import (
	"fmt"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// Commit builds the instruction.
func (p Program) Commit(judge, task onchain.Address, i Commit) onchain.Instruction {
	return p.build(&i, judge, p.Case(task))
}

// Opening returns the opening with which the instruction opens the commitment.
func (i *Reveal) Opening() voting.Opening {
	return voting.Opening{Choice: i.Choice, Opinion: i.OpinionHash, Receipts: i.ReceiptsRoot, Salt: i.Salt}
}

// Reveal builds the instruction for the seat of any judge.
func (p Program) Reveal(task, judge onchain.Address, round uint8, o voting.Opening) onchain.Instruction {
	return p.build(&Reveal{
		Round: round, Judge: judge, Choice: o.Choice, OpinionHash: o.Opinion, ReceiptsRoot: o.Receipts, Salt: o.Salt,
	}, p.Case(task))
}

// CloseCase builds the instruction; payer is Case.Payer, and appellant Case.Appellant, zero if
// nobody appealed.
func (p Program) CloseCase(task, payer, appellant onchain.Address) onchain.Instruction {
	if appellant.IsZero() || appellant == payer {
		return p.build(&CloseCase{}, p.Case(task), payer)
	}
	return p.build(&CloseCase{}, p.Case(task), payer, appellant)
}

// RevokeAdmission builds the instruction; payer is Admission.Payer.
func (p Program) RevokeAdmission(signer, judge, payer onchain.Address) onchain.Instruction {
	return p.build(&RevokeAdmission{}, signer, p.config, p.Admission(judge), payer)
}

// JoinRoster builds the two instructions of a transaction, in their order: the proof, which is
// i.Peer's signature of voting.Domain.JoinProof(authority), and the joining. A declared operator
// signs, too. rules is the version in force.
func (p Program) JoinRoster(authority onchain.Address, rules uint32, network voting.Hash, proof voting.Signature,
	i JoinRoster,
) []onchain.Instruction {
	d := voting.Domain{Network: network, Program: voting.Key(p.id)}
	addresses := []onchain.Address{authority, p.config, p.Rules(rules), p.roster, p.Admission(authority), onchain.InstructionsAccount(), onchain.SystemProgram()}
	return []onchain.Instruction{
		Ed25519(SelfContained{Peer: i.Peer, Signature: proof, Message: d.JoinProof(voting.Key(authority))}),
		p.build(&i, cosigned(addresses, i.Operator)...),
	}
}

// BeginSeason builds the instruction. rules is the version in force.
func (p Program) BeginSeason(rules uint32) onchain.Instruction {
	return p.build(&BeginSeason{}, p.Rules(rules), p.roster)
}

// ClaimReward builds the instruction. withdraw is the judge's withdraw key. Its own account is a
// wallet for which it need not sign.
func (p Program) ClaimReward(withdraw, wallet onchain.Address, i ClaimReward) onchain.Instruction {
	if wallet == withdraw {
		return p.build(&i, p.roster, wallet)
	}
	return p.build(&i, p.roster, wallet, withdraw)
}

// RelayCommit builds the two instructions of a transaction, in their order: the request and the
// commitment. peer is the judge's node key by the Roster. The error says why the request is not
// good; sending it would cost a fee for a refusal.
func (p Program) RelayCommit(network voting.Hash, peer voting.Key, n voting.Relay) ([]onchain.Instruction, error) {
	d := voting.Domain{Network: network, Program: voting.Key(p.id)}
	if err := voting.VerifyRelay(d, peer, n); err != nil {
		return nil, fmt.Errorf("program: relay_commit: %w", err)
	}
	request := d.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed)
	i := &RelayCommit{Round: n.Round, Judge: onchain.Address(n.Judge), Commitment: n.Commitment, Sealed: n.Sealed}
	return []onchain.Instruction{
		Ed25519(SelfContained{Peer: peer, Signature: n.Request, Message: request}),
		p.build(i, p.config, p.roster, p.Case(onchain.Address(n.Task)), onchain.InstructionsAccount()),
	}, nil
}

// FinishCase builds the instruction. loser is zero from Case.AppealBy on; before, it signs.
func (p Program) FinishCase(task, creator, worker, loser onchain.Address) onchain.Instruction {
	accounts := []onchain.Address{p.roster, p.Case(task), task, p.Agent(creator), p.Agent(worker), p.pot}
	if !loser.IsZero() {
		accounts = append(accounts, loser)
	}
	return p.build(&FinishCase{}, accounts...)
}

// SlashEquivocation builds the two instructions of a transaction, in their order: the evidence and
// the slashing. The error says why e proves nothing; sending it would cost a fee for a refusal.
func (p Program) SlashEquivocation(seat uint8, network voting.Hash, e voting.Evidence) ([]onchain.Instruction, error) {
	d := voting.Domain{Network: network, Program: voting.Key(p.id)}
	if err := e.Verify(d); err != nil {
		return nil, fmt.Errorf("program: slash_equivocation: %w", err)
	}
	statement := func(s voting.Signed) SelfContained {
		return SelfContained{Peer: e.Peer, Signature: s.Signature, Message: d.Statement(e.Task, e.Round, e.Judge, s.Commitment)}
	}
	return []onchain.Instruction{
		Ed25519(statement(e.A), statement(e.B)),
		p.build(&SlashEquivocation{Seat: seat}, p.config, p.roster, p.Case(onchain.Address(e.Task)), p.pot, onchain.InstructionsAccount()),
	}, nil
}
