package p2p

import (
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// exempt tells the resource manager for whom there is room of its own: the peers that are kept, at the addresses where they are known to
// listen. Without it whoever takes every connection, from as many addresses as there are, keeps out a judge that was away for a moment:
// the connection manager makes room every ten seconds, and the mob takes it.
type exempt struct {
	list *rcmgr.Allowlist
	in   map[string]ma.Multiaddr
}

func newExempt(m network.ResourceManager) *exempt {
	return &exempt{list: rcmgr.GetAllowlist(m), in: map[string]ma.Multiaddr{}}
}

// set replaces the exempt.
func (e *exempt) set(peers []peer.AddrInfo) error {
	next := map[string]ma.Multiaddr{}
	for _, ai := range peers {
		for _, a := range ai.Addrs {
			if entry, ok := place(ai.ID, a); ok {
				next[entry.String()] = entry
			}
		}
	}
	for name, entry := range e.in {
		if next[name] == nil {
			if err := e.list.Remove(entry); err != nil {
				return err
			}
		}
	}
	for name, entry := range next {
		if e.in[name] == nil {
			if err := e.list.Add(entry); err != nil {
				return err
			}
		}
	}
	e.in = next
	return nil
}

// place is a peer at one IP address, whatever the port: it dials us from another. A name (/dns4) is no place.
func place(id peer.ID, a ma.Multiaddr) (ma.Multiaddr, bool) {
	ip, err := manet.ToIP(a)
	if err != nil {
		return nil, false
	}
	at, err := manet.FromIP(ip)
	if err != nil {
		return nil, false
	}
	who, err := ma.NewComponent("p2p", id.String())
	if err != nil {
		return nil, false
	}
	return at.AppendComponent(who), true
}
