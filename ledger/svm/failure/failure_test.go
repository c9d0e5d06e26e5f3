package failure

import (
	"encoding/json"
	"math"
	"testing"
)

// TestNames: every kind of error has its own name and text.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for c := GenericError; c <= BuiltinProgramsMustConsumeComputeUnits; c++ {
		e := InstructionError{Code: c}
		if e.Name() == "" || e.Error() == "" || seen[e.Name()] {
			t.Errorf("instruction error %d: %q %q", c, e.Name(), e.Error())
		}
		seen[e.Name()] = true
	}
	seen = map[string]bool{}
	for c := ErrAccountInUse; c <= ErrCommitCancelled; c++ {
		e := &TransactionError{Code: c}
		if e.Name() == "" || e.Error() == "" || seen[e.Name()] {
			t.Errorf("transaction error %d: %q %q", c, e.Name(), e.Error())
		}
		seen[e.Name()] = true
	}
}

func TestErrorJSON(t *testing.T) {
	for want, err := range map[string]*TransactionError{
		`"AccountNotFound"`:                                             Reject(ErrAccountNotFound),
		`{"DuplicateInstruction":3}`:                                    RejectAt(ErrDuplicateInstruction, 3),
		`{"InsufficientFundsForRent":{"account_index":2}}`:              RejectAt(ErrInsufficientFundsForRent, 2),
		`{"InstructionError":[0,{"Custom":6001}]}`:                      At(0, InstructionError{Custom, 6001}),
		`{"InstructionError":[1,"InvalidArgument"]}`:                    At(1, InstructionError{Code: InvalidArgument}),
		`{"InstructionError":[5,"ProgramFailedToComplete"]}`:            At(5, InstructionError{Code: ProgramFailedToComplete}),
		`{"ProgramExecutionTemporarilyRestricted":{"account_index":7}}`: RejectAt(ErrProgramExecutionTemporarilyRestricted, 7),
	} {
		if got, e := json.Marshal(err); e != nil || string(got) != want {
			t.Errorf("got %s %v, want %s", got, e, want)
		}
	}
}

func TestProgramError(t *testing.T) {
	for status, want := range map[uint64]InstructionError{
		1:              {Custom, 1},
		math.MaxUint32: {Custom, math.MaxUint32},
		1 << 32:        {Custom, 0},
		2 << 32:        {Code: InvalidArgument},
		26 << 32:       {Code: IncorrectAuthority},
		27 << 32:       {Code: InvalidError},
		2<<32 | 1:      {Code: InvalidError},
		math.MaxUint64: {Code: InvalidError},
	} {
		if got := OfStatus(status); got != want {
			t.Errorf("OfStatus(%#x) = %v, want %v", status, got, want)
		}
	}
}
