package p2p

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
)

// redialAtOnce bounds the attempts under way.
const redialAtOnce = 32

// loop starts the attempts that are due.
func (k *keeper) loop(ctx context.Context) {
	tick := time.NewTicker(max(k.h.cfg.Redial.Interval/8, 50*time.Millisecond))
	defer tick.Stop()
	slots := make(chan struct{}, redialAtOnce)
	for {
		for _, ai := range k.overdue(time.Now(), redialAtOnce-len(slots)) {
			slots <- struct{}{}
			k.h.run(func(ctx context.Context) {
				defer func() { <-slots }()
				k.attempt(ctx, ai)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-tick.C:
		}
	}
}

// overdue marks up to n missing peers as being dialled and returns them.
func (k *keeper) overdue(now time.Time, n int) []peer.AddrInfo {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []peer.AddrInfo
	for p, e := range k.peers {
		if len(out) >= n {
			break
		}
		if e.dialing || now.Before(e.due) {
			continue
		}
		if k.h.connected(p) { // whose link is lost is due by the event of it; to ask the library at every tick is a tenth of an idle node's work
			e.due = now.Add(k.h.cfg.Redial.Interval)
			continue
		}
		if k.h.book.banned(p) {
			continue
		}
		e.dialing = true
		out = append(out, e.info)
	}
	return out
}

// attempt dials once and sets the time of the next attempt.
func (k *keeper) attempt(ctx context.Context, ai peer.AddrInfo) {
	k.h.count.dials.Add(1)
	err := k.dial(ctx, ai)
	k.mu.Lock()
	e := k.peers[ai.ID]
	fails := 0
	if e != nil {
		e.dialing = false
		if err != nil {
			e.fails++
			if next := time.Now().Add(k.h.cfg.Redial.delay(time.Since(e.lost))); next.After(e.due) { // it may have hung up since
				e.due = next
			}
		}
		fails = e.fails
	}
	k.mu.Unlock()
	if err == nil || ctx.Err() != nil {
		return
	}
	k.h.count.dialFailures.Add(1)
	k.h.log.Debug("dialling a kept peer", "peer", ai.ID, "error", err, "failures", fails)
	if fails%lookupEvery == 1 {
		k.lookup(ctx, ai.ID)
	}
}

// dial connects, past the library's own back-off: ours is shorter.
func (k *keeper) dial(ctx context.Context, ai peer.AddrInfo) error {
	ctx, cancel := context.WithTimeout(ctx, k.h.cfg.Redial.Timeout)
	defer cancel()
	if known, ok := k.h.registry.addrInfo(ai.ID); ok {
		k.h.net.Peerstore().AddAddrs(ai.ID, known.Addrs, peerstore.TempAddrTTL)
	}
	return k.h.net.Connect(network.WithForceDirectDial(ctx, "keep"), ai)
}

// lookup asks the DHT for addresses; what it finds lands in the peerstore, for
// the next attempt.
func (k *keeper) lookup(ctx context.Context, p peer.ID) {
	ctx, cancel := context.WithTimeout(ctx, k.h.cfg.Redial.Timeout)
	defer cancel()
	ai, err := k.h.FindPeer(ctx, p)
	if err != nil {
		k.h.log.Debug("looking for a kept peer", "peer", p, "error", err)
		return
	}
	k.h.net.Peerstore().AddAddrs(p, k.h.cfg.filter(ai.Addrs), peerstore.TempAddrTTL)
}
