package p2p

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/mr-tron/base58"
)

const (
	didPrefix = "did:key:z" // z is the multibase code of base58btc
	didMaxLen = 64
)

// ed25519Code is the multicodec ed25519-pub (0xed) as a varint.
func ed25519Code() []byte { return []byte{0xed, 0x01} }

// DID returns the did:key of a peer, did:key:z6Mk… (did:key method v0.7, Ed25519).
func DID(p peer.ID) (string, error) {
	key, err := publicKey(p)
	if err != nil {
		return "", err
	}
	raw, err := key.Raw()
	if err != nil {
		return "", fmt.Errorf("p2p: public key of %s: %w", p, err)
	}
	return didPrefix + base58.Encode(append(ed25519Code(), raw...)), nil
}

// PeerOfDID returns the peer ID that has the key of an Ed25519 did:key.
func PeerOfDID(did string) (peer.ID, error) {
	text, ok := strings.CutPrefix(did, didPrefix)
	if !ok || len(did) > didMaxLen {
		return "", fmt.Errorf("p2p: %.64q is no Ed25519 did:key", did)
	}
	raw, err := base58.Decode(text)
	if err != nil {
		return "", fmt.Errorf("p2p: did:key: %w", err)
	}
	raw, ok = bytes.CutPrefix(raw, ed25519Code())
	if !ok {
		return "", fmt.Errorf("p2p: %q is no Ed25519 did:key", did)
	}
	key, err := crypto.UnmarshalEd25519PublicKey(raw)
	if err != nil {
		return "", fmt.Errorf("p2p: did:key: %w", err)
	}
	return peer.IDFromPublicKey(key)
}
