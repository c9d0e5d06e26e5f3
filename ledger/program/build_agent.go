package program

import (
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// InitConfig builds the instruction.
func (p Program) InitConfig(authority solana.PublicKey, i InitConfig) solana.Instruction {
	return p.build(&i, authority, p.config, p.roster, p.id, p.ProgramData(), solana.SystemProgramID)
}

// UpdateConfig builds the instruction; authority is the present one.
func (p Program) UpdateConfig(authority solana.PublicKey, i UpdateConfig) solana.Instruction {
	return p.build(&i, authority, p.config)
}

// RegisterAgent builds the instruction.
func (p Program) RegisterAgent(authority solana.PublicKey, i RegisterAgent) solana.Instruction {
	return p.build(&i, authority, p.config, p.Agent(authority), p.RegistryPage(i.Page), solana.SystemProgramID)
}

// UpdateAgent builds the instruction.
func (p Program) UpdateAgent(authority solana.PublicKey, i UpdateAgent) solana.Instruction {
	return p.build(&i, authority, p.Agent(authority))
}

// Deposit builds the instruction: from a wallet into the vault of the agent of an authority.
func (p Program) Deposit(from, authority solana.PublicKey, i Deposit) solana.Instruction {
	return p.build(&i, from, p.Agent(authority), solana.SystemProgramID)
}

// Withdraw builds the instruction.
func (p Program) Withdraw(authority solana.PublicKey, i Withdraw) solana.Instruction {
	return p.build(&i, authority, p.Agent(authority))
}

// WriteData builds the instruction for the data of authority, written by writer. task names the task of the writer's grant;
// zero when the agent writes itself. The error says what is wrong with the name.
func (p Program) WriteData(writer, authority, task solana.PublicKey, i WriteData) (solana.Instruction, error) {
	data, err := p.Data(authority, i.DataName)
	if err != nil {
		return nil, err
	}
	if task.IsZero() {
		task = p.id
	}
	return p.build(&i, writer, p.Agent(authority), data, task, solana.SystemProgramID), nil
}

// Grant builds the instruction; data is the address from Program.Data.
func (p Program) Grant(authority, data solana.PublicKey, i Grant) solana.Instruction {
	return p.build(&i, authority, data)
}

// Revoke builds the instruction; data is the address from Program.Data.
func (p Program) Revoke(signer, data solana.PublicKey, i Revoke) solana.Instruction {
	return p.build(&i, signer, data, i.Task)
}

// CloseData builds the instruction; data is the address from Program.Data.
func (p Program) CloseData(authority, data solana.PublicKey) solana.Instruction {
	return p.build(&CloseData{}, authority, data)
}

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
