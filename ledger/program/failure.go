package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// errFailure is returned for a value that is no error of a transaction.
var errFailure = errors.New("program: not a transaction error")

// Failure is why a transaction failed.
type Failure struct {
	// Index of the instruction that failed, from 0; −1: the transaction was refused before any ran.
	Index int
	// Custom is the instruction's own code, if HasCustom. It is a Code of this program only when
	// that instruction is one of this program and it did not fail inside of a call to another:
	// Failure.Code looks at both.
	Custom    uint32
	HasCustom bool
	// Kind is the runtime's name of the error: "BlockhashNotFound", "MissingRequiredSignature",
	// "Custom" …
	Kind string
}

// ParseFailure reads the error of a transaction as RPC nodes write it: meta.err of getTransaction,
// err of getSignatureStatuses and of a signatureNotification, or the data of the JSON-RPC error
// with which a preflight refuses (code −32002), which holds it in "err". nil is no failure:
// ErrFailure.
func ParseFailure(v any) (Failure, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return Failure{}, fmt.Errorf("%w: %w", errFailure, err)
	}
	return parseFailure(raw, 0)
}

func parseFailure(raw []byte, depth int) (Failure, error) {
	var kind string
	if json.Unmarshal(raw, &kind) == nil && kind != "" {
		return Failure{Index: -1, Kind: kind}, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || len(fields) == 0 {
		return Failure{}, fmt.Errorf("%w: %.200s", errFailure, raw)
	}
	if pair, ok := fields["InstructionError"]; ok {
		return instructionError(pair)
	}
	inner, wrapped := fields["err"]
	if wrapped && depth == 0 {
		return parseFailure(inner, 1)
	}
	if wrapped || len(fields) != 1 {
		return Failure{}, fmt.Errorf("%w: %.200s", errFailure, raw)
	}
	for kind = range fields { // one: {"DuplicateInstruction": 3}, {"InsufficientFundsForRent": …}
	}
	if kind == "" {
		return Failure{}, fmt.Errorf("%w: %.200s", errFailure, raw)
	}
	return Failure{Index: -1, Kind: kind}, nil
}

// instructionError reads [index, kind] or [index, {"Custom": code}].
func instructionError(raw []byte) (Failure, error) {
	var pair []json.RawMessage
	if err := json.Unmarshal(raw, &pair); err != nil || len(pair) != 2 {
		return Failure{}, fmt.Errorf("%w: %.200s", errFailure, raw)
	}
	index, err := number32(pair[0])
	if err != nil {
		return Failure{}, err
	}
	f := Failure{Index: int(index)}
	if json.Unmarshal(pair[1], &f.Kind) == nil && f.Kind != "" {
		return f, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(pair[1], &fields); err != nil || len(fields) != 1 || fields[""] != nil {
		return Failure{}, fmt.Errorf("%w: %.200s", errFailure, raw)
	}
	for kind, value := range fields {
		f.Kind = kind
		if kind == "Custom" {
			f.HasCustom = true
			f.Custom, err = number32(value)
		}
	}
	return f, err
}

// number32 reads a u32, also one that went through a float.
func number32(raw []byte) (uint32, error) {
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || x < 0 || x > math.MaxUint32 || x != math.Trunc(x) {
		return 0, fmt.Errorf("%w: number %.40s", errFailure, raw)
	}
	return uint32(x), nil
}

// Code returns the program's own error, given that the instruction that failed was one of this
// program. A lower code, as the system program's 1 for "not enough lamports", came from a program
// that it called.
func (f Failure) Code() (Code, bool) {
	c := Code(f.Custom)
	return c, f.HasCustom && c.Known()
}

// Error is one line for people.
func (f Failure) Error() string {
	switch code, ok := f.Code(); {
	case ok:
		return code.Error()
	case f.HasCustom && f.Custom == 1:
		return "the account that pays does not hold enough lamports; send it some, then try again"
	case f.HasCustom:
		return fmt.Sprintf("instruction %d failed with code %d", f.Index, f.Custom)
	case f.Index >= 0:
		return fmt.Sprintf("instruction %d failed: %s", f.Index, f.Kind)
	}
	return "the transaction was refused: " + f.Kind
}
