package p2p

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/p2p/wire"
)

type (
	// Announcement is what a judge says about itself.
	Announcement = wire.Announcement
	// Source is a data source in an announcement.
	Source = wire.Source
)

// announceDomain separates the signatures of announcements, by network too.
const announceDomain = "announcement:v1:"

// maxAhead is how far in the future an announcement may be signed. It is wide:
// a judge whose clock is off still has to be found, and so has a copy of it.
const maxAhead = 24 * time.Hour

// ErrForged is returned for an announcement whose signature, DID or peer do not
// belong together. Whoever passed it on should have seen that.
var ErrForged = errors.New("p2p: forged announcement")

// signAnnouncement fills in what the key decides, signs, and encodes.
func signAnnouncement(network string, id Identity, a Announcement) ([]byte, error) {
	did, err := id.DID()
	if err != nil {
		return nil, err
	}
	a.Peer, a.DID = id.Peer().String(), did
	msg, err := a.SigningBytes()
	if err != nil {
		return nil, err
	}
	sig, err := id.Sign(announceDomain+network, msg)
	if err != nil {
		return nil, err
	}
	a.Sig = base64.StdEncoding.EncodeToString(sig)
	return a.Encode()
}

// verifyAnnouncement checks that a well-formed announcement was signed by its
// peer for this network.
func verifyAnnouncement(network string, a Announcement) (peer.ID, error) {
	id, err := peer.Decode(a.Peer)
	if err != nil {
		return "", fmt.Errorf("%w: peer: %w", ErrForged, err)
	}
	if id.String() != a.Peer {
		return "", fmt.Errorf("%w: peer ID has another spelling", ErrForged)
	}
	if did, err := DID(id); err != nil || did != a.DID {
		return "", fmt.Errorf("%w: did does not belong to peer", ErrForged)
	}
	for _, s := range a.Addrs {
		if _, err := ma.NewMultiaddr(s); err != nil {
			return "", fmt.Errorf("%w: address %q: %w", ErrForged, s, err)
		}
	}
	msg, err := a.SigningBytes()
	if err != nil {
		return "", err
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(a.Sig)
	if err != nil {
		return "", fmt.Errorf("%w: sig: %w", ErrForged, err)
	}
	if err := Verify(id, announceDomain+network, msg, sig); err != nil {
		return "", fmt.Errorf("%w: %w", ErrForged, err)
	}
	return id, nil
}
