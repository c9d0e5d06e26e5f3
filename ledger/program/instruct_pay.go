package program

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// PullPayment moves what a voucher promises and is not paid yet from the payer's vault to the payee's, or as much of it as the
// payer's vault holds. The first pull between two agents makes their Channel, whose rent the signer pays for good.
//
// Who: anyone, normally the payee's node. When: before the voucher expires; the instruction just before it is an Ed25519
// instruction with the payer's signature of the voucher. Errors: BadVoucher, VoucherExpired, VoucherSpent (all of it is paid),
// VaultEmpty (the payer has nothing here), DuplicateAccount (payer and payee are one).
type PullPayment struct{}

var _ Instruction = (*PullPayment)(nil)

// InstructionName returns "pull_payment".
func (*PullPayment) InstructionName() string { return "pull_payment" }

// Accounts are what the instruction wants, in order.
func (*PullPayment) Accounts() []AccountRole {
	return roles("signer:sw", "config", "payer_agent:w", "payee_agent:w", "channel:w", "instructions", "system")
}

func (*PullPayment) walk(*walk) {}

// PullPayment builds the two instructions of a transaction, in their order: the voucher and the pull. Several such pairs may
// stand in one transaction. ErrVoucher if v is not for this program or the signature is not the payer's; sending it would cost a
// fee for a refusal.
func (p Program) PullPayment(signer solana.PublicKey, v Voucher, signature voting.Signature) ([]solana.Instruction, error) {
	if v.Domain.Program != voting.Key(p.id) {
		return nil, fmt.Errorf("%w: it is for the program %s, not %s", ErrVoucher, solana.PublicKey(v.Domain.Program), p.id)
	}
	if err := v.Verify(signature); err != nil {
		return nil, fmt.Errorf("program: pull_payment: %w", err)
	}
	return []solana.Instruction{
		Ed25519(SelfContained{Peer: voting.Key(v.Payer), Signature: signature, Message: v.Statement()}),
		p.build(&PullPayment{}, signer, p.config, p.Agent(v.Payer), p.Agent(v.Payee), p.Channel(v.Payer, v.Payee),
			solana.SysVarInstructionsPubkey, solana.SystemProgramID),
	}, nil
}
