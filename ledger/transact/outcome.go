package transact

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

var (
	// ErrNoFunds: the fee payer cannot pay (see FundsError).
	ErrNoFunds = errors.New("ledger: not enough SOL")
	// ErrRejected: the program or the runtime refused the transaction (see Rejection).
	ErrRejected = errors.New("ledger: the transaction was refused")
	// ErrTooLarge: the transaction exceeds 1232 bytes.
	ErrTooLarge = errors.New("ledger: the transaction is too large")
)

// Class is how a Submit ended.
type Class uint8

// The ends of a Submit.
const (
	// Landed: the transaction succeeded in a block of the configured commitment.
	Landed Class = iota + 1
	// AlreadyDone: the chain shows that the act is done, by another party or an earlier
	// transaction.
	AlreadyDone
	// Rejected: the program or the runtime refused it, in a simulation or in a block.
	Rejected
	// Expired: no signed transaction landed in time, and none can land any more.
	Expired
	// GaveUp: SubmitOptions.Before has passed. Outcome.Pending says whether the transaction may
	// still land.
	GaveUp
)

// String names c for logs and metrics.
func (c Class) String() string {
	names := [...]string{"none", "landed", "already_done", "rejected", "expired", "gave_up"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// Outcome is the result of a Submit.
type Outcome struct {
	Class     Class
	Signature onchain.Signature // of the last transaction signed; zero: none was
	Slot      uint64            // Landed, and Rejected in a block: the block's
	Events    []program.Event   // Landed: what the program did
	Complete  bool              // Landed: Events are all there
	Rejection *Rejection        // Rejected, and AlreadyDone when that was found by a refusal
	Pending   bool              // GaveUp: it may still land; the sender watches it until it cannot
	Resumed   bool              // the transaction was one that was under way already
}

// Voting is the class that package voting knows. err is the error of Submit.
func (o Outcome) Voting(err error) voting.SubmitClass {
	switch {
	case err != nil:
		return voting.Failed
	case o.Class == Landed:
		return voting.Landed
	case o.Class == AlreadyDone:
		return voting.Moot
	case o.Class == Rejected:
		return o.Rejection.voting()
	}
	return voting.Failed
}

// Rejection is why a transaction was refused. It is an ErrRejected, and if the program refused it a
// program.Code, so that errors.Is(err, program.ErrTooEarly) tells.
type Rejection struct {
	Failure   program.Failure
	Ours      bool // the instruction that failed is one of the program
	Simulated bool // it was not sent, nothing was paid
	Logs      []string
}

// Code is the program's error, if the program refused.
func (r *Rejection) Code() (program.Code, bool) {
	code, ok := r.Failure.Code()
	return code, ok && r.Ours
}

func (r *Rejection) Error() string {
	if code, ok := r.Code(); ok {
		return fmt.Sprintf("%v: %v", ErrRejected, code)
	}
	return fmt.Sprintf("%v: %v", ErrRejected, r.Failure)
}

// Unwrap returns ErrRejected and the program's code.
func (r *Rejection) Unwrap() []error {
	if code, ok := r.Code(); ok {
		return []error{ErrRejected, code}
	}
	return []error{ErrRejected}
}

// voting tells refusals that mean "not now, or done by others" from those that mean "never".
func (r *Rejection) voting() voting.SubmitClass {
	code, ok := r.Code()
	if !ok {
		return voting.Failed
	}
	for _, moot := range []program.Code{
		program.ErrWrongStatus, program.ErrWrongRound, program.ErrTooEarly, program.ErrTooLate, program.ErrTooFewJudges,
		program.ErrAlreadyCommitted, program.ErrNotCommitted, program.ErrAlreadyRevealed, program.ErrNotYetSettleable,
		program.ErrEquivocated, program.ErrNothingToClaim, program.ErrWrongOwner, program.ErrVoucherSpent,
	} {
		if errors.Is(code, moot) {
			return voting.Moot
		}
	}
	return voting.Hopeless
}

// FundsError says that a fee payer cannot pay. It is an ErrNoFunds.
type FundsError struct {
	Address onchain.Address
	Balance uint64 // lamports
	Need    uint64 // lamports; 0: not known
}

func (e *FundsError) Error() string {
	need := "more"
	if e.Need > 0 {
		need = onchain.SOL(e.Need)
	}
	return fmt.Sprintf("%v: %s has %s and needs %s", ErrNoFunds, e.Address, onchain.SOL(e.Balance), need)
}

func (e *FundsError) Unwrap() error { return ErrNoFunds }

// Broke reports whether a refusal means that an account has too few lamports, and how many it needs
// if the logs say so.
func (r *Rejection) Broke() (need uint64, yes bool) {
	switch r.Failure.Kind {
	case "AccountNotFound", "InsufficientFundsForFee", "InsufficientFundsForRent", "InvalidAccountForFee":
		return 0, true
	}
	if !r.Failure.HasCustom || r.Failure.Custom != 1 { // SystemError::ResultWithNegativeLamports
		return 0, false
	}
	line := regexp.MustCompile(`^Transfer: insufficient lamports \d+, need (\d+)$`)
	for _, text := range slices.Backward(r.Logs) {
		if m := line.FindStringSubmatch(text); m != nil {
			need, err := strconv.ParseUint(m[1], 10, 64)
			return need, err == nil
		}
	}
	return 0, false
}
