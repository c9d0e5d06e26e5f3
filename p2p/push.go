package p2p

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
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

// Push sends msg to every peer in to, over a stream kept open for each, and does not wait. Each
// message is sent again until its handler at the other end has taken it, so it may arrive twice. It
// waits if a peer cannot be reached. It is dropped, and counted in Stats.Drops, if it is older than
// Push.MaxAge or if more than Push.Queue newer messages wait. The caller must not change msg
// afterwards. The error wraps ErrTooLarge or ErrClosed. Our own peer is left out.
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
		u.h.count.dropped.pushRefused.Add(1)
		return
	}
	for !u.link(key).put(out) {
		// The link ended between the two calls. The next one is new.
	}
}

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

// wake makes the links to p try again at once, because it has just connected, perhaps once more.
func (u *pusher) wake(p peer.ID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key, l := range u.links {
		if key.to == p {
			signal(l.up)
			signal(l.more)
		}
	}
}

// PushHandler takes one message that from pushed. It owns msg. It is called on one goroutine for
// each peer, and should only queue: while it works, that peer's further messages wait on the other
// side. When it returns, the message counts as delivered. The same message may come twice.
type PushHandler func(from peer.ID, msg []byte)

// HandlePush receives the messages that others Push under name. It can be called once for a name,
// and not together with Handle or HandleStream.
func (h *Host) HandlePush(name string, take PushHandler) error {
	if err := h.streams.claim(name, DefaultLimits()); err != nil {
		return err
	}
	in := &incoming{h: h, take: take, rates: newLimiters(h.cfg.Push.RatePerPeer, h.cfg.Push.BurstPerPeer), from: map[peer.ID]network.Stream{}}
	h.net.SetStreamHandler(h.protocol(name), in.accept)
	return nil
}

// incoming serves the incoming streams of one push protocol, one for each peer.
type incoming struct {
	h     *Host
	take  PushHandler
	rates *limiters

	mu   sync.Mutex
	from map[peer.ID]network.Stream
}

func (in *incoming) accept(s network.Stream) {
	from := s.Conn().RemotePeer()
	if in.h.book.banned(from) || !in.h.begin() {
		reset(s)
		return
	}
	defer in.h.work.Done()
	in.replace(from, s)
	defer in.leave(from, s)
	defer reset(s)
	err := in.read(from, s)
	if wire.Malformed(err) {
		in.h.badFrame(from, err)
	}
	if !errors.Is(err, io.EOF) {
		in.h.log.Debug("push stream ended", "peer", from, "error", err)
	}
}

// replace makes s the one stream of from. A peer opens a new stream only after it has closed the
// old one.
func (in *incoming) replace(from peer.ID, s network.Stream) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if old, ok := in.from[from]; ok {
		reset(old)
	}
	in.from[from] = s
}

func (in *incoming) leave(from peer.ID, s network.Stream) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.from[from] == s {
		delete(in.from, from)
	}
}

func (in *incoming) read(from peer.ID, s network.Stream) error {
	r := bufio.NewReaderSize(s, 2<<10)
	rate := in.rates.of(from)
	acks := &acks{s: s, timeout: in.h.cfg.Push.Timeout}
	defer acks.close()
	for {
		msg, err := in.next(r, s)
		if err != nil {
			return err
		}
		if err := rate.Wait(in.h.ctx); err != nil {
			return err
		}
		in.h.count.push.received.Add(1)
		in.take(from, msg)
		if err := acks.owe(); err != nil {
			return err
		}
	}
}

// next reads one message. It waits for the first byte without a limit, and for the rest at most
// Push.Timeout, so that half a message does not occupy memory.
func (in *incoming) next(r *bufio.Reader, s network.Stream) ([]byte, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	whole := wire.BufferedFrame(r)
	if !whole {
		if err := s.SetReadDeadline(time.Now().Add(in.h.cfg.Push.Timeout)); err != nil {
			return nil, err
		}
	}
	st, msg, err := wire.ReadFrame(r, in.h.cfg.Push.MaxMessage)
	switch {
	case err != nil:
		return nil, err
	case st != wire.OK:
		return nil, wire.ErrFrameStatus
	case !whole:
		return msg, s.SetReadDeadline(time.Time{})
	}
	return msg, nil
}
