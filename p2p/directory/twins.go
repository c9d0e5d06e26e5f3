package directory

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p/wire"
)

// Twin is another host that runs on our key, as it announces itself. Two hosts on one key cannot
// dial each other, and gossip never brings one the other's messages. But their neighbours keep the
// latest announcement of the key. A host answers an announcement of another instance with its own,
// which names that instance. If a host is named after its start, it knows that the other is alive
// (ADR 0013).
type Twin struct {
	Instance string    // 32 hex digits
	Started  time.Time // by its own clock
	Addrs    []string  // where it listens, multiaddrs
	// Elder reports whether it was started before us, so that we should stop. It compares the two
	// announcements, so that exactly one of two hosts finds it true.
	Elder bool
}

// life is one run of a host.
type life struct {
	instance string
	started  time.Time
}

func newLife(now time.Time) life {
	id := make([]byte, 16)
	rand.Read(id) // never fails (crypto/rand)
	return life{hex.EncodeToString(id), now}
}

// twins holds the registry's knowledge of other hosts on our key.
type twins struct {
	rival    string        // the last announced instance but ours, dead or alive
	tell     []peer.ID     // peers that announced another instance than before
	compared chan struct{} // closed when our announcement was first compared with another node's
	once     bool
	asked    time.Time // used by the loop's goroutine: when we last asked for announcements of our key
}

// A host that has just started compares more often, so that it soon meets a twin.
const (
	eagerTime  = 30 * time.Second
	eagerPeers = 3
	selfEvery  = 4 * time.Second // how often a host asks for announcements of its own key
	selfPeers  = 2
)

// meetTwin takes an announcement of our own key.
func (d *Directory) meetTwin(a Announcement) {
	if a.Instance == d.life.instance {
		return
	}
	alive := a.Rival == d.life.instance
	t := Twin{Instance: a.Instance, Started: time.UnixMilli(a.Started), Addrs: a.Addrs, Elder: d.life.after(a)}
	d.mu.Lock()
	d.twins.rival = a.Instance
	if alive && t.Elder {
		d.profile = nil // or both would answer each other for ever
	}
	d.mu.Unlock()
	if alive && d.OnTwin != nil {
		d.OnTwin(t)
	}
}

// after reports whether this run began after the one of an announcement.
func (l life) after(a Announcement) bool {
	return cmp.Or(cmp.Compare(l.started.UnixMilli(), a.Started), cmp.Compare(l.instance, a.Instance)) > 0
}

// suspects returns the peers to compare with in search of a twin: at the start some of all peers,
// and each peer that announced another instance. Such a peer either was started again, or is two
// hosts, and the one that is linked to us should learn of the other.
func (d *Directory) suspects(now time.Time) []peer.ID {
	d.mu.Lock()
	tell := d.twins.tell
	d.twins.tell = nil
	d.mu.Unlock()
	var out []peer.ID
	for _, p := range tell {
		if p != d.self && d.Host.Connected(p) {
			out = append(out, p)
		}
	}
	if now.Sub(d.life.started) < eagerTime {
		out = append(out, d.neighbours(eagerPeers)...)
	}
	return out
}

// after answers a host that asks for announcements of its own key.
func (d *Directory) after(p peer.ID, seq uint64) (reply wire.SyncReply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.entries[p]; e != nil && e.judge.Seq > seq {
		reply.News = [][]byte{e.raw}
	}
	return reply
}

// lookForTwins asks some neighbours for announcements of our key that we did not make. It does not
// rely on their own messages, because these may reach the other host: libp2p uses either of two
// links to one key.
func (d *Directory) lookForTwins(now time.Time) {
	own, ok := d.Judge(d.self)
	if !ok || now.Sub(d.twins.asked) < selfEvery {
		return
	}
	d.twins.asked = now
	for _, p := range d.neighbours(selfPeers) {
		d.Host.Go(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, syncTime)
			defer cancel()
			if _, err := d.ask(ctx, p, wire.EncodeSelf(own.Seq)); err != nil {
				d.Log.Debug("asking for our own announcement", "peer", p, "error", err)
			}
		})
	}
}

// Compared returns a channel that is closed when this host's announcement was first compared with
// the registry of another node. From then on a twin can learn of us.
func (d *Directory) Compared() <-chan struct{} { return d.twins.compared }

func (d *Directory) didCompare() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.profile != nil && !d.twins.once {
		d.twins.once = true
		close(d.twins.compared)
	}
}
