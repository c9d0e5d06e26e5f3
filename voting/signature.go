package voting

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"ojud/voting/strict"
)

// errSignature is returned for a signature that the program would not take.
var errSignature = errors.New("voting: bad signature")

// verifyStatement checks that the node key peer signed the statement of judge's commitment
// (protocol section 3).
func verifyStatement(d Domain, peer Key, task Key, round uint8, judge Key, s Signed) error {
	if !VerifyStrict(peer, d.Statement(task, round, judge, s.Commitment), s.Signature) {
		return errSignature
	}
	return nil
}

// VerifyStrict reports whether sig is peer's signature of message, as strictly as the program takes
// it. A judge could otherwise sign statements that its peers take and the program does not:
// equivocation without a proof.
func VerifyStrict(peer Key, message []byte, sig Signature) bool {
	return strict.Verify(peer, message, sig)
}

// Sizes in bytes of a sealed opening (protocol section 3).
const (
	plainSize  = 65             // choice ‖ opinion hash ‖ receipts root
	NonceSize  = 12             // of ChaCha20-Poly1305
	SealedSize = 12 + 65 + 16   // nonce ‖ ciphertext ‖ tag
	sealedAAD  = len(Key{}) + 1 // task ‖ round
)

// errPlain is returned for bytes that are no opening of a vote.
var errPlain = errors.New("voting: not the plain text of a sealed opening")

// SealedInfo is the HKDF info from which a node derives the key that seals the opening of a round,
// with the seed of its node key as the secret and an empty HKDF salt. The cipher is
// ChaCha20-Poly1305, which is not in the standard library: the node does the sealing, this package
// defines the plain text and the parameters.
func (d Domain) SealedInfo(task Key, round uint8) []byte {
	b := append([]byte(tagSealed), d.Network[:]...)
	b = append(b, d.Program[:]...)
	b = append(b, task[:]...)
	return append(b, round)
}

// SealedAAD is the additional data that ties a sealed opening to its round: task ‖ round.
func SealedAAD(task Key, round uint8) []byte {
	b := make([]byte, 0, sealedAAD)
	b = append(b, task[:]...)
	return append(b, round)
}

// SealedNonce derives the nonce from key and plain text, so that sealing needs no randomness and
// one key never seals two different texts under one nonce.
func SealedNonce(key [32]byte, plain []byte) [NonceSize]byte {
	b := append([]byte(tagNonce), key[:]...)
	sum := sha256.Sum256(append(b, plain...))
	return [NonceSize]byte(sum[:NonceSize])
}

// Plain encodes the sealed part of o: all but the salt, which the node derives again.
func (o Opening) Plain() []byte {
	b := make([]byte, 0, plainSize)
	b = append(b, byte(o.Choice))
	b = append(b, o.Opinion[:]...)
	return append(b, o.Receipts[:]...)
}

// ParsePlain is the inverse of Opening.Plain, with the salt that the node derived.
func ParsePlain(plain []byte, salt Hash) (Opening, error) {
	if len(plain) != plainSize {
		return Opening{}, fmt.Errorf("%w: %d bytes instead of %d", errPlain, len(plain), plainSize)
	}
	choice := Choice(plain[0])
	if !choice.Valid() {
		return Opening{}, fmt.Errorf("%w: choice %d", errPlain, plain[0])
	}
	return Opening{Choice: choice, Opinion: Hash(plain[1:33]), Receipts: Hash(plain[33:65]), Salt: salt}, nil
}
