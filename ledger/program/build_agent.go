package program

import (
	"fmt"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// InitConfig builds the instruction.
func (p Program) InitConfig(authority onchain.Address, i InitConfig) onchain.Instruction {
	return p.build(&i, authority, p.config, p.roster, p.pot, p.Rules(FirstRules), p.id, p.ProgramData(), onchain.SystemProgram())
}

// ProposeRules builds the instruction; latest is Config.Rules.
func (p Program) ProposeRules(authority onchain.Address, latest uint32, i ProposeRules) onchain.Instruction {
	return p.build(&i, authority, p.config, p.Rules(latest), p.Rules(latest+1), onchain.SystemProgram())
}

// WithdrawRules builds the instruction; announced is Config.Rules.
func (p Program) WithdrawRules(authority onchain.Address, announced uint32) onchain.Instruction {
	return p.build(&WithdrawRules{}, authority, p.config, p.Rules(announced-1), p.Rules(announced))
}

// RegisterAgent builds the instruction. A declared operator signs, too.
func (p Program) RegisterAgent(authority onchain.Address, i RegisterAgent) onchain.Instruction {
	addresses := []onchain.Address{authority, p.config, p.Agent(authority), p.RegistryPage(i.Page), onchain.SystemProgram()}
	return p.build(&i, cosigned(addresses, i.Operator)...)
}

// UpdateAgent builds the instruction. present is the agent's operator so far; another one signs,
// too.
func (p Program) UpdateAgent(authority, present onchain.Address, i UpdateAgent) onchain.Instruction {
	addresses := []onchain.Address{authority, p.Agent(authority)}
	if i.Operator != present {
		addresses = cosigned(addresses, i.Operator)
	}
	return p.build(&i, addresses...)
}

// cosigned appends the account of an operator that has to sign, if one is declared.
func cosigned(addresses []onchain.Address, operator onchain.Address) []onchain.Address {
	if operator.IsZero() {
		return addresses
	}
	return append(addresses, operator)
}

// Deposit builds the instruction: from a wallet into the vault of the agent of an authority.
func (p Program) Deposit(from, authority onchain.Address, i Deposit) onchain.Instruction {
	return p.build(&i, from, p.Agent(authority), onchain.SystemProgram())
}

// TokenAccounts are the accounts of the token program in withdraw_tokens: tokens of a mint go from
// an account of the agent to one of its authority.
type TokenAccounts struct{ Mint, Source, Destination, Program onchain.Address }

// Withdraw builds withdraw_tokens of the agent of an authority.
func (t TokenAccounts) Withdraw(p Program, authority onchain.Address, amount uint64) onchain.Instruction {
	return p.build(&WithdrawTokens{Amount: amount}, authority, p.Agent(authority), t.Mint, t.Source, t.Destination, t.Program)
}

// Pledge builds pledge_tokens beside a task of a creator. Destination is the pledge's associated
// account.
func (t TokenAccounts) Pledge(p Program, creator, task onchain.Address, amount uint64) onchain.Instruction {
	return p.build(&PledgeTokens{Amount: amount}, creator, p.Agent(creator), task, PledgeAt(p, task), t.Mint, t.Source, t.Destination, t.Program, onchain.SystemProgram())
}

// PayPledge builds pay_pledge for a party of a task. Source is the pledge's associated account,
// Destination one of the party's vault.
func (t TokenAccounts) PayPledge(p Program, task, creator, party onchain.Address) onchain.Instruction {
	return p.build(&PayPledge{}, task, PledgeAt(p, task), p.Agent(party), t.Mint, t.Source, t.Destination, t.Program, creator)
}

// WriteData builds the instruction for the data of authority, written by writer. task names the
// task of the writer's grant; zero when the agent writes itself. The error names the fault of the
// name.
func (p Program) WriteData(writer, authority, task onchain.Address, i WriteData) (onchain.Instruction, error) {
	data, err := p.Data(authority, i.DataName)
	if err != nil {
		return onchain.Instruction{}, err
	}
	if task.IsZero() {
		task = p.id
	}
	return p.build(&i, writer, p.Agent(authority), data, task, onchain.SystemProgram()), nil
}

// PullPayment builds the two instructions of a transaction, in their order: the voucher and the
// pull. Several such pairs may stand in one transaction. ErrVoucher if v is not for this program or
// the signature is not the payer's; sending it would cost a fee for a refusal.
func (p Program) PullPayment(signer onchain.Address, v Voucher, signature voting.Signature) ([]onchain.Instruction, error) {
	if v.Domain.Program != voting.Key(p.id) {
		return nil, fmt.Errorf("%w: it is for the program %s, not %s", errVoucher, onchain.Address(v.Domain.Program), p.id)
	}
	if err := v.Verify(signature); err != nil {
		return nil, fmt.Errorf("program: pull_payment: %w", err)
	}
	return []onchain.Instruction{
		Ed25519(SelfContained{Peer: voting.Key(v.Payer), Signature: signature, Message: v.Statement()}),
		p.build(&PullPayment{}, signer, p.config, p.Agent(v.Payer), p.Agent(v.Payee), p.Channel(v.Payer, v.Payee),
			onchain.InstructionsAccount(), onchain.SystemProgram()),
	}, nil
}

// Revoke builds the instruction. creator made the task; it and i.ID matter only if somebody else
// than the agent revokes, and the task's account is gone.
func (p Program) Revoke(signer, data, creator onchain.Address, i Revoke) onchain.Instruction {
	return p.build(&i, signer, data, i.Task, p.Agent(creator))
}
