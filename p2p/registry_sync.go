package p2p

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// The exchange of registries between two nodes.
const (
	registryName   = "registry"
	syncRounds     = 32               // of 256 KiB with one peer at a time
	syncPeers      = 2                // compared with every Directory.Sync
	newsPeers      = 6                // told soon when something is new
	newsDelay      = time.Second      // at least, so that news travel together
	forgedPoints   = 50               // two forged announcements in a few minutes ban
	maxQueue       = 1024             // peers waiting to be compared with
	atOnce         = 8                // comparisons under way
	syncTime       = 30 * time.Second // for all rounds with one peer
	minAnnounceGap = 5 * time.Second  // between two announcements because of a change
)

func registryLimits() Limits {
	lim := DefaultLimits()
	lim.MaxRequest, lim.MaxResponse = wire.MaxSync, wire.MaxSync
	lim.Concurrency, lim.PerPeer, lim.RatePerPeer, lim.Burst = 32, 4, 4, 2*syncRounds
	return lim
}

func (r *Registry) start() error {
	if err := r.h.Handle(registryName, registryLimits(), r.answer); err != nil {
		return err
	}
	r.h.run(r.loop)
	return nil
}

// meet queues a comparison with a peer that has just connected.
func (r *Registry) meet(p peer.ID) {
	r.mu.Lock()
	if e := r.entries[p]; e != nil {
		e.judge.Seen, r.dirty = r.h.deps.Now(), true
	}
	r.mu.Unlock()
	r.enqueue(p)
}

func (r *Registry) enqueue(peers ...peer.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range peers {
		if len(r.queue) < maxQueue && !slices.Contains(r.queue, p) {
			r.queue = append(r.queue, p)
		}
	}
	poke(r.wake)
}

// answer serves one request of another node.
func (r *Registry) answer(_ context.Context, from peer.ID, raw []byte) ([]byte, error) {
	req, err := wire.DecodeSyncRequest(raw)
	if err != nil {
		r.h.Penalize(from, badFramePoints, "registry-message")
		return nil, Fail(ErrBadRequest, "not a registry message")
	}
	if req.Offer != nil {
		return nil, r.takeAll(from, req.Offer)
	}
	if req.Self != 0 {
		return r.after(from, req.Self).Encode(), nil
	}
	return r.compare(req.Digest).Encode(), nil
}

// takeAll stores the announcements from a peer. The peer is to blame for forged ones.
func (r *Registry) takeAll(from peer.ID, batch [][]byte) error {
	for _, raw := range batch {
		err := r.put(raw, time.Time{})
		if err == nil {
			continue
		}
		r.h.count.registryBad.Add(1)
		if blame(err) {
			r.h.Penalize(from, forgedPoints, "announcement")
			return Fail(ErrBadRequest, "bad announcement")
		}
		return err
	}
	return nil
}

// digest lists the entries that other nodes need not tell us, ascending by peer.
func (r *Registry) digest() []wire.Known {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]wire.Known, 0, len(r.entries)+len(r.refused))
	for p := range r.entries {
		out = append(out, wire.Known{Peer: string(p), Seq: r.known(p)})
	}
	for p, seq := range r.refused {
		if _, both := r.entries[p]; !both && len(out) < wire.MaxDigest {
			out = append(out, wire.Known{Peer: string(p), Seq: seq})
		}
	}
	slices.SortFunc(out, func(a, b wire.Known) int { return cmp.Compare(a.Peer, b.Peer) })
	return out
}

// compare returns what the asker lacks and what we lack.
func (r *Registry) compare(theirs []wire.Known) wire.SyncReply {
	r.mu.Lock()
	defer r.mu.Unlock()
	var reply wire.SyncReply
	known := make(map[peer.ID]uint64, len(theirs))
	for _, k := range theirs {
		known[peer.ID(k.Peer)] = k.Seq
		if r.known(peer.ID(k.Peer)) < k.Seq {
			reply.Want = append(reply.Want, k.Peer)
		}
	}
	size := 0
	for p, e := range r.entries {
		if known[p] >= e.judge.Seq {
			continue
		}
		if len(reply.News) == wire.MaxBatch || size+len(e.raw) > wire.MaxBatchSize {
			reply.More = true
			break
		}
		size += len(e.raw)
		reply.News = append(reply.News, e.raw)
	}
	return reply
}

// exchange compares registries with one peer until neither has news.
func (r *Registry) exchange(ctx context.Context, p peer.ID) error {
	for round := range syncRounds {
		raw, err := r.h.Request(ctx, p, registryName, wire.EncodeDigest(r.digest()))
		if err != nil {
			return err
		}
		reply, err := wire.DecodeSyncReply(raw)
		if err != nil {
			r.h.Penalize(p, badFramePoints, "registry-message")
			return err
		}
		if err := r.takeAll(p, reply.News); err != nil {
			return err
		}
		if round == 0 {
			if err := r.offer(ctx, p, reply.Want); err != nil {
				return err
			}
		}
		if !reply.More {
			return nil
		}
	}
	return nil
}

// offer sends what the peer wants, in batches.
func (r *Registry) offer(ctx context.Context, p peer.ID, want []string) error {
	var batch [][]byte
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		_, err := r.h.Request(ctx, p, registryName, wire.EncodeOffer(batch))
		batch, size = nil, 0
		return err
	}
	for _, w := range want {
		raw := r.rawOf(peer.ID(w))
		if len(batch) == wire.MaxBatch || size+len(raw) > wire.MaxBatchSize {
			if err := flush(); err != nil {
				return err
			}
		}
		if raw != nil {
			batch, size = append(batch, raw), size+len(raw)
		}
	}
	return flush()
}

func (r *Registry) rawOf(p peer.ID) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[p]; e != nil {
		return e.raw
	}
	return nil
}

// neighbours returns up to n connected peers at random.
func (r *Registry) neighbours(n int) []peer.ID {
	peers := r.h.Peers()
	rand.Shuffle(len(peers), func(i, j int) { peers[i], peers[j] = peers[j], peers[i] })
	return peers[:min(n, len(peers))]
}

// visit compares with one peer, within syncTime.
func (r *Registry) visit(ctx context.Context, p peer.ID) {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	if err := r.exchange(ctx, p); err != nil {
		r.log.Debug("comparing registries", "peer", p, "error", err)
	} else {
		r.didCompare()
	}
	r.mu.Lock()
	r.active--
	r.mu.Unlock()
	poke(r.wake)
}

// Profile is the content of this node's announcement, beside its key and addresses.
type Profile struct {
	Authority   string // Solana public key, base58
	RPCURLs     []string
	Sources     []Source
	ModelFamily string // of the model the judge thinks with: "code" without a model
	Dimension   string // focus of its persona; empty without one
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

// announce signs and stores our own entry. The sequence number follows the clock, so that a node
// that lost its disk still outranks its own past. Its last bits are random, so that two hosts on
// one key do not use the same.
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

// stale reports whether our entry should be signed anew: it is old, our addresses changed, or a
// peer brought an entry of ours that we did not sign in this life.
func (r *Registry) stale(now time.Time) bool {
	own, ok := r.Judge(r.h.ID())
	r.mu.Lock()
	p := r.profile
	r.mu.Unlock()
	if p == nil || !ok {
		return false
	}
	if own.Instance != r.h.life.instance {
		return true // the other host should hear that we are here
	}
	age := now.Sub(time.Unix(own.At, 0))
	changed := !slices.Equal(own.Addrs, r.ownAddrs()) || own.Version != p.Version || own.Authority != p.Authority ||
		own.ModelFamily != p.ModelFamily || own.Dimension != p.Dimension || !slices.Equal(own.Sources, p.Sources) || !slices.Equal(own.RPCURLs, p.RPCURLs)
	return age > r.cfg.Announce || changed && (age > minAnnounceGap || age < 0)
}

// loop does the registry's periodic work.
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

// next takes as many peers from the queue as may be compared with now.
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
