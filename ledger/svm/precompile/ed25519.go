// Package precompile verifies Ed25519 signatures in instructions of the Ed25519 program.
package precompile

import (
	"crypto/sha512"
	"encoding/binary"

	"filippo.io/edwards25519"

	"ojud/ledger/svm/failure"
)

// Layout of a precompile instruction: a count, a byte of padding, then offsets.
const (
	ed25519Header  = 2
	ed25519Offsets = 14
	ed25519Sig     = 64
	ed25519Key     = 32
	thisData       = 0xffff // instruction index meaning the precompile's own data
)

// Errors of the precompile, as custom numbers (solana-precompile-error).
const (
	precompileBadKey     = 0
	precompileBadSig     = 2
	precompileBadOffsets = 3
	precompileBadSize    = 4
)

// Ed25519 checks every signature that an Ed25519 precompile instruction points to. all has
// the data of the transaction's instructions.
func Ed25519(data []byte, all [][]byte) error {
	if len(data) < ed25519Header {
		return failure.OfNumber(precompileBadSize)
	}
	count := int(data[0])
	if count == 0 && len(data) > ed25519Header || len(data) < ed25519Header+count*ed25519Offsets {
		return failure.OfNumber(precompileBadSize)
	}
	for i := range count {
		if err := verifyOffsets(data[ed25519Header+i*ed25519Offsets:], data, all); err != nil {
			return err
		}
	}
	return nil
}

func verifyOffsets(offsets, data []byte, all [][]byte) error {
	at := func(i int) uint16 { return binary.LittleEndian.Uint16(offsets[2*i:]) }
	signature, err := precompileSlice(data, all, at(1), at(0), ed25519Sig)
	if err != nil {
		return err
	}
	if signature[63]&0xe0 != 0 {
		return failure.OfNumber(precompileBadSig)
	}
	key, err := precompileSlice(data, all, at(3), at(2), ed25519Key)
	if err != nil {
		return err
	}
	point, err := new(edwards25519.Point).SetBytes(key)
	if err != nil {
		return failure.OfNumber(precompileBadKey)
	}
	message, err := precompileSlice(data, all, at(6), at(4), int(at(5)))
	if err != nil {
		return err
	}
	if !verifyStrict(point, key, message, signature) {
		return failure.OfNumber(precompileBadSig)
	}
	return nil
}

func precompileSlice(data []byte, all [][]byte, instruction, offset uint16, size int) ([]byte, error) {
	from := data
	if instruction != thisData {
		if int(instruction) >= len(all) {
			return nil, failure.OfNumber(precompileBadOffsets)
		}
		from = all[instruction]
	}
	start, end := int(offset), int(offset)+size
	if end > len(from) {
		return nil, failure.OfNumber(precompileBadOffsets)
	}
	return from[start:end], nil
}

// verifyStrict is verify_strict of ed25519-dalek 1: a canonical scalar, neither point of small
// order, and R = sB - H(R,A,M)A. It compares points. For the few encodings of a point that are not
// canonical that differs from package verifier, which compares bytes, as dalek 2 does for the
// signatures of transactions.
func verifyStrict(a *edwards25519.Point, key, message, signature []byte) bool {
	s, err := edwards25519.NewScalar().SetCanonicalBytes(signature[32:])
	if err != nil {
		return false
	}
	r, err := new(edwards25519.Point).SetBytes(signature[:32])
	if err != nil || smallOrder(r) || smallOrder(a) {
		return false
	}
	h := sha512.New()
	h.Write(signature[:32])
	h.Write(key)
	h.Write(message)
	k, err := edwards25519.NewScalar().SetUniformBytes(h.Sum(nil))
	if err != nil {
		return false
	}
	return new(edwards25519.Point).VarTimeDoubleScalarBaseMult(k, new(edwards25519.Point).Negate(a), s).Equal(r) == 1
}

func smallOrder(p *edwards25519.Point) bool {
	return new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1
}
