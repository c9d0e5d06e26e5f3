package tokens

import (
	"encoding/binary"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// SPL is the address of SPL Token.
func SPL() onchain.Address { return onchain.Address(solana.TokenProgramID) }

// Token2022 is the address of Token-2022.
func Token2022() onchain.Address { return onchain.Address(solana.Token2022ProgramID) }

// AssociatedProgram is the address of the Associated Token Account program.
func AssociatedProgram() onchain.Address {
	return onchain.Address(solana.SPLAssociatedTokenAccountProgramID)
}

// IsProgram reports whether an address is one of the two token programs.
func IsProgram(a onchain.Address) bool { return a == SPL() || a == Token2022() }

// associated is the address of an owner's associated token account for a mint of a token program.
func associated(owner, mint, program onchain.Address) (onchain.Address, error) {
	at, _, err := solana.FindProgramAddress([][]byte{owner[:], program[:], mint[:]}, solana.SPLAssociatedTokenAccountProgramID)
	return onchain.Address(at), err
}

// Numbers of instructions of both programs.
const (
	mintTo           = 7
	transferChecked  = 12
	initializeMint2  = 20
	createIdempotent = 1 // of the Associated Token Account program
	createWithSeed   = 3 // of the System program
)

func read(a onchain.Address) onchain.AccountMeta { return onchain.AccountMeta{Address: a} }

func write(a onchain.Address) onchain.AccountMeta {
	return onchain.AccountMeta{Address: a, Writable: true}
}

func sign(a onchain.Address) onchain.AccountMeta {
	return onchain.AccountMeta{Address: a, Signer: true}
}

func pay(a onchain.Address) onchain.AccountMeta {
	return onchain.AccountMeta{Address: a, Signer: true, Writable: true}
}

// CreateAssociated makes the associated token account of an owner, if there is none. The payer pays
// its rent.
func CreateAssociated(payer, owner onchain.Address, m *Mint) (onchain.Instruction, error) {
	at, err := associated(owner, m.Address, m.Program)
	return onchain.Instruction{
		Program:  AssociatedProgram(),
		Accounts: []onchain.AccountMeta{pay(payer), write(at), read(owner), read(m.Address), read(onchain.SystemProgram()), read(m.Program)},
		Data:     []byte{createIdempotent},
	}, err
}

// Transfer moves tokens between accounts of a mint. The owner of the first one signs.
func Transfer(m *Mint, from, to, owner onchain.Address, amount uint64) onchain.Instruction {
	return onchain.Instruction{
		Program:  m.Program,
		Accounts: []onchain.AccountMeta{write(from), read(m.Address), write(to), sign(owner)},
		Data:     append(binary.LittleEndian.AppendUint64([]byte{transferChecked}, amount), m.Decimals),
	}
}

// MintTo makes tokens. The mint's authority signs.
func MintTo(m *Mint, to, authority onchain.Address, amount uint64) onchain.Instruction {
	return onchain.Instruction{
		Program:  m.Program,
		Accounts: []onchain.AccountMeta{write(m.Address), write(to), sign(authority)},
		Data:     binary.LittleEndian.AppendUint64([]byte{mintTo}, amount),
	}
}

// MintAddress is the address of the mint that a key makes under a name.
func MintAddress(authority onchain.Address, name string, program onchain.Address) (onchain.Address, error) {
	at, err := solana.CreateWithSeed(solana.PublicKey(authority), name, solana.PublicKey(program))
	return onchain.Address(at), err
}

// CreateMint makes a mint at MintAddress. The authority pays the rent, signs, and may make tokens
// later. Nobody may freeze accounts.
func CreateMint(authority onchain.Address, name string, m *Mint, rent uint64) []onchain.Instruction {
	data := append([]byte{createWithSeed, 0, 0, 0}, authority[:]...)
	data = append(binary.LittleEndian.AppendUint64(data, uint64(len(name))), name...)
	data = binary.LittleEndian.AppendUint64(data, rent)
	data = append(binary.LittleEndian.AppendUint64(data, MintSize), m.Program[:]...)
	initialize := append([]byte{initializeMint2, m.Decimals}, authority[:]...)
	return []onchain.Instruction{
		{Program: onchain.SystemProgram(), Accounts: []onchain.AccountMeta{pay(authority), write(m.Address)}, Data: data},
		{Program: m.Program, Accounts: []onchain.AccountMeta{write(m.Address)}, Data: append(initialize, 0)},
	}
}
