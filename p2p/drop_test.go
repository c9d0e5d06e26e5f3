package p2p

import "github.com/libp2p/go-libp2p/core/peer"

// Drop closes the links to a peer, for tests of what comes after.
func (h *Host) Drop(p peer.ID) error { return h.net.Network().ClosePeer(p) }
