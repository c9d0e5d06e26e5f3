package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// InitConfig creates Config and an empty Roster.
//
// Who: the program's upgrade authority, which pays. When: once. Errors: NotAuthority (also for an immutable program),
// AlreadyExists, BadConfig.
type InitConfig struct{ Params Params }

// UpdateConfig replaces the parameters, pauses or resumes, and hands Config to another authority. Open cases keep the
// parameters with which they opened.
//
// Who: Config's authority. When: always. Errors: NotAuthority, BadConfig (also when Network changes).
type UpdateConfig struct {
	Params    Params
	Paused    uint8 // 1: new tasks and new judges are refused
	Authority solana.PublicKey
}

// RegisterAgent creates the Agent account of an authority and enters it in the registry.
//
// Who: anyone, for itself, paying. When: once. Errors: WrongPage (somebody registered in between and the page is full: try
// again with the next), AlreadyExists.
type RegisterAgent struct {
	Operator solana.PublicKey // who runs the agent; zero: not declared
	CardHash voting.Hash
	Page     uint32 // Config.AgentCount / PageEntries
}

// UpdateAgent replaces operator and card. Tasks keep the operator that was declared when they were created or claimed.
//
// Who: the agent. When: always.
type UpdateAgent struct {
	Operator solana.PublicKey
	CardHash voting.Hash
}

// Deposit moves lamports from a wallet into an agent's vault.
//
// Who: anyone. When: always. Errors: ZeroAmount, Overflow.
type Deposit struct{ Amount uint64 }

// Withdraw moves lamports from the vault to the agent's wallet.
//
// Who: the agent. When: always. Errors: ZeroAmount, NotEnoughInVault.
type Withdraw struct{ Amount uint64 }

var _ = []Instruction{(*InitConfig)(nil), (*UpdateConfig)(nil), (*RegisterAgent)(nil), (*UpdateAgent)(nil), (*Deposit)(nil), (*Withdraw)(nil)}

// InstructionName returns "init_config".
func (*InitConfig) InstructionName() string { return "init_config" }

// Accounts are what the instruction wants, in order.
func (*InitConfig) Accounts() []AccountRole {
	return roles("authority:sw", "config:w", "roster:w", "program", "program_data", "system")
}

func (i *InitConfig) walk(w *walk) { one(w, "params", "Params", 0, &i.Params) }

// InitConfig builds the instruction.
func (p Program) InitConfig(authority solana.PublicKey, i InitConfig) solana.Instruction {
	return p.build(&i, authority, p.config, p.roster, p.id, p.ProgramData(), solana.SystemProgramID)
}

// InstructionName returns "update_config".
func (*UpdateConfig) InstructionName() string { return "update_config" }

// Accounts are what the instruction wants, in order.
func (*UpdateConfig) Accounts() []AccountRole { return roles("authority:s", "config:w") }

func (i *UpdateConfig) walk(w *walk) {
	one(w, "params", "Params", 0, &i.Params)
	u8(w, "paused", &i.Paused)
	key(w, "authority", &i.Authority)
}

// UpdateConfig builds the instruction; authority is the present one.
func (p Program) UpdateConfig(authority solana.PublicKey, i UpdateConfig) solana.Instruction {
	return p.build(&i, authority, p.config)
}

// InstructionName returns "register_agent".
func (*RegisterAgent) InstructionName() string { return "register_agent" }

// Accounts are what the instruction wants, in order.
func (*RegisterAgent) Accounts() []AccountRole {
	return roles("authority:sw", "config:w", "agent:w", "page:w", "system")
}

func (i *RegisterAgent) walk(w *walk) {
	key(w, "operator", &i.Operator)
	hash(w, "card_hash", &i.CardHash)
	u32(w, "page", &i.Page)
}

// RegisterAgent builds the instruction.
func (p Program) RegisterAgent(authority solana.PublicKey, i RegisterAgent) solana.Instruction {
	return p.build(&i, authority, p.config, p.Agent(authority), p.RegistryPage(i.Page), solana.SystemProgramID)
}

// InstructionName returns "update_agent".
func (*UpdateAgent) InstructionName() string { return "update_agent" }

// Accounts are what the instruction wants, in order.
func (*UpdateAgent) Accounts() []AccountRole { return roles("authority:s", "agent:w") }

func (i *UpdateAgent) walk(w *walk) {
	key(w, "operator", &i.Operator)
	hash(w, "card_hash", &i.CardHash)
}

// UpdateAgent builds the instruction.
func (p Program) UpdateAgent(authority solana.PublicKey, i UpdateAgent) solana.Instruction {
	return p.build(&i, authority, p.Agent(authority))
}

// InstructionName returns "deposit".
func (*Deposit) InstructionName() string { return "deposit" }

// Accounts are what the instruction wants, in order.
func (*Deposit) Accounts() []AccountRole { return roles("from:sw", "agent:w", "system") }

func (i *Deposit) walk(w *walk) { u64(w, "amount", &i.Amount) }

// Deposit builds the instruction: from a wallet into the vault of the agent of an authority.
func (p Program) Deposit(from, authority solana.PublicKey, i Deposit) solana.Instruction {
	return p.build(&i, from, p.Agent(authority), solana.SystemProgramID)
}

// InstructionName returns "withdraw".
func (*Withdraw) InstructionName() string { return "withdraw" }

// Accounts are what the instruction wants, in order.
func (*Withdraw) Accounts() []AccountRole { return roles("authority:sw", "agent:w") }

func (i *Withdraw) walk(w *walk) { u64(w, "amount", &i.Amount) }

// Withdraw builds the instruction.
func (p Program) Withdraw(authority solana.PublicKey, i Withdraw) solana.Instruction {
	return p.build(&i, authority, p.Agent(authority))
}
