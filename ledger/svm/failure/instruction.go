package failure

import (
	"encoding/json"
	"fmt"
)

// InstructionCode is the kind of an InstructionError, in Agave's order (solana-instruction-error
// 2.4).
type InstructionCode uint8

// The kinds. A name is the one in JSON-RPC.
const (
	GenericError InstructionCode = iota
	InvalidArgument
	InvalidInstructionData
	InvalidAccountData
	AccountDataTooSmall
	InsufficientFunds
	IncorrectProgramId
	MissingRequiredSignature
	AccountAlreadyInitialized
	UninitializedAccount
	UnbalancedInstruction
	ModifiedProgramId
	ExternalAccountLamportSpend
	ExternalAccountDataModified
	ReadonlyLamportChange
	ReadonlyDataModified
	DuplicateAccountIndex
	ExecutableModified
	RentEpochModified
	NotEnoughAccountKeys
	AccountDataSizeChanged
	AccountNotExecutable
	AccountBorrowFailed
	AccountBorrowOutstanding
	DuplicateAccountOutOfSync
	Custom
	InvalidError
	ExecutableDataModified
	ExecutableLamportChange
	ExecutableAccountNotRentExempt
	UnsupportedProgramId
	CallDepth
	MissingAccount
	ReentrancyNotAllowed
	MaxSeedLengthExceeded
	InvalidSeeds
	InvalidRealloc
	ComputationalBudgetExceeded
	PrivilegeEscalation
	ProgramEnvironmentSetupFailure
	ProgramFailedToComplete
	ProgramFailedToCompile
	Immutable
	IncorrectAuthority
	BorshIoError
	AccountNotRentExempt
	InvalidAccountOwner
	ArithmeticOverflow
	UnsupportedSysvar
	IllegalOwner
	MaxAccountsDataAllocationsExceeded
	MaxAccountsExceeded
	MaxInstructionTraceLengthExceeded
	BuiltinProgramsMustConsumeComputeUnits
)

// InstructionError says why an instruction failed. Number is the program's own code if Code is
// Custom, otherwise 0.
type InstructionError struct {
	Code   InstructionCode
	Number uint32
}

func (e InstructionError) Error() string {
	if e.Code == Custom {
		return fmt.Sprintf("custom program error: %#x", e.Number)
	}
	return instructionTexts[e.Code][1]
}

// Name returns the kind as JSON-RPC spells it.
func (e InstructionError) Name() string { return instructionTexts[e.Code][0] }

// MarshalJSON writes "InvalidArgument" or {"Custom":6001}.
func (e InstructionError) MarshalJSON() ([]byte, error) {
	if e.Code == Custom {
		return json.Marshal(map[string]uint32{"Custom": e.Number})
	}
	return json.Marshal(e.Name())
}

// Of returns the error of a kind.
func Of(code InstructionCode) error { return InstructionError{Code: code} }

// OfNumber returns a program's own error.
func OfNumber(number uint32) error { return InstructionError{Code: Custom, Number: number} }

// OfStatus turns a non-zero return value of a program or builtin into an error. The low 32 bits
// are its own code; multiples of 2^32 are the kinds below.
func OfStatus(status uint64) InstructionError {
	if status>>32 == 0 {
		return InstructionError{Code: Custom, Number: uint32(status)}
	}
	if high := status >> 32; status<<32 == 0 && high < uint64(len(returnCodes)) {
		return InstructionError{Code: returnCodes[high]}
	}
	return InstructionError{Code: InvalidError}
}

// returnCodes maps status>>32 to a kind; 0 cannot occur.
var returnCodes = [...]InstructionCode{
	InvalidError,
	Custom,
	InvalidArgument,
	InvalidInstructionData,
	InvalidAccountData,
	AccountDataTooSmall,
	InsufficientFunds,
	IncorrectProgramId,
	MissingRequiredSignature,
	AccountAlreadyInitialized,
	UninitializedAccount,
	NotEnoughAccountKeys,
	AccountBorrowFailed,
	MaxSeedLengthExceeded,
	InvalidSeeds,
	BorshIoError,
	AccountNotRentExempt,
	UnsupportedSysvar,
	IllegalOwner,
	MaxAccountsDataAllocationsExceeded,
	InvalidRealloc,
	MaxInstructionTraceLengthExceeded,
	BuiltinProgramsMustConsumeComputeUnits,
	InvalidAccountOwner,
	ArithmeticOverflow,
	Immutable,
	IncorrectAuthority,
}
