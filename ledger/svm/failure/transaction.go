package failure

import (
	"encoding/json"
	"fmt"
)

// TransactionCode is the kind of a TransactionError, in Agave's order (solana-transaction-error
// 3.3).
type TransactionCode uint8

// The kinds. A name without Err is the one in JSON-RPC.
const (
	ErrAccountInUse TransactionCode = iota
	ErrAccountLoadedTwice
	ErrAccountNotFound
	ErrProgramAccountNotFound
	ErrInsufficientFundsForFee
	ErrInvalidAccountForFee
	ErrAlreadyProcessed
	ErrBlockhashNotFound
	ErrInstructionError
	ErrCallChainTooDeep
	ErrMissingSignatureForFee
	ErrInvalidAccountIndex
	ErrSignatureFailure
	ErrInvalidProgramForExecution
	ErrSanitizeFailure
	ErrClusterMaintenance
	ErrAccountBorrowOutstanding
	ErrWouldExceedMaxBlockCostLimit
	ErrUnsupportedVersion
	ErrInvalidWritableAccount
	ErrWouldExceedMaxAccountCostLimit
	ErrWouldExceedAccountDataBlockLimit
	ErrTooManyAccountLocks
	ErrAddressLookupTableNotFound
	ErrInvalidAddressLookupTableOwner
	ErrInvalidAddressLookupTableData
	ErrInvalidAddressLookupTableIndex
	ErrInvalidRentPayingAccount
	ErrWouldExceedMaxVoteCostLimit
	ErrWouldExceedAccountDataTotalLimit
	ErrDuplicateInstruction
	ErrInsufficientFundsForRent
	ErrMaxLoadedAccountsDataSizeExceeded
	ErrInvalidLoadedAccountsDataSizeLimit
	ErrResanitizationNeeded
	ErrProgramExecutionTemporarilyRestricted
	ErrUnbalancedTransaction
	ErrProgramCacheHitMaxLimit
	ErrCommitCancelled
)

// TransactionError says why a transaction was refused or failed. Index is the instruction of
// ErrInstructionError and ErrDuplicateInstruction, and the account of ErrInsufficientFundsForRent
// and ErrProgramExecutionTemporarilyRestricted.
type TransactionError struct {
	Code        TransactionCode
	Index       uint8
	Instruction InstructionError // only for ErrInstructionError
}

func (e *TransactionError) Error() string {
	switch e.Code {
	case ErrInstructionError:
		return fmt.Sprintf("Error processing Instruction %d: %s", e.Index, e.Instruction.Error())
	case ErrDuplicateInstruction:
		return fmt.Sprintf("Transaction contains a duplicate instruction (%d) that is not allowed", e.Index)
	case ErrInsufficientFundsForRent:
		return fmt.Sprintf("Transaction results in an account (%d) with insufficient funds for rent", e.Index)
	case ErrProgramExecutionTemporarilyRestricted:
		return fmt.Sprintf("Execution of the program referenced by account at index %d is temporarily restricted.", e.Index)
	}
	return transactionTexts[e.Code][1]
}

// Name returns the kind as JSON-RPC spells it.
func (e *TransactionError) Name() string { return transactionTexts[e.Code][0] }

// MarshalJSON writes the error as in getTransaction and sendTransaction: "AccountNotFound",
// {"InstructionError":[0,{"Custom":6001}]}, {"InsufficientFundsForRent":{"account_index":0}}.
func (e *TransactionError) MarshalJSON() ([]byte, error) {
	switch e.Code {
	case ErrInstructionError:
		return json.Marshal(map[string]any{e.Name(): []any{e.Index, e.Instruction}})
	case ErrDuplicateInstruction:
		return json.Marshal(map[string]uint8{e.Name(): e.Index})
	case ErrInsufficientFundsForRent, ErrProgramExecutionTemporarilyRestricted:
		return json.Marshal(map[string]any{e.Name(): map[string]uint8{"account_index": e.Index}})
	}
	return json.Marshal(e.Name())
}

// Reject returns the error of a kind.
func Reject(code TransactionCode) *TransactionError { return &TransactionError{Code: code} }

// RejectAt returns the error of a kind that has an index.
func RejectAt(code TransactionCode, index int) *TransactionError {
	return &TransactionError{Code: code, Index: uint8(index)}
}

// At returns the error of the instruction at an index.
func At(index int, err InstructionError) *TransactionError {
	return &TransactionError{Code: ErrInstructionError, Index: uint8(index), Instruction: err}
}
