package program

import "github.com/gagliardetto/solana-go"

// WriteData creates an agent's data account or resizes it to Len, then writes Bytes at Offset.
//
// Who: the agent, which pays the rent; or the holder of a write grant, who names the task and has to give the present Len.
// When: always; for a grantee until the task is over. Errors: BadName, DataTooLarge (Len above MaxData, Bytes above MaxWrite or
// past Len), NoGrant, NotAuthority.
type WriteData struct {
	DataName string // 1..32 bytes of [a-z0-9._-]
	Offset   uint32
	Len      uint32 // of the whole content afterwards, at most MaxData
	Bytes    []byte // at most MaxWrite
}

// Grant gives another agent access to a data account until a task is over, or changes what it gives.
//
// Who: the agent. When: always. Errors: BadFlags, GrantsFull.
type Grant struct {
	Task    solana.PublicKey
	Grantee solana.PublicKey // zero: whoever is the task's worker
	Flags   uint8            // GrantRead, GrantWrite or both
}

// Revoke removes a grant.
//
// Who and when: the agent at any time; anyone when the task is over. Errors: NoGrant, NotAuthority.
type Revoke struct {
	Task    solana.PublicKey
	Grantee solana.PublicKey
}

// CloseData removes a data account; its rent goes to the agent.
//
// Who: the agent. When: always.
type CloseData struct{}

var _ = []Instruction{(*WriteData)(nil), (*Grant)(nil), (*Revoke)(nil), (*CloseData)(nil)}

// InstructionName returns "write_data".
func (*WriteData) InstructionName() string { return "write_data" }

// Accounts are what the instruction wants, in order.
func (*WriteData) Accounts() []AccountRole {
	return roles("writer:sw", "agent", "data:w", "task:o", "system")
}

func (i *WriteData) walk(w *walk) {
	text(w, "name", &i.DataName)
	u32(w, "offset", &i.Offset)
	u32(w, "len", &i.Len)
	blob(w, "bytes", "bytes", &i.Bytes)
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

// InstructionName returns "grant".
func (*Grant) InstructionName() string { return "grant" }

// Accounts are what the instruction wants, in order.
func (*Grant) Accounts() []AccountRole { return roles("authority:s", "data:w") }

func (i *Grant) walk(w *walk) {
	key(w, "task", &i.Task)
	key(w, "grantee", &i.Grantee)
	u8(w, "flags", &i.Flags)
}

// Grant builds the instruction; data is the address from Program.Data.
func (p Program) Grant(authority, data solana.PublicKey, i Grant) solana.Instruction {
	return p.build(&i, authority, data)
}

// InstructionName returns "revoke".
func (*Revoke) InstructionName() string { return "revoke" }

// Accounts are what the instruction wants, in order.
func (*Revoke) Accounts() []AccountRole { return roles("signer:s", "data:w", "task") }

func (i *Revoke) walk(w *walk) {
	key(w, "task", &i.Task)
	key(w, "grantee", &i.Grantee)
}

// Revoke builds the instruction; data is the address from Program.Data.
func (p Program) Revoke(signer, data solana.PublicKey, i Revoke) solana.Instruction {
	return p.build(&i, signer, data, i.Task)
}

// InstructionName returns "close_data".
func (*CloseData) InstructionName() string { return "close_data" }

// Accounts are what the instruction wants, in order.
func (*CloseData) Accounts() []AccountRole { return roles("authority:sw", "data:w") }

func (*CloseData) walk(*walk) {}

// CloseData builds the instruction; data is the address from Program.Data.
func (p Program) CloseData(authority, data solana.PublicKey) solana.Instruction {
	return p.build(&CloseData{}, authority, data)
}
