package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// JoinRoster makes the signer a judge with a stake from its wallet.
//
// Who: anyone whose authority and peer are not on the Roster. When: unless paused; the instruction just before it is an Ed25519
// instruction with the peer's join proof. Errors: Paused, AlreadyOnRoster, PeerTaken, BadPeerProof, StakeTooSmall, RosterFull.
type JoinRoster struct {
	Peer     voting.Key       // node key
	Operator solana.PublicKey // who runs the node; zero: not declared
	Stake    uint64           // at least min_stake
}

// TopUp adds to the signer's stake as a judge. It counts in draws whose seed slot is later, and changes no weight in a round that is
// already drawn (D2).
//
// Who: a judge. When: in the slot in which it joined or topped up last, or more than 512 slots later. Errors: NotOnRoster, ZeroAmount,
// StillFresh, Overflow.
type TopUp struct{ Amount uint64 }

// BeginExit starts the cooldown after which the stake may leave. The judge is drawn no more, except by a seed slot that is not later,
// and still has to vote in the rounds in which it is seated.
//
// Who: an active judge. When: always. Errors: NotOnRoster, AlreadyExiting.
type BeginExit struct{}

// WithdrawStake pays stake and rewards to the judge's wallet and frees its entry.
//
// Who: an exiting judge. When: after its exit_at, seated in no live round. Errors: NotOnRoster, NotExiting, TooEarly, StakeLocked.
type WithdrawStake struct{}

// ClaimReward pays what a judge earned to its wallet.
//
// Who: anyone. When: always. Errors: NotOnRoster, NothingToClaim.
type ClaimReward struct{ Judge solana.PublicKey }

var _ = []Instruction{(*JoinRoster)(nil), (*TopUp)(nil), (*BeginExit)(nil), (*WithdrawStake)(nil), (*ClaimReward)(nil)}

// InstructionName returns "join_roster".
func (*JoinRoster) InstructionName() string { return "join_roster" }

// Accounts are what the instruction wants, in order.
func (*JoinRoster) Accounts() []AccountRole {
	return roles("authority:sw", "config", "roster:w", "instructions", "system")
}

func (i *JoinRoster) walk(w *walk) {
	key(w, "peer", &i.Peer)
	key(w, "operator", &i.Operator)
	u64(w, "stake", &i.Stake)
}

// JoinRoster builds the two instructions of a transaction, in their order: the proof, which is i.Peer's signature of
// voting.Domain.JoinProof(authority), and the joining.
func (p Program) JoinRoster(authority solana.PublicKey, network voting.Hash, proof voting.Signature, i JoinRoster) []solana.Instruction {
	d := voting.Domain{Network: network, Program: voting.Key(p.id)}
	return []solana.Instruction{
		Ed25519(SelfContained{Peer: i.Peer, Signature: proof, Message: d.JoinProof(voting.Key(authority))}),
		p.build(&i, authority, p.config, p.roster, solana.SysVarInstructionsPubkey, solana.SystemProgramID),
	}
}

// InstructionName returns "top_up".
func (*TopUp) InstructionName() string { return "top_up" }

// Accounts are what the instruction wants, in order.
func (*TopUp) Accounts() []AccountRole { return roles("authority:sw", "roster:w", "system") }

func (i *TopUp) walk(w *walk) { u64(w, "amount", &i.Amount) }

// TopUp builds the instruction.
func (p Program) TopUp(authority solana.PublicKey, i TopUp) solana.Instruction {
	return p.build(&i, authority, p.roster, solana.SystemProgramID)
}

// InstructionName returns "begin_exit".
func (*BeginExit) InstructionName() string { return "begin_exit" }

// Accounts are what the instruction wants, in order.
func (*BeginExit) Accounts() []AccountRole { return roles("authority:s", "config", "roster:w") }

func (*BeginExit) walk(*walk) {}

// BeginExit builds the instruction.
func (p Program) BeginExit(authority solana.PublicKey) solana.Instruction {
	return p.build(&BeginExit{}, authority, p.config, p.roster)
}

// InstructionName returns "withdraw_stake".
func (*WithdrawStake) InstructionName() string { return "withdraw_stake" }

// Accounts are what the instruction wants, in order.
func (*WithdrawStake) Accounts() []AccountRole { return roles("authority:sw", "roster:w") }

func (*WithdrawStake) walk(*walk) {}

// WithdrawStake builds the instruction.
func (p Program) WithdrawStake(authority solana.PublicKey) solana.Instruction {
	return p.build(&WithdrawStake{}, authority, p.roster)
}

// InstructionName returns "claim_reward".
func (*ClaimReward) InstructionName() string { return "claim_reward" }

// Accounts are what the instruction wants, in order.
func (*ClaimReward) Accounts() []AccountRole { return roles("roster:w", "wallet:w") }

func (i *ClaimReward) walk(w *walk) { key(w, "judge", &i.Judge) }

// ClaimReward builds the instruction.
func (p Program) ClaimReward(i ClaimReward) solana.Instruction {
	return p.build(&i, p.roster, i.Judge)
}
