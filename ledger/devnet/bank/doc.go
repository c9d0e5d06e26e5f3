// Package bank is the state of the embedded Solana chain: slots, blockhashes, accounts at three
// commitment levels, transaction statuses and history. It is durable. Package ledger/svm runs
// transactions, and ledger/devnet has the JSON-RPC.
//
// There is one open slot. A transaction is executed in it when it arrives, and is processed at
// once. Sealing the slot makes it confirmed and opens the next one. It is finalized FinalityBlocks
// sealed blocks later. There are no forks, so nothing processed is ever undone.
//
// Lamports are neither made nor lost: the genesis has them all, fees go whole to the validator
// identity account (a cluster burns half of the base fee), and airdrops are transfers from the
// faucet account. So the capitalization never changes.
//
// The package has no clock and no randomness: the caller passes the time to Open, Seal and Warp,
// and everything else (keys, blockhashes) comes from the seed of the genesis. Equal inputs give
// equal hashes, accounts and logs.
//
// The caller must
//
//  1. call Seal when a slot is over (every SlotTime), and stop if it fails;
//  2. treat an error from Process, Seal, Warp or Sync, other than ErrClosed, as final: unwritten
//     changes are not acknowledged, and the bank refuses everything after it;
//  3. call Sync before it reveals data that it read, so that nothing leaves the process that is not
//     on disk;
//  4. never change bytes from the bank, because accounts share them.
//
// # On disk
//
// A directory belongs to one process (ErrLocked). Every executed transaction is one atomic,
// synchronous write of the accounts, the record and the head. Transactions that wait for the disk
// at the same time share a write. After a crash the chain continues in the same slot.
// KeepTransactions and KeepBlocks bound the history; the oldest go first.
package bank
