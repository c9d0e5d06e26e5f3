package bank

import "errors"

var (
	// ErrLocked says that another process has the directory.
	ErrLocked = errors.New("bank: another process uses this chain's directory")
	// ErrGenesis says that the directory holds a chain with another genesis.
	ErrGenesis = errors.New("bank: the directory holds another chain")
	// errCorrupt says that the data on disk cannot be read as a chain.
	errCorrupt = errors.New("bank: the chain on disk is damaged")
	// ErrClosed says that the bank was closed.
	ErrClosed = errors.New("bank: closed")
	// ErrBroken says that a write or an invariant failed. The bank accepts nothing more.
	ErrBroken = errors.New("bank: stopped after a failure")
	// ErrPruned says that the block is so old that it was dropped.
	ErrPruned = errors.New("bank: block is no longer kept")
	// ErrNoBlock says that there is no block in that slot.
	ErrNoBlock = errors.New("bank: no block in this slot")
	// ErrFaucetEmpty says that the faucet account cannot pay the airdrop.
	ErrFaucetEmpty = errors.New("bank: the faucet has not enough lamports")
)
