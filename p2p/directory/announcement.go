package directory

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/p2p/identity"
	"ojud/p2p/wire"
)

type (
	// Announcement is a judge's description of itself.
	Announcement = wire.Announcement
	// Source is a data source in an announcement.
	Source = wire.Source
)

// announceDomain separates the signatures of announcements, by network too.
const announceDomain = "announcement:v1:"

// maxAhead is how far in the future an announcement may be signed. It is wide because other nodes
// should still find a judge with a wrong clock, and a copy of it.
const maxAhead = 24 * time.Hour

// errForged is returned if the signature, DID and peer of an announcement do not belong together.
// The peer that passed it on should have checked that.
var errForged = errors.New("directory: forged announcement")

// signAnnouncement sets the fields that follow from the key, signs, and encodes.
func signAnnouncement(network string, id identity.Identity, a Announcement) ([]byte, error) {
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
		return "", fmt.Errorf("%w: peer: %w", errForged, err)
	}
	if id.String() != a.Peer {
		return "", fmt.Errorf("%w: peer ID has another spelling", errForged)
	}
	if did, err := identity.DID(id); err != nil || did != a.DID {
		return "", fmt.Errorf("%w: did does not belong to peer", errForged)
	}
	for _, s := range a.Addrs {
		if _, err := ma.NewMultiaddr(s); err != nil {
			return "", fmt.Errorf("%w: address %q: %w", errForged, s, err)
		}
	}
	msg, err := a.SigningBytes()
	if err != nil {
		return "", err
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(a.Sig)
	if err != nil {
		return "", fmt.Errorf("%w: sig: %w", errForged, err)
	}
	if err := identity.Verify(id, announceDomain+network, msg, sig); err != nil {
		return "", fmt.Errorf("%w: %w", errForged, err)
	}
	return id, nil
}
