package program

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// RelayCommit hands in the commitment of a judge that asked anyone to (ADR 0019). It does what Commit does.
//
// Who: anyone. When: as Commit; the instruction just before it is an Ed25519 instruction with exactly one signature of the judge's
// node key over the relay request. Errors: those of Commit, NotOnRoster (the judge has left), BadRelay.
type RelayCommit struct {
	Round      uint8
	Judge      solana.PublicKey
	Commitment voting.Hash
	Sealed     []byte // the sealed opening, 93 bytes that only their author can read, or empty
}

var _ Instruction = (*RelayCommit)(nil)

// InstructionName returns "relay_commit".
func (*RelayCommit) InstructionName() string { return "relay_commit" }

// Accounts are what the instruction wants, in order.
func (*RelayCommit) Accounts() []AccountRole {
	return roles("config", "roster", "case:w", "instructions")
}

func (i *RelayCommit) walk(w *walk) {
	u8(w, "round", &i.Round)
	key(w, "judge", &i.Judge)
	hash(w, "commitment", &i.Commitment)
	blob(w, "sealed", "bytes", &i.Sealed)
}

// RelayCommit builds the two instructions of a transaction, in their order: the request and the commitment. peer is the judge's
// node key by the Roster. The error says why the request is not good; sending it would cost a fee for a refusal.
func (p Program) RelayCommit(network voting.Hash, peer voting.Key, n voting.Relay) ([]solana.Instruction, error) {
	d := voting.Domain{Network: network, Program: voting.Key(p.id)}
	if err := voting.VerifyRelay(d, peer, n); err != nil {
		return nil, fmt.Errorf("program: relay_commit: %w", err)
	}
	request := d.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed)
	i := &RelayCommit{Round: n.Round, Judge: solana.PublicKey(n.Judge), Commitment: n.Commitment, Sealed: n.Sealed}
	return []solana.Instruction{
		Ed25519(SelfContained{Peer: peer, Signature: n.Request, Message: request}),
		p.build(i, p.config, p.roster, p.Case(solana.PublicKey(n.Task)), solana.SysVarInstructionsPubkey),
	}, nil
}
