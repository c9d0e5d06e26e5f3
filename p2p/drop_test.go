package p2p

import "github.com/libp2p/go-libp2p/core/peer"

// Drop closes the links to a peer, for tests of the recovery.
func (h *Host) Drop(p peer.ID) error { return h.net.Network().ClosePeer(p) }
