package p2p

import (
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// gater refuses connections with banned peers, and dials to addresses outside
// the policy wherever they were learned.
type gater struct {
	cfg  Config
	book *book
}

var _ connmgr.ConnectionGater = gater{}

func (g gater) InterceptPeerDial(p peer.ID) bool { return !g.book.banned(p) }

func (g gater) InterceptAddrDial(_ peer.ID, a ma.Multiaddr) bool { return g.cfg.allowed(a) }

func (g gater) InterceptAccept(network.ConnMultiaddrs) bool { return true }

func (g gater) InterceptSecured(_ network.Direction, p peer.ID, _ network.ConnMultiaddrs) bool {
	return !g.book.banned(p)
}

func (g gater) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }
