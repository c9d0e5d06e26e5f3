// Package tokens reads mints and token accounts of SPL Token and Token-2022, builds the
// instructions of both programs that wallets need, and says which mints are safe to hold.
//
// It does no input or output. What it reads is hostile: anybody makes a mint.
package tokens
