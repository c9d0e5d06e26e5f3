package accounts

import (
	"encoding/binary"

	"github.com/gagliardetto/solana-go"
)

// States of an account owned by the upgradeable loader and the sizes before their payload
// (solana-loader-v3-interface 8.0).
const (
	loaderProgram     = 2
	loaderProgramData = 3
	programStateSize  = 36
	programDataOffset = 45
)

// ProgramPair returns the two accounts of a program under the upgradeable loader for the
// genesis of a chain. They are rent exempt and deployed in slot 0. authority may upgrade the
// program; nil means that it cannot be upgraded.
func ProgramPair(program solana.PublicKey, elf []byte, authority *solana.PublicKey, rent Rent) ([]Keyed, error) {
	dataKey, _, err := solana.FindProgramAddress([][]byte{program[:]}, LoaderV3ID)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32(nil, loaderProgram)
	state := append(head, dataKey[:]...)
	data := make([]byte, programDataOffset, programDataOffset+len(elf))
	data[0] = loaderProgramData
	if authority != nil {
		data[12] = 1
		copy(data[13:], authority[:])
	}
	data = append(data, elf...)
	return []Keyed{
		{program, Account{rent.MinimumBalance(len(state)), state, LoaderV3ID, true, RentExempt}},
		{dataKey, Account{rent.MinimumBalance(len(data)), data, LoaderV3ID, false, RentExempt}},
	}, nil
}

// ProgramDataKey reads the address of a loader-v3 program's code.
func ProgramDataKey(a Account) (solana.PublicKey, bool) {
	if a.Owner != LoaderV3ID || len(a.Data) < programStateSize || binary.LittleEndian.Uint32(a.Data) != loaderProgram {
		return solana.PublicKey{}, false
	}
	return solana.PublicKeyFromBytes(a.Data[4:programStateSize]), true
}

// ProgramELF returns the code of a program account, or false if there is none that runs in this
// slot. A program runs from the slot after its deployment or upgrade, or in slot 0 if it is of the
// genesis.
func ProgramELF(a Account, source Snapshot, slot uint64) ([]byte, bool) {
	if a.Owner == LoaderV2ID {
		return a.Data, true
	}
	key, ok := ProgramDataKey(a)
	if !ok {
		return nil, false
	}
	data, ok := source.Account(key)
	if !ok || data.Owner != LoaderV3ID || !isProgramData(data.Data) {
		return nil, false
	}
	if at := binary.LittleEndian.Uint64(data.Data[4:]); at > 0 && at >= slot {
		return nil, false
	}
	return data.Data[programDataOffset:], true
}

func isProgramData(b []byte) bool {
	return len(b) >= programDataOffset && binary.LittleEndian.Uint32(b) == loaderProgramData && b[12] <= 1
}
