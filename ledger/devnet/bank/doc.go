// Package bank is the state of the embedded Solana chain: slots, blockhashes, accounts at three
// commitment levels, transaction statuses and history, kept durably. Transactions are run by
// ledger/svm; JSON-RPC is ledger/devnet's.
//
// There is one open slot. A transaction is executed in it as it arrives and is processed at once;
// sealing the slot makes it confirmed and opens the next one; FinalityBlocks sealed blocks later it
// is finalized. There are no forks, so nothing processed is ever undone.
//
// Lamports are neither made nor lost: the genesis has them all, fees go whole to the validator
// identity account (a cluster burns half of the base fee), airdrops are transfers from the faucet
// account. Capitalization stays what it was at genesis.
//
// The package has no clock and no randomness: the caller passes the time to Open, Seal and Warp,
// and everything else (keys, blockhashes) comes from the seed of the genesis. Equal inputs give
// equal hashes, accounts and logs.
//
// The caller must
//
//  1. call Seal when a slot is over (every SlotTime), and stop when it fails;
//  2. take an error from Process, Seal, Warp or Sync, other than ErrClosed, as final: what was not
//     written is not acknowledged, and the bank refuses everything after it;
//  3. call Sync before telling anybody what it read, so that nothing leaves the process that is not
//     on disk;
//  4. never change bytes it was handed: accounts share them.
//
// # On disk
//
// A directory belongs to one process (ErrLocked). Every executed transaction is one atomic,
// synchronous write of the accounts, the record and the head; transactions that wait for the disk
// at the same time share a write. After a crash the chain goes on in the slot it was in. History is
// bounded: KeepTransactions and KeepBlocks, oldest go first.
package bank
