package voting

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
)

// errSignature is returned for a signature that the program would not take.
var errSignature = errors.New("voting: bad signature")

// VerifyStatement checks that the node key peer signed the statement of judge's commitment
// (protocol section 3).
func VerifyStatement(d Domain, peer Key, task Key, round uint8, judge Key, s Signed) error {
	if !VerifyStrict(peer, d.Statement(task, round, judge, s.Commitment), s.Signature) {
		return errSignature
	}
	return nil
}

// VerifyStrict reports whether sig is peer's signature of message, as strictly as Solana's Ed25519
// program, which also refuses keys and nonce points of small order. A judge could otherwise sign
// statements that its peers take and the program does not: equivocation without a proof.
func VerifyStrict(peer Key, message []byte, sig Signature) bool {
	if smallOrder([32]byte(peer)) || smallOrder([32]byte(sig[:32])) {
		return false
	}
	return ed25519.Verify(peer[:], message, sig[:])
}

// smallOrder reports whether point encodes one of the eight points whose order divides the
// cofactor, canonically or not: the y coordinate decides, and the sign bit does not matter.
func smallOrder(point [32]byte) bool {
	point[31] &= 0x7f
	for y := smallOrderY; y != ""; y = y[32:] {
		if y[:32] == string(point[:]) {
			return true
		}
	}
	return false
}

// smallOrderY are the y coordinates of the points of small order, 32 little-endian bytes each, and
// p + y for those that fit in 255 bits. TestSmallOrder multiplies each by the cofactor.
const (
	smallOrderY = "\x01" + zeros + "\x00" + // 1: the identity
		"\x00" + zeros + "\x00" + // 0: order 4
		"\xec" + ones + "\x7f" + // −1: order 2
		"\xed" + ones + "\x7f" + // p, another way to write 0
		"\xee" + ones + "\x7f" + // p + 1, another way to write 1
		"\x26\xe8\x95\x8f\xc2\xb2\x27\xb0\x45\xc3\xf4\x89\xf2\xef\x98\xf0" +
		"\xd5\xdf\xac\x05\xd3\xc6\x33\x39\xb1\x38\x02\x88\x6d\x53\xfc\x05" + // order 8
		"\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67\x0f" +
		"\x2a\x20\x53\xfa\x2c\x39\xcc\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a" // order 8

	zeros = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // 30 bytes
	ones = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" +
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
)

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
