package p2p

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// PushHandler takes one message that from pushed. It owns msg. It is called on
// one goroutine for each peer, and should only queue: while it works, that peer's
// further messages wait on the other side. When it returns the message counts as
// delivered. The same message may come twice.
type PushHandler func(from peer.ID, msg []byte)

// HandlePush receives what others Push under name. It can be taken once, and not
// together with Handle or HandleStream.
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

// replace makes s the one stream of from: a peer opens a new one only after it
// has given up the old.
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
		in.h.count.pushReceived.Add(1)
		in.take(from, msg)
		if err := acks.owe(); err != nil {
			return err
		}
	}
}

// next reads one message. It waits for its first byte as long as it takes, and
// for the rest Push.Timeout, so that nobody holds memory with half a message.
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
