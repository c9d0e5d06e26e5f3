package bank

import "errors"

var (
	// ErrLocked: another process has the directory.
	ErrLocked = errors.New("bank: another process uses this chain's directory")
	// ErrGenesis: the directory holds a chain with another genesis than the one asked for.
	ErrGenesis = errors.New("bank: the directory holds another chain")
	// ErrCorrupt: what is on disk cannot be read as a chain.
	ErrCorrupt = errors.New("bank: the chain on disk is damaged")
	// ErrClosed: the bank was closed.
	ErrClosed = errors.New("bank: closed")
	// ErrBroken: a write failed, or an invariant did; nothing more is accepted.
	ErrBroken = errors.New("bank: stopped after a failure")
	// ErrPruned: the block is older than what is kept.
	ErrPruned = errors.New("bank: block is no longer kept")
	// ErrNoBlock: there is no block in that slot.
	ErrNoBlock = errors.New("bank: no block in this slot")
	// ErrFaucetEmpty: the faucet account cannot pay the airdrop.
	ErrFaucetEmpty = errors.New("bank: the faucet has not enough lamports")
)
