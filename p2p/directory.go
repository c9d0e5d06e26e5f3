package p2p

import (
	"context"
	"errors"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/p2p/directory"
	"ojud/p2p/wire"
)

// directoryName is the protocol by which hosts compare their directories.
const directoryName = "registry"

// neighbours are the other hosts, for the directory.
type neighbours struct{ *Host }

var _ directory.Host = neighbours{}

func (n neighbours) OwnAddrs() []ma.Multiaddr    { return n.net.Addrs() }
func (n neighbours) Allowed(a ma.Multiaddr) bool { return n.cfg.allowed(a) }
func (n neighbours) Connected(p peer.ID) bool    { return n.connected(p) }
func (n neighbours) Protected(p peer.ID) bool    { return n.net.ConnManager().IsProtected(p, keepTag) }
func (n neighbours) Go(f func(context.Context))  { n.run(f) }

func (n neighbours) Ask(ctx context.Context, to peer.ID, message []byte) ([]byte, error) {
	return n.Request(ctx, to, directoryName, message)
}

// serveDirectory answers other directories, and starts ours.
func (h *Host) serveDirectory() error {
	lim := DefaultLimits()
	lim.MaxRequest, lim.MaxResponse = wire.MaxSync, wire.MaxSync
	lim.Concurrency, lim.PerPeer, lim.RatePerPeer, lim.Burst = 32, 4, 4, 2*directory.SyncRounds
	err := h.Handle(directoryName, lim, func(_ context.Context, from peer.ID, raw []byte) ([]byte, error) {
		reply, err := h.directory.Answer(from, raw)
		if errors.Is(err, directory.ErrBadMessage) {
			err = Fail(ErrBadRequest, err.Error())
		}
		return reply, err
	})
	if err == nil {
		h.directory.Start()
	}
	return err
}
