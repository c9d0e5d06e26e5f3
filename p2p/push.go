package p2p

import (
	"fmt"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"ojud/p2p/wire"
)

// pusher owns the outgoing one-way streams: one link for each peer and protocol.
type pusher struct {
	h *Host

	mu    sync.Mutex
	links map[linkKey]*link
}

type linkKey struct {
	to    peer.ID
	proto protocol.ID
}

func newPusher(h *Host) *pusher { return &pusher{h: h, links: map[linkKey]*link{}} }

// Push sends msg to every peer in to, over a stream kept open for each, and does
// not wait. Each message is sent again until its handler at the other end has
// taken it, so it may arrive twice, and waits for a peer that cannot be reached.
// It is given up, and counted in Stats.Drops, when it is older than Push.MaxAge or
// more than Push.Queue newer ones wait. msg must not be changed afterwards. The
// error wraps ErrTooLarge or ErrClosed; ourselves in the list are left out.
func (h *Host) Push(name string, to []peer.ID, msg []byte) error {
	if limit := h.cfg.Push.MaxMessage; len(msg) > limit {
		return fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(msg), limit)
	}
	if err := checkName(name); err != nil {
		return err
	}
	if h.ctx.Err() != nil {
		return ErrClosed
	}
	out := parcel{
		frame: wire.AppendFrame(make([]byte, 0, wire.FrameSize(len(msg))), wire.OK, msg),
		until: time.Now().Add(h.cfg.Push.MaxAge),
	}
	proto := h.protocol(name)
	for _, p := range to {
		if p != h.ID() {
			h.pusher.send(linkKey{p, proto}, out)
		}
	}
	return nil
}

func (u *pusher) send(key linkKey, out parcel) {
	if u.h.book.banned(key.to) {
		u.h.count.dropPushRefused.Add(1)
		return
	}
	for !u.link(key).put(out) {
		// It ended between the two: the next one is new.
	}
}

// link finds or makes a link.
func (u *pusher) link(key linkKey) *link {
	u.mu.Lock()
	defer u.mu.Unlock()
	l, ok := u.links[key]
	if !ok {
		l = newLink(u.h, key)
		u.links[key] = l
	}
	return l
}

// retire forgets an idle link, unless something was queued meanwhile.
func (u *pusher) retire(l *link) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !l.end() {
		return false
	}
	delete(u.links, l.key)
	return true
}

// wake makes the links to p try again at once: it has just connected, perhaps once more.
func (u *pusher) wake(p peer.ID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key, l := range u.links {
		if key.to == p {
			poke(l.up)
			poke(l.more)
		}
	}
}
