package p2p

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// Profile is what this node announces, beside its key and addresses.
type Profile struct {
	Authority   string // Solana public key, base58
	RPCURLs     []string
	Sources     []Source
	ModelFamily string // of what the judge thinks with: "code" without a model
	Dimension   string // what its persona has an eye on; empty without one
	Version     string
}

// Announce signs an announcement of this node and spreads it. It is signed anew
// every Directory.Announce, when the addresses change, and by the next call.
func (r *Registry) Announce(p Profile) error {
	r.mu.Lock()
	r.profile = &p
	r.mu.Unlock()
	return r.announce()
}

// announce signs and stores our own entry. The sequence number follows the
// clock, so that a node that lost its disk still outranks its own past; its last
// bits are drawn, so that two hosts on one key do not use the same.
func (r *Registry) announce() error {
	r.mu.Lock()
	p, own, rival := r.profile, r.entries[r.h.ID()], r.twins.rival
	r.mu.Unlock()
	if p == nil {
		return nil
	}
	now, lot := r.h.deps.Now(), rand.Uint64N(1<<20)
	a := Announcement{
		Authority: p.Authority, RPCURLs: p.RPCURLs, Sources: p.Sources, ModelFamily: p.ModelFamily, Dimension: p.Dimension, Version: p.Version,
		Addrs: r.ownAddrs(), At: now.Unix(), Seq: uint64(now.Unix())<<20 + lot,
		Instance: r.h.life.instance, Started: r.h.life.started.UnixMilli(), Rival: rival,
	}
	if own != nil {
		a.Seq = min(max(a.Seq, own.judge.Seq+1+lot), wire.MaxSeq)
	}
	raw, err := signAnnouncement(r.h.cfg.Network, r.h.id, a)
	if err != nil {
		return fmt.Errorf("p2p: announcing: %w", err)
	}
	return r.put(raw, now)
}

func (r *Registry) ownAddrs() []string {
	var out []string
	for _, a := range r.h.net.Addrs() {
		if len(out) < wire.MaxAddrs && r.h.cfg.allowed(a) {
			out = append(out, a.String())
		}
	}
	return out
}

// stale reports whether our entry has to be signed anew: it is old, our addresses
// changed, or somebody brought one of ours that we did not sign in this life.
func (r *Registry) stale(now time.Time) bool {
	own, ok := r.Judge(r.h.ID())
	r.mu.Lock()
	p := r.profile
	r.mu.Unlock()
	if p == nil || !ok {
		return false
	}
	if own.Instance != r.h.life.instance {
		return true // whoever it is must hear that we are here
	}
	age := now.Sub(time.Unix(own.At, 0))
	changed := !slices.Equal(own.Addrs, r.ownAddrs()) || own.Version != p.Version || own.Authority != p.Authority ||
		own.ModelFamily != p.ModelFamily || own.Dimension != p.Dimension || !slices.Equal(own.Sources, p.Sources) || !slices.Equal(own.RPCURLs, p.RPCURLs)
	return age > r.cfg.Announce || changed && (age > minAnnounceGap || age < 0)
}

// loop does everything the registry does by itself.
func (r *Registry) loop(ctx context.Context) {
	sync := time.NewTicker(r.cfg.Sync)
	defer sync.Stop()
	work := time.NewTicker(newsDelay + rand.N(newsDelay/4))
	defer work.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
			for _, p := range r.next() {
				r.h.run(func(ctx context.Context) { r.visit(ctx, p) })
			}
		case <-sync.C:
			r.enqueue(r.neighbours(syncPeers)...)
		case <-work.C:
			r.housekeep(r.h.deps.Now())
		}
	}
}

// next takes from the queue as many peers as may be compared with now.
func (r *Registry) next() []peer.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.queue), atOnce-r.active)
	out := slices.Clone(r.queue[:n])
	r.queue = slices.Delete(r.queue, 0, n)
	r.active += n
	return out
}

// housekeep renews our entry, spreads news and saves, each when it is due.
func (r *Registry) housekeep(now time.Time) {
	if r.stale(now) {
		if err := r.announce(); err != nil {
			r.log.Error("announcing this node", "error", err)
		}
	}
	r.mu.Lock()
	news, due := r.news, r.dirty && now.Sub(r.saved) >= r.cfg.Save
	r.news = false
	if due {
		r.saved = now
	}
	r.mu.Unlock()
	if due {
		if err := r.save(); err != nil {
			r.log.Error("the registry is not saved", "error", err)
		}
	}
	if news {
		r.enqueue(r.neighbours(newsPeers)...)
	}
	r.enqueue(r.suspects(now)...)
	r.lookForTwins(now)
}
