package ledger

import (
	"errors"
	"fmt"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
)

// The classes of errors. Use errors.Is. The message says what happened and, if there is one, the
// next step.
var (
	// ErrUnavailable, ErrRateLimited, ErrStale and ErrAnswer are those of package rpc: a later call
	// may not meet them.
	ErrUnavailable = rpc.ErrUnavailable
	ErrRateLimited = rpc.ErrRateLimited
	ErrStale       = rpc.ErrStale
	ErrAnswer      = rpc.ErrAnswer
	// ErrNotFound: there is no such account (see Missing), or no such transaction.
	ErrNotFound = errors.New("ledger: not found")
	// ErrForeign: an account exists but has the wrong owner or layout.
	ErrForeign = errors.New("ledger: not an account of the program")

	// ErrOtherChain: the node serves another cluster than before, or than it should. It is final:
	// every later call fails with it.
	ErrOtherChain = errors.New("ledger: this is another chain")
	// ErrNoProgram: there is no account at the program's address.
	ErrNoProgram = errors.New("ledger: the oju program is not there")
	// ErrNotExecutable: the account at the program's address is not a program.
	ErrNotExecutable = errors.New("ledger: not a program")
	// ErrNoConfig: the program is there, but it is not initialised.
	ErrNoConfig = errors.New("ledger: the oju program is not initialised")

	// errVersion: the court is one of another version of the program.
	errVersion = errors.New("ledger: a court of another version")

	// ErrNoFunds: the fee payer cannot pay (see transact.FundsError).
	ErrNoFunds = transact.ErrNoFunds
	// errInFlight: a transaction for the same purpose is under way, and a caller waits for it.
	errInFlight = errors.New("ledger: already in submission")
	// ErrOutbox: the outbox failed, so nothing may be sent. The node must stop.
	ErrOutbox = errors.New("ledger: the outbox failed")
	// errClosed: the sender was closed.
	errClosed = errors.New("ledger: closed")
	// ErrFee: the transaction would cost more than SubmitOptions.MaxFee.
	ErrFee = errors.New("ledger: the fee is more than it may be")
	// errAirdrop: the node gives no airdrop.
	errAirdrop = errors.New("ledger: no airdrop")
	// errTooLong: a history has more transactions than Watch.MaxHistory.
	errTooLong = errors.New("ledger: the history is too long")
)

// missing says that there was no account at an address in a slot. It is an ErrNotFound.
type missing struct {
	Address onchain.Address
	Slot    uint64
}

func (e *missing) Error() string {
	return fmt.Sprintf("ledger: account %s is not found in slot %d", e.Address, e.Slot)
}

func (e *missing) Unwrap() error { return ErrNotFound }
