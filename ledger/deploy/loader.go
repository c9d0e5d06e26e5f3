package deploy

import (
	"encoding/binary"
	"errors"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"

	"ojud/ledger/onchain"
)

// Sizes in bytes of what stands before the program in the accounts of the loader, and of the
// account that stands for a program.
const (
	bufferHead  = 4 + 1 + 32
	dataHead    = 4 + 8 + 1 + 32
	programSize = 4 + 32
)

// States of the accounts of the loader.
const (
	isBuffer      = 1
	isProgram     = 2
	isProgramData = 3
)

// Kinds of instructions of the loader.
const (
	initializeBuffer = iota
	write
	deployProgram
	upgradeProgram
	setAuthority
	closeAccount
)

// pieceSize is the number of bytes of the program in one transaction. With it, the transaction has
// 1,224 of 1,232 bytes at most.
const pieceSize = 952

// bufferSeed makes the address of the buffer out of the payer's.
const bufferSeed = "ojud program buffer"

func loader() onchain.Address { return onchain.Address(solana.BPFLoaderUpgradeableProgramID) }

// bufferOf returns the buffer of a payer.
func bufferOf(payer onchain.Address) (onchain.Address, error) {
	key, err := solana.CreateWithSeed(solana.PublicKey(payer), bufferSeed, solana.BPFLoaderUpgradeableProgramID)
	return onchain.Address(key), err
}

var errLayout = errors.New("deploy: an account of the upgradeable loader has an unknown layout")

// head is what an account of the loader says before the program.
type head struct {
	state     uint32
	slot      uint64          // of the deployment or upgrade, in program data
	authority onchain.Address // zero: none
}

// readHead reads an account with a program: a buffer, or program data. The program comes after it.
func readHead(raw []byte) (h head, program []byte, err error) {
	if len(raw) < 4 {
		return h, nil, errLayout
	}
	h.state = binary.LittleEndian.Uint32(raw)
	at := map[uint32]int{isBuffer: 4, isProgramData: 12}[h.state]
	if at == 0 || len(raw) < at+33 || raw[at] > 1 {
		return h, nil, errLayout
	}
	if h.state == isProgramData {
		h.slot = binary.LittleEndian.Uint64(raw[4:])
	}
	if raw[at] == 1 {
		h.authority = onchain.Address(raw[at+1 : at+33])
	}
	return h, raw[at+33:], nil
}

func signs(a onchain.Address) onchain.AccountMeta {
	return onchain.AccountMeta{Address: a, Signer: true}
}

func writes(a onchain.Address) onchain.AccountMeta {
	return onchain.AccountMeta{Address: a, Writable: true}
}

func reads(a onchain.Address) onchain.AccountMeta { return onchain.AccountMeta{Address: a} }

// call is an instruction of the loader.
func call(kind uint32, data []byte, metas ...onchain.AccountMeta) onchain.Instruction {
	return onchain.Instruction{Program: loader(), Accounts: metas, Data: append(binary.LittleEndian.AppendUint32(nil, kind), data...)}
}

// plain returns an instruction of solana-go in the project's form.
func plain(in solana.Instruction, err error) (onchain.Instruction, error) {
	if err != nil {
		return onchain.Instruction{}, err
	}
	data, err := in.Data()
	out := onchain.Instruction{Program: onchain.Address(in.ProgramID()), Data: data}
	for _, m := range in.Accounts() {
		out.Accounts = append(out.Accounts, onchain.AccountMeta{Address: onchain.Address(m.PublicKey), Signer: m.IsSigner, Writable: m.IsWritable})
	}
	return out, err
}

// create makes the buffer and says who may write into it. Anybody can send lamports to an address,
// and CreateAccount refuses one that has some. So the lamports come first, then the room, then the
// owner.
func create(payer, buffer onchain.Address, lamports uint64, size int) ([]onchain.Instruction, error) {
	from, at, to := solana.PublicKey(payer), solana.PublicKey(buffer), solana.BPFLoaderUpgradeableProgramID
	paid, wrong := paying(payer, buffer, lamports)
	room, err := plain(system.NewAllocateWithSeedInstruction(from, bufferSeed, uint64(size), to, at, from).ValidateAndBuild())
	wrong = errors.Join(wrong, err)
	owned, err := plain(system.NewAssignWithSeedInstruction(from, bufferSeed, to, at, from).ValidateAndBuild())
	return append(paid, room, owned, call(initializeBuffer, nil, writes(buffer), reads(payer))), errors.Join(wrong, err)
}

// paying sends lamports, if there are any to send.
func paying(payer, to onchain.Address, lamports uint64) ([]onchain.Instruction, error) {
	if lamports == 0 {
		return nil, nil
	}
	i, err := plain(system.NewTransferInstruction(lamports, solana.PublicKey(payer), solana.PublicKey(to)).ValidateAndBuild())
	return []onchain.Instruction{i}, err
}

// piece writes a part of the program into the buffer.
func piece(payer, buffer onchain.Address, at int, part []byte) onchain.Instruction {
	data := binary.LittleEndian.AppendUint32(nil, uint32(at))
	data = binary.LittleEndian.AppendUint64(data, uint64(len(part)))
	return call(write, append(data, part...), writes(buffer), signs(payer))
}

// deploying makes a program of the buffer, whose rent goes back to the payer. The program's account
// gets lamports that it lacks.
func deploying(payer, program, data, buffer onchain.Address, lamports uint64, length int) ([]onchain.Instruction, error) {
	paid, wrong := paying(payer, program, lamports)
	room, err := plain(system.NewAllocateInstruction(programSize, solana.PublicKey(program)).ValidateAndBuild())
	wrong = errors.Join(wrong, err)
	owned, err := plain(system.NewAssignInstruction(solana.BPFLoaderUpgradeableProgramID, solana.PublicKey(program)).ValidateAndBuild())
	pays := onchain.AccountMeta{Address: payer, Signer: true, Writable: true}
	return append(paid, room, owned, call(deployProgram, binary.LittleEndian.AppendUint64(nil, uint64(length)),
		pays, writes(data), writes(program), writes(buffer), reads(onchain.Address(solana.SysVarRentPubkey)),
		reads(onchain.ClockAccount()), reads(onchain.SystemProgram()), signs(payer))), errors.Join(wrong, err)
}

// upgrading replaces a program by that of a buffer. What is left of the rent goes to spill.
func upgrading(program, data, buffer, spill, authority onchain.Address) onchain.Instruction {
	return call(upgradeProgram, nil, writes(data), writes(program), writes(buffer), writes(spill),
		reads(onchain.Address(solana.SysVarRentPubkey)), reads(onchain.ClockAccount()), signs(authority))
}

// HandOver gives program data or a buffer to another authority. The zero address freezes a
// program for ever.
func HandOver(account, authority, next onchain.Address) onchain.Instruction {
	metas := []onchain.AccountMeta{writes(account), signs(authority)}
	if !next.IsZero() {
		metas = append(metas, reads(next))
	}
	return call(setAuthority, nil, metas...)
}

// closing gives the rent of a buffer back.
func closing(buffer, payer onchain.Address) onchain.Instruction {
	return call(closeAccount, nil, writes(buffer), writes(payer), signs(payer))
}
