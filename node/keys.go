package node

import (
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"golang.org/x/crypto/chacha20poly1305"

	"ojud/ledger"
	"ojud/ledger/transact"
	"ojud/p2p/identity"
	"ojud/voting"
)

// Keys are a node's two keys: the node key speaks for it to peers, and the authority holds its
// stake. They print as addresses.
type Keys struct {
	Identity  identity.Identity
	Authority *ledger.Keypair
	node      ed25519.PrivateKey
}

// LoadKeys reads both keys of a home.
func LoadKeys(dir string) (Keys, error) {
	id, err := identity.Load(filepath.Join(dir, nodeKeyFile))
	if err != nil {
		return Keys{}, fmt.Errorf("%w: node key: %w", errHome, err)
	}
	authority, err := transact.LoadKeypair(filepath.Join(dir, authorityFile))
	if err != nil {
		return Keys{}, fmt.Errorf("%w: authority: %w", errHome, err)
	}
	return NewKeys(id, authority), nil
}

// NewKeys returns the keys of a node.
func NewKeys(id identity.Identity, authority *ledger.Keypair) Keys {
	return Keys{Identity: id, Authority: authority, node: id.Ed25519()}
}

// Judge returns the authority.
func (k Keys) Judge() voting.Key { return voting.Key(k.Authority.Address()) }

// Peer returns the public node key.
func (k Keys) Peer() voting.Key { return voting.Key(k.node.Public().(ed25519.PublicKey)) }

// Sign signs bytes of the protocol with the node key.
func (k Keys) Sign(message []byte) voting.Signature {
	return voting.Signature(ed25519.Sign(k.node, message))
}

// salt derives the salt of a round (protocol section 3).
func (k Keys) salt(d voting.Domain, task voting.Key, round uint8) (voting.Hash, error) {
	return k.derive(d.SaltInfo(task, round))
}

func (k Keys) derive(info []byte) (voting.Hash, error) {
	out, err := hkdf.Key(sha256.New, k.node.Seed(), nil, string(info), len(voting.Hash{}))
	if err != nil {
		return voting.Hash{}, fmt.Errorf("node: derive: %w", err)
	}
	return voting.Hash(out), nil
}

// box returns the cipher of a round's sealed opening, and its key.
func (k Keys) box(d voting.Domain, task voting.Key, round uint8) (cipher.AEAD, voting.Hash, error) {
	key, err := k.derive(d.SealedInfo(task, round))
	if err != nil {
		return nil, key, err
	}
	box, err := chacha20poly1305.New(key[:])
	return box, key, err
}

// seal encrypts an opening for the chain's history, so that this node can reveal its vote after the
// loss of its disk.
func (k Keys) seal(d voting.Domain, task voting.Key, round uint8, o voting.Opening) ([]byte, error) {
	box, key, err := k.box(d, task, round)
	if err != nil {
		return nil, fmt.Errorf("node: seal: %w", err)
	}
	plain := o.Plain()
	nonce := voting.SealedNonce(key, plain)
	return box.Seal(nonce[:], nonce[:], plain, voting.SealedAAD(task, round)), nil
}

func (k Keys) unseal(d voting.Domain, task voting.Key, round uint8, sealed []byte) (voting.Opening, error) {
	if len(sealed) != voting.SealedSize {
		return voting.Opening{}, fmt.Errorf("node: sealed opening of %d bytes, want %d", len(sealed), voting.SealedSize)
	}
	box, _, err := k.box(d, task, round)
	if err != nil {
		return voting.Opening{}, fmt.Errorf("node: unseal: %w", err)
	}
	salt, err := k.salt(d, task, round)
	if err != nil {
		return voting.Opening{}, err
	}
	plain, err := box.Open(nil, sealed[:voting.NonceSize], sealed[voting.NonceSize:], voting.SealedAAD(task, round))
	if err != nil {
		return voting.Opening{}, fmt.Errorf("node: the sealed opening on the chain was not made with this node key: %w", err)
	}
	return voting.ParsePlain(plain, salt)
}
