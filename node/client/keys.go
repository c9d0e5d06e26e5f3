package client

import (
	"crypto/sha256"
	"encoding/hex"

	"ojud/ledger"
	oju "ojud/programs/oju"
)

// ProgramSHA256 is the hash of the oju program in this binary, in hex: what a devnet deploys, and
// what one may compare with a cluster's.
func ProgramSHA256() string {
	sum := sha256.Sum256(oju.ELF())
	return hex.EncodeToString(sum[:])
}

// LoadKey reads a Solana key file (id.json) that only its owner may read.
func LoadKey(path string) (*ledger.Keypair, error) { return ledger.LoadKeypair(path) }

// LoadOrCreateKey reads a key file or makes one, and says which.
func LoadOrCreateKey(path string) (key *ledger.Keypair, created bool, err error) {
	return ledger.LoadOrCreateKeypair(path)
}
