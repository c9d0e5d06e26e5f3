package network

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/voting"
)

// KeyOf returns the node key of a libp2p peer. Only a peer with an Ed25519 key has one.
func KeyOf(p peer.ID) (voting.Key, error) {
	pub, err := p.ExtractPublicKey()
	if err != nil {
		return voting.Key{}, fmt.Errorf("network: key of peer %s: %w", p, err)
	}
	raw, err := pub.Raw()
	if err != nil || len(raw) != len(voting.Key{}) {
		return voting.Key{}, fmt.Errorf("network: peer %s has no Ed25519 key", p)
	}
	return voting.Key(raw), nil
}

// PeerOf returns the libp2p peer of a node key.
func PeerOf(k voting.Key) (peer.ID, error) {
	pub, err := crypto.UnmarshalEd25519PublicKey(k[:])
	if err != nil {
		return "", fmt.Errorf("network: node key %s: %w", k, err)
	}
	id, err := peer.IDFromPublicKey(pub)
	if err != nil {
		return "", fmt.Errorf("network: node key %s: %w", k, err)
	}
	return id, nil
}

// A peer loses these points for a message if it could know that the message is wrong
// (p2p.Host.Penalize).
const (
	PointsInvalid      = 10
	PointsContradicted = 20
)
