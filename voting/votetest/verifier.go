package votetest

import (
	"crypto/sha256"

	"ojud/voting"
)

// verifier remembers which signatures are good: every node checks the same ones, and checking is
// what a simulation would spend its time on.
type verifier struct{ good map[voting.Hash]bool }

func newVerifier() *verifier { return &verifier{good: make(map[voting.Hash]bool)} }

func (v *verifier) check(peer voting.Key, message []byte, sig voting.Signature) bool {
	b := make([]byte, 0, 320)
	b = append(b, peer[:]...)
	b = append(b, sig[:]...)
	key := voting.Hash(sha256.Sum256(append(b, message...)))
	good, known := v.good[key]
	if !known {
		good = voting.VerifyStrict(peer, message, sig)
		v.good[key] = good
	}
	return good
}
