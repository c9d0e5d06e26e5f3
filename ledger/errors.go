package ledger

import (
	"errors"
	"fmt"

	"ojud/ledger/onchain"
)

// The classes of errors. Use errors.Is. The message says what happened and, if there is one, the
// next step.
var (
	// ErrUnavailable: the node did not answer, or answered with an internal error. A retry may
	// succeed.
	ErrUnavailable = errors.New("ledger: the RPC node does not answer")
	// ErrRateLimited: the node refuses more requests for now.
	ErrRateLimited = errors.New("ledger: the RPC node limits requests")
	// ErrStale: the node is behind what was read before. What it says may be undone already.
	ErrStale = errors.New("ledger: the RPC node is behind")
	// errRefused: the node will never answer this request (unknown method, bad key, bad
	// parameters).
	errRefused = errors.New("ledger: the RPC node refuses the request")
	// ErrAnswer: the answer is too large, garbage, or not to this request.
	ErrAnswer = errors.New("ledger: the RPC node's answer makes no sense")
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

	// ErrNoFunds: the fee payer cannot pay (see Funds).
	ErrNoFunds = errors.New("ledger: not enough lamports")
	// errRejected: the program or the runtime refused the transaction (see Rejection).
	errRejected = errors.New("ledger: the transaction was refused")
	// errInFlight: a transaction for the same purpose is under way, and a caller waits for it.
	errInFlight = errors.New("ledger: already in submission")
	// ErrOutbox: the outbox failed, so nothing may be sent. The node must stop.
	ErrOutbox = errors.New("ledger: the outbox failed")
	// errClosed: the sender was closed.
	errClosed = errors.New("ledger: closed")
	// errTooLarge: the transaction exceeds 1232 bytes.
	errTooLarge = errors.New("ledger: the transaction is too large")
	// ErrFee: the transaction would cost more than SubmitOptions.MaxFee.
	ErrFee = errors.New("ledger: the fee is more than it may be")
	// errAirdrop: the node gives no airdrop.
	errAirdrop = errors.New("ledger: no airdrop")
	// errTooLong: a history has more transactions than Watch.MaxHistory.
	errTooLong = errors.New("ledger: the history is too long")

	// errKeyFileMode: others may read the key file.
	errKeyFileMode = errors.New("ledger: key file is open to others")
	// errKeyFile: the file holds no Solana keypair.
	errKeyFile = errors.New("ledger: not a Solana keypair file")
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

// rpcError is an error object that the node answered with (JSON-RPC 2.0, section 5.1).
type rpcError struct {
	Method  string
	Code    int
	Message string // at most maxErrorText bytes of what the node wrote
	Data    []byte // JSON, may be empty
	class   error
}

func (e *rpcError) Error() string {
	return fmt.Sprintf("%v: %s: %s (code %d)", e.class, e.Method, e.Message, e.Code)
}

func (e *rpcError) Unwrap() error { return e.class }

// Codes of Agave's JSON-RPC (rpc-client-api, custom_error.rs).
const (
	codePreflight         = -32002
	codeBadSignature      = -32003
	codeBlockNotAvailable = -32004
	codeUnhealthy         = -32005
	codeNoHistory         = -32011
	codeStatusNotYet      = -32014
	codeMinContextSlot    = -32016
	codeNoMethod          = -32601
	codeBadParams         = -32602
	codeInternal          = -32603
)

// classOf says which class an error code belongs to. Providers in front of nodes use the HTTP
// number 429 as a code.
func classOf(code int) error {
	switch code {
	case 429, -32429, -32097:
		return ErrRateLimited
	case codeMinContextSlot, codeUnhealthy, codeBlockNotAvailable, codeStatusNotYet:
		return ErrStale
	case codeInternal:
		return ErrUnavailable
	}
	return errRefused
}

// retryable reports whether the same request may succeed a little later.
func retryable(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrRateLimited) || errors.Is(err, ErrStale) || errors.Is(err, ErrAnswer)
}
