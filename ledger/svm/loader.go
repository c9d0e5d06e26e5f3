package svm

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

// ProgramAccounts returns the two accounts of a program under the upgradeable loader for the
// genesis of a chain. They are rent exempt and deployed in slot 0. authority may upgrade the
// program; nil means that it cannot be upgraded.
func ProgramAccounts(program solana.PublicKey, elf []byte, authority *solana.PublicKey, rent Rent) ([]KeyedAccount, error) {
	dataKey, _, err := solana.FindProgramAddress([][]byte{program[:]}, loaderV3ID)
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
	return []KeyedAccount{
		{program, Account{rent.MinimumBalance(len(state)), state, loaderV3ID, true, rentEpochExempt}},
		{dataKey, Account{rent.MinimumBalance(len(data)), data, loaderV3ID, false, rentEpochExempt}},
	}, nil
}

// programDataKey reads the address of a loader-v3 program's code.
func programDataKey(a Account) (solana.PublicKey, bool) {
	if a.Owner != loaderV3ID || len(a.Data) < programStateSize || binary.LittleEndian.Uint32(a.Data) != loaderProgram {
		return solana.PublicKey{}, false
	}
	return solana.PublicKeyFromBytes(a.Data[4:programStateSize]), true
}

// programELF returns the code of a program account, or false if there is none.
func programELF(a Account, source Source) ([]byte, bool) {
	if a.Owner == loaderV2ID {
		return a.Data, true
	}
	key, ok := programDataKey(a)
	if !ok {
		return nil, false
	}
	data, ok := source.Account(key)
	if !ok || data.Owner != loaderV3ID || !isProgramData(data.Data) {
		return nil, false
	}
	return data.Data[programDataOffset:], true
}

func isProgramData(b []byte) bool {
	return len(b) >= programDataOffset && binary.LittleEndian.Uint32(b) == loaderProgramData && b[12] <= 1
}
