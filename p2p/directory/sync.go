package directory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// The exchange of directories between two nodes.
const (
	SyncRounds      = 32               // of 256 KiB with one peer at a time
	syncPeers       = 2                // compared with every Directory.Sync
	newsPeers       = 6                // told soon when something is new
	newsDelay       = time.Second      // at least, so that news travel together
	forgedPoints    = 50               // two forged announcements in a few minutes ban
	malformedPoints = 13               // eight malformed messages within a few minutes cause a ban
	maxQueue        = 1024             // peers waiting to be compared with
	atOnce          = 8                // comparisons under way
	syncTime        = 30 * time.Second // for all rounds with one peer
	minAnnounceGap  = 5 * time.Second  // between two announcements because of a change
)

// ErrBadMessage is returned by Answer if the asking peer is to blame.
var ErrBadMessage = errors.New("directory: not a message of the directory, or a bad announcement")

// Start begins the periodic work.
func (d *Directory) Start() { d.Host.Go(d.loop) }

// Meet queues a comparison with a peer that has just connected.
func (d *Directory) Meet(p peer.ID) {
	d.mu.Lock()
	if e := d.entries[p]; e != nil {
		e.judge.Seen, d.dirty = d.Now(), true
	}
	d.mu.Unlock()
	d.enqueue(p)
}

func (d *Directory) enqueue(peers ...peer.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range peers {
		if len(d.queue) < maxQueue && !slices.Contains(d.queue, p) {
			d.queue = append(d.queue, p)
		}
	}
	d.signal()
}

func (d *Directory) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Answer serves one request of another node.
func (d *Directory) Answer(from peer.ID, raw []byte) ([]byte, error) {
	req, err := wire.DecodeSyncRequest(raw)
	if err != nil {
		d.Host.Penalize(from, malformedPoints, "registry-message")
		return nil, ErrBadMessage
	}
	if req.Offer != nil {
		return nil, d.takeAll(from, req.Offer)
	}
	if req.Self != 0 {
		return d.after(from, req.Self).Encode(), nil
	}
	return d.compare(req.Digest).Encode(), nil
}

// takeAll stores the announcements from a peer. The peer is to blame for forged ones.
func (d *Directory) takeAll(from peer.ID, batch [][]byte) error {
	for _, raw := range batch {
		err := d.put(raw, time.Time{})
		if err == nil {
			continue
		}
		d.bad.Add(1)
		if blame(err) {
			d.Host.Penalize(from, forgedPoints, "announcement")
			return ErrBadMessage
		}
		return err
	}
	return nil
}

// digest lists the entries that other nodes need not tell us, ascending by peer.
func (d *Directory) digest() []wire.Known {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]wire.Known, 0, len(d.entries)+len(d.refused))
	for p := range d.entries {
		out = append(out, wire.Known{Peer: string(p), Seq: d.known(p)})
	}
	for p, seq := range d.refused {
		if _, both := d.entries[p]; !both && len(out) < wire.MaxDigest {
			out = append(out, wire.Known{Peer: string(p), Seq: seq})
		}
	}
	slices.SortFunc(out, func(a, b wire.Known) int { return cmp.Compare(a.Peer, b.Peer) })
	return out
}

// compare returns the announcements that the asking peer lacks, and names those that we lack.
func (d *Directory) compare(theirs []wire.Known) wire.SyncReply {
	d.mu.Lock()
	defer d.mu.Unlock()
	var reply wire.SyncReply
	known := make(map[peer.ID]uint64, len(theirs))
	for _, k := range theirs {
		known[peer.ID(k.Peer)] = k.Seq
		if d.known(peer.ID(k.Peer)) < k.Seq {
			reply.Want = append(reply.Want, k.Peer)
		}
	}
	size := 0
	for p, e := range d.entries {
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

func (d *Directory) ask(ctx context.Context, p peer.ID, request []byte) (wire.SyncReply, error) {
	raw, err := d.Host.Ask(ctx, p, request)
	if err != nil {
		return wire.SyncReply{}, err
	}
	reply, err := wire.DecodeSyncReply(raw)
	if err != nil {
		d.Host.Penalize(p, malformedPoints, "registry-message")
		return reply, err
	}
	return reply, d.takeAll(p, reply.News)
}

// exchange compares registries with one peer until neither has news.
func (d *Directory) exchange(ctx context.Context, p peer.ID) error {
	for round := range SyncRounds {
		reply, err := d.ask(ctx, p, wire.EncodeDigest(d.digest()))
		if err == nil && round == 0 {
			err = d.offer(ctx, p, reply.Want)
		}
		if err != nil || !reply.More {
			return err
		}
	}
	return nil
}

func (d *Directory) offer(ctx context.Context, p peer.ID, want []string) error {
	var batch [][]byte
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		_, err := d.Host.Ask(ctx, p, wire.EncodeOffer(batch))
		batch, size = nil, 0
		return err
	}
	for _, w := range want {
		raw := d.rawOf(peer.ID(w))
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

func (d *Directory) rawOf(p peer.ID) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.entries[p]; e != nil {
		return e.raw
	}
	return nil
}

// some picks at most n of the peers at random.
func some(peers []peer.ID, n int) []peer.ID {
	rand.Shuffle(len(peers), func(i, j int) { peers[i], peers[j] = peers[j], peers[i] })
	return peers[:min(n, len(peers))]
}

func (d *Directory) visit(ctx context.Context, p peer.ID) {
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	if err := d.exchange(ctx, p); err != nil {
		d.Log.Debug("comparing registries", "peer", p, "error", err)
	} else {
		d.didCompare()
	}
	d.mu.Lock()
	d.active--
	d.mu.Unlock()
	d.signal()
}

// CodeFamily is the ModelFamily of a judge that has no model, and decides by code alone.
const CodeFamily = "code"

// Profile is the content of this node's announcement, beside its key and addresses.
type Profile struct {
	Authority   string // Solana public key, base58
	RPCURLs     []string
	Sources     []Source
	ModelFamily string // of the model the judge thinks with: CodeFamily without a model
	Dimension   string // focus of its persona; empty without one
	Version     string
}

// Announce signs an announcement of this node and spreads it. It is signed anew
// every Directory.Announce, when the addresses change, and by the next call.
func (d *Directory) Announce(p Profile) error {
	d.mu.Lock()
	d.profile = &p
	d.mu.Unlock()
	return d.announce()
}

// announce signs and stores our own entry. The sequence number follows the clock, so that a node
// that lost its disk still outranks its own past. Its last bits are random, so that two hosts on
// one key do not use the same.
func (d *Directory) announce() error {
	d.mu.Lock()
	p, own, rival := d.profile, d.entries[d.self], d.twins.rival
	d.mu.Unlock()
	if p == nil {
		return nil
	}
	now, lot := d.Now(), rand.Uint64N(1<<20)
	a := Announcement{
		Authority: p.Authority, RPCURLs: p.RPCURLs, Sources: p.Sources, ModelFamily: p.ModelFamily, Dimension: p.Dimension, Version: p.Version,
		Addrs: d.ownAddrs(), At: now.Unix(), Seq: uint64(now.Unix())<<20 + lot,
		Instance: d.run.instance, Started: d.run.started.UnixMilli(), Rival: rival,
	}
	if own != nil {
		a.Seq = min(max(a.Seq, own.judge.Seq+1+lot), wire.MaxSeq)
	}
	raw, err := signAnnouncement(d.Network, d.Key, a)
	if err != nil {
		return fmt.Errorf("directory: announcing: %w", err)
	}
	return d.put(raw, now)
}

func (d *Directory) ownAddrs() []string {
	var out []string
	for _, a := range d.Host.OwnAddrs() {
		if len(out) < wire.MaxAddrs && d.Host.Allowed(a) {
			out = append(out, a.String())
		}
	}
	return out
}

// stale reports whether our entry should be signed anew: it is old, our addresses changed, or a
// peer brought an entry of ours that we did not sign in this run.
func (d *Directory) stale(now time.Time) bool {
	own, ok := d.Judge(d.self)
	d.mu.Lock()
	p := d.profile
	d.mu.Unlock()
	if p == nil || !ok {
		return false
	}
	if own.Instance != d.run.instance {
		return true // the other host should hear that we are here
	}
	age := now.Sub(time.Unix(own.At, 0))
	changed := !slices.Equal(own.Addrs, d.ownAddrs()) || own.Version != p.Version || own.Authority != p.Authority ||
		own.ModelFamily != p.ModelFamily || own.Dimension != p.Dimension || !slices.Equal(own.Sources, p.Sources) || !slices.Equal(own.RPCURLs, p.RPCURLs)
	return age > d.cfg.Announce || changed && (age > minAnnounceGap || age < 0)
}

func (d *Directory) loop(ctx context.Context) {
	sync := time.NewTicker(d.cfg.Sync)
	defer sync.Stop()
	work := time.NewTicker(newsDelay + rand.N(newsDelay/4))
	defer work.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
			for _, p := range d.next() {
				d.Host.Go(func(ctx context.Context) { d.visit(ctx, p) })
			}
		case <-sync.C:
			d.enqueue(some(d.Host.Peers(), syncPeers)...)
			forget(d)
		case <-work.C:
			d.housekeep(d.Now())
		}
	}
}

// next takes as many peers from the queue as may be compared with now.
func (d *Directory) next() []peer.ID {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(d.queue), atOnce-d.active)
	out := slices.Clone(d.queue[:n])
	d.queue = slices.Delete(d.queue, 0, n)
	d.active += n
	return out
}

// housekeep renews our entry, spreads news and saves, each when it is due.
func (d *Directory) housekeep(now time.Time) {
	if d.stale(now) {
		if err := d.announce(); err != nil {
			d.Log.Error("announcing this node", "error", err)
		}
	}
	d.mu.Lock()
	news, due := d.news, d.dirty && now.Sub(d.saved) >= d.cfg.Save
	d.news = false
	if due {
		d.saved = now
	}
	d.mu.Unlock()
	if due {
		if err := d.Save(); err != nil {
			d.Log.Error("the registry is not saved", "error", err)
		}
	}
	if news {
		d.enqueue(some(d.Host.Peers(), newsPeers)...)
	}
	d.enqueue(d.possibleTwins(now)...)
	d.lookForTwins(now)
}
