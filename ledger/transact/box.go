package transact

import (
	"crypto/rand"
	"crypto/sha512"
	"errors"
	"fmt"

	"filippo.io/edwards25519"
	"golang.org/x/crypto/nacl/box"

	"ojud/ledger/onchain"
)

// BoxOverhead is how much longer a sealed box is than its content, in bytes.
const BoxOverhead = box.AnonymousOverhead

// errBox means that a sealed box was not made for the key, or was changed.
var errBox = errors.New("ledger: the sealed box is not for this key, or it was changed")

// SealBox encrypts content for the holder of an address alone: a sealed box of X25519, as libsodium
// makes them. The X25519 key is that of the address, by the map of libsodium. It refuses an address
// that is no key, such as that of a program's account, and keys of a small group, for which anybody
// could open the box.
func SealBox(to onchain.Address, content []byte) ([]byte, error) {
	public, err := exchangeKey(to)
	if err != nil {
		return nil, err
	}
	out, err := box.SealAnonymous(nil, content, public, rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("ledger: sealing a box: %w", err)
	}
	return out, nil
}

// OpenBox decrypts a sealed box for the key. A key that signs elsewhere cannot open any.
func (k *Keypair) OpenBox(sealed []byte) ([]byte, error) {
	if k.private == nil {
		return nil, fmt.Errorf("%w: the key of %s is in a wallet, which opens no box", errElsewhere, k.address)
	}
	public, err := exchangeKey(k.address)
	if err != nil {
		return nil, err
	}
	digest := sha512.Sum512(k.private.Seed())
	private := [32]byte(digest[:32]) // the curve's multiplication clamps it
	out, ok := box.OpenAnonymous(nil, sealed, public, &private)
	if !ok {
		return nil, errBox
	}
	return out, nil
}

// exchangeKey is the X25519 key of an Ed25519 key.
func exchangeKey(of onchain.Address) (*[32]byte, error) {
	p, err := point(of)
	if err != nil {
		return nil, err
	}
	return (*[32]byte)(p.BytesMontgomery()), nil
}

// CheckKey refuses an address that is no key, and the keys of a small group: anybody can make
// signatures of these.
func CheckKey(a onchain.Address) error {
	_, err := point(a)
	return err
}

func point(of onchain.Address) (*edwards25519.Point, error) {
	p, err := new(edwards25519.Point).SetBytes(of[:])
	if err != nil {
		return nil, fmt.Errorf("ledger: %s is the address of an account, and no key", of)
	}
	if new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return nil, fmt.Errorf("ledger: %s is a key of a small group, which proves nothing", of)
	}
	return p, nil
}
