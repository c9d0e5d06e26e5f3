package client

import (
	"crypto/sha256"
	"encoding/hex"

	"ojud/ledger"
	"ojud/ledger/transact"
	oju "ojud/programs/oju"
)

// ProgramSHA256 returns the hash of the oju program in this binary, in hex. A devnet deploys this
// program. Compare the hash with the program of another cluster.
func ProgramSHA256() string {
	sum := sha256.Sum256(oju.ELF())
	return hex.EncodeToString(sum[:])
}

// Keypair is a key that signs.
type Keypair = ledger.Keypair

// LoadKey reads a Solana key file (id.json) that only its owner may read.
func LoadKey(path string) (*ledger.Keypair, error) { return transact.LoadKeypair(path) }

// LoadOrCreateKey reads a key file. It makes one if there is none, and reports that.
func LoadOrCreateKey(path string) (key *ledger.Keypair, created bool, err error) {
	return transact.LoadOrCreateKeypair(path)
}
