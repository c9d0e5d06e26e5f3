package svm

import (
	"crypto/sha256"
	"errors"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/failure"
)

// The reasons why seeds make no address. The numbers are Agave's PubkeyError.
var (
	errSeedTooLong  = errors.New("svm: seed too long")
	errOnCurve      = errors.New("svm: address is on the curve")
	errIllegalOwner = errors.New("svm: owner ends like a derived address")
)

const derivedMarker = "ProgramDerivedAddress"

// derive computes a program address. It must not be a point of the curve, so that it has no private
// key.
func derive(seeds [][]byte, program solana.PublicKey) (solana.PublicKey, error) {
	if len(seeds) > maxSeeds {
		return solana.PublicKey{}, errSeedTooLong
	}
	h := sha256.New()
	for _, s := range seeds {
		if len(s) > maxSeedLen {
			return solana.PublicKey{}, errSeedTooLong
		}
		h.Write(s)
	}
	h.Write(program[:])
	h.Write([]byte(derivedMarker))
	key := solana.PublicKeyFromBytes(h.Sum(nil))
	if solana.IsOnCurve(key[:]) {
		return solana.PublicKey{}, errOnCurve
	}
	return key, nil
}

// deriveWithSeed computes the System program's address for a base, a text and an owner.
func deriveWithSeed(base solana.PublicKey, seed string, owner solana.PublicKey) (solana.PublicKey, error) {
	if len(seed) > maxSeedLen {
		return solana.PublicKey{}, errSeedTooLong
	}
	if string(owner[len(owner)-len(derivedMarker):]) == derivedMarker {
		return solana.PublicKey{}, errIllegalOwner
	}
	h := sha256.New()
	h.Write(base[:])
	h.Write([]byte(seed))
	h.Write(owner[:])
	return solana.PublicKeyFromBytes(h.Sum(nil)), nil
}

// seedFailure converts those errors into an instruction's as Agave does, odd as that is.
func seedFailure(err error) error {
	switch {
	case errors.Is(err, errSeedTooLong):
		return failure.OfNumber(0)
	case errors.Is(err, errOnCurve):
		return failure.OfNumber(1)
	}
	return failure.OfNumber(2)
}

// addressInputs reads the seeds and the program of a derivation.
func (g *guestMemory) addressInputs(seeds, count, program uint64) ([][]byte, solana.PublicKey, error) {
	none := solana.PublicKey{}
	raw, err := g.readArray(seeds, count, 16, 8)
	if err != nil {
		return nil, none, err
	}
	if count > maxSeeds {
		return nil, none, errBadSeedsTooLong
	}
	out := make([][]byte, count)
	for i := range out {
		s := slice{word(raw[16*i:]), word(raw[16*i+8:])}
		if s.n > maxSeedLen {
			return nil, none, errBadSeedsTooLong
		}
		if out[i], err = g.bytesAt(s.addr, s.n); err != nil {
			return nil, none, err
		}
	}
	key, err := g.keyAt(program)
	return out, key, err
}

func callCreateAddress(x *execution, seeds, count, program, result, _ uint64) (uint64, error) {
	parts, key, err := x.addressInputs(seeds, count, program)
	if err != nil {
		return 0, err
	}
	address, err := derive(parts, key)
	if err != nil {
		return 1, nil // the program learns of it, and the transaction goes on
	}
	out, err := x.bytesFor(result, 32)
	if err != nil {
		return 0, err
	}
	copy(out, address[:])
	return 0, nil
}

func callFindAddress(x *execution, seeds, count, program, result, bumpAddr uint64) (uint64, error) {
	parts, key, err := x.addressInputs(seeds, count, program)
	if err != nil {
		return 0, err
	}
	bump := []byte{255}
	parts = append(parts, bump)
	for range 255 {
		if address, err := derive(parts, key); err == nil {
			out, err := x.writable(target{bumpAddr, 1, 1}, target{result, 32, 1})
			if err != nil {
				return 0, err
			}
			out[0][0] = bump[0]
			copy(out[1], address[:])
			return 0, nil
		}
		bump[0]--
		if err := x.consume(costProgramAddress); err != nil {
			return 0, err
		}
	}
	return 1, nil
}
