package holdings

import (
	"crypto/rand"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"

	"ojud/casefile/agentdata"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
)

// A private item (protocol section 4, AgentData): this mark, a sealed box for its owner with the
// item's key and the address of its account, a nonce, and the content under XChaCha20-Poly1305.
const (
	privateMark = agentdata.PrivateMark
	keySize     = chacha20poly1305.KeySize
	addressSize = len(onchain.Address{})
	boxedKey    = keySize + addressSize + transact.BoxOverhead
	privateHead = len(privateMark) + boxedKey + chacha20poly1305.NonceSizeX
	overhead    = privateHead + chacha20poly1305.Overhead
)

// maxPrivate is the longest content of a private item, in bytes.
const maxPrivate = program.MaxData - overhead

// itemKey is the key of one private item.
type itemKey [keySize]byte

// errItem means that a private item does not open with a key.
var errItem = errors.New("holdings: the private item does not open with this key: it was changed, or was not written to its end; its owner can put it again")

// encrypted returns content as a private item of an owner, with a new key. It is bound to its
// account.
func encrypted(owner, account onchain.Address, content []byte) ([]byte, error) {
	if len(content) > maxPrivate {
		return nil, fmt.Errorf("holdings: the content has %d bytes, and a private item holds at most %d", len(content), maxPrivate)
	}
	var key itemKey
	nonce := make([]byte, chacha20poly1305.NonceSizeX)
	for _, b := range [][]byte{key[:], nonce} {
		if _, err := rand.Read(b); err != nil {
			return nil, fmt.Errorf("holdings: making a key: %w", err)
		}
	}
	box, err := transact.SealBox(owner, append(key[:], account[:]...))
	if err != nil {
		return nil, err
	}
	cipher, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	out := append(append([]byte(privateMark), box...), nonce...)
	return cipher.Seal(out, nonce, content, bound(account)), nil
}

// bound is what a private item is bound to.
func bound(account onchain.Address) []byte { return append([]byte(privateMark), account[:]...) }

// opened decrypts a private item.
func opened(account onchain.Address, item []byte, key itemKey) ([]byte, error) {
	if !agentdata.Private(item) || len(item) < overhead {
		return nil, errItem
	}
	cipher, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	content, err := cipher.Open(nil, item[privateHead-chacha20poly1305.NonceSizeX:privateHead], item[privateHead:], bound(account))
	if err != nil {
		return nil, errItem
	}
	return content, nil
}

// keyOf takes the key out of the private item of an account, for its owner. Without the address in
// the box, one that may write an account could put the box of another there, and be handed its key.
func keyOf(own *transact.Keypair, account onchain.Address, item []byte) (key itemKey, err error) {
	if !agentdata.Private(item) || len(item) < overhead {
		return key, errItem
	}
	raw, err := own.OpenBox(item[len(privateMark) : len(privateMark)+boxedKey])
	if err != nil {
		return key, err
	}
	if len(raw) != keySize+addressSize || onchain.Address(raw[keySize:]) != account {
		return key, errItem
	}
	return itemKey(raw[:keySize]), nil
}
