package program

import (
	"errors"
	"fmt"
	"strings"

	"ojud/ledger/onchain"
)

// errInstruction is returned for bytes that are no instruction of the program.
var errInstruction = errors.New("program: not an instruction of the program")

// Instruction is the arguments of one instruction: a pointer to one of the types of
// instructions_generated.go. Build one with the Program method of the same name, which knows the
// accounts.
type Instruction interface {
	layout
	// InstructionName is the name in the protocol, as commit or create_task.
	InstructionName() string
	// Accounts returns the accounts that the instruction needs, in order.
	Accounts() []AccountRole
}

// AccountRole is the place of an account in an instruction.
type AccountRole struct {
	Name     string
	Signer   bool
	Writable bool
	// Optional accounts are left out when there is none, or replaced by the program's own address
	// (write_data).
	Optional bool
}

// roles reads a list as in the protocol: names with their flags after a colon, s signer, w
// writable, o optional.
func roles(list ...string) []AccountRole {
	all := make([]AccountRole, len(list))
	for i, entry := range list {
		name, flags, _ := strings.Cut(entry, ":")
		all[i] = AccountRole{
			Name: name, Signer: strings.Contains(flags, "s"), Writable: strings.Contains(flags, "w"),
			Optional: strings.Contains(flags, "o"),
		}
	}
	return all
}

// DecodeInstruction decodes an instruction's data; ErrInstruction if it is none or not exactly as
// long as its arguments.
func DecodeInstruction(data []byte) (Instruction, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("%w: %d bytes", errInstruction, len(data))
	}
	for _, i := range instructions() {
		if Discriminator("global", i.InstructionName()) != [8]byte(data) {
			continue
		}
		w := &walk{mode: reading, data: data, pos: 8}
		i.walk(w)
		if err := w.end(); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errInstruction, i.InstructionName(), err)
		}
		return i, nil
	}
	return nil, fmt.Errorf("%w: unknown discriminator %x", errInstruction, data[:8])
}

// EncodeInstruction returns the instruction's data.
func EncodeInstruction(i Instruction) []byte {
	d := Discriminator("global", i.InstructionName())
	return append(d[:], encode(i)...)
}

// build puts the accounts in their places. Only an optional last account may be missing.
func (p Program) build(i Instruction, addresses ...onchain.Address) onchain.Instruction {
	list := i.Accounts()
	accounts := make([]onchain.AccountMeta, len(addresses))
	for n, address := range addresses {
		accounts[n] = onchain.AccountMeta{Address: address, Signer: list[n].Signer, Writable: list[n].Writable}
	}
	return onchain.Instruction{Program: p.id, Accounts: accounts, Data: EncodeInstruction(i)}
}
