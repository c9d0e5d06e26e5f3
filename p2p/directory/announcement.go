package directory

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/p2p/identity"
	"ojud/p2p/wire"
)

type (
	// Announcement is a judge's description of itself.
	Announcement = wire.Announcement
	// Source is a data source in an announcement.
	Source = wire.Source
)

// announceDomain separates the signatures of announcements, by network too.
const announceDomain = "announcement:v1:"

// maxAhead is how far in the future an announcement may be signed. It is wide because other nodes
// should still find a judge with a wrong clock, and a copy of it.
const maxAhead = 24 * time.Hour

// errForged is returned if the signature, DID and peer of an announcement do not belong together.
// The peer that passed it on should have checked that.
var errForged = errors.New("directory: forged announcement")

// signAnnouncement sets the fields that follow from the key, signs, and encodes.
func signAnnouncement(network string, id identity.Identity, a Announcement) ([]byte, error) {
	did, err := id.DID()
	if err != nil {
		return nil, err
	}
	a.Peer, a.DID = id.Peer().String(), did
	msg, err := a.SigningBytes()
	if err != nil {
		return nil, err
	}
	sig, err := id.Sign(announceDomain+network, msg)
	if err != nil {
		return nil, err
	}
	a.Sig = base64.StdEncoding.EncodeToString(sig)
	return a.Encode()
}

// verifyAnnouncement checks that a well-formed announcement was signed by its
// peer for this network.
func verifyAnnouncement(network string, a Announcement) (peer.ID, error) {
	id, err := peer.Decode(a.Peer)
	if err != nil {
		return "", fmt.Errorf("%w: peer: %w", errForged, err)
	}
	if id.String() != a.Peer {
		return "", fmt.Errorf("%w: peer ID has another spelling", errForged)
	}
	if did, err := identity.DID(id); err != nil || did != a.DID {
		return "", fmt.Errorf("%w: did does not belong to peer", errForged)
	}
	for _, s := range a.Addrs {
		if _, err := ma.NewMultiaddr(s); err != nil {
			return "", fmt.Errorf("%w: address %q: %w", errForged, s, err)
		}
	}
	msg, err := a.SigningBytes()
	if err != nil {
		return "", err
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(a.Sig)
	if err != nil {
		return "", fmt.Errorf("%w: sig: %w", errForged, err)
	}
	if err := identity.Verify(id, announceDomain+network, msg, sig); err != nil {
		return "", fmt.Errorf("%w: %w", errForged, err)
	}
	return id, nil
}

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

type run struct {
	instance string
	started  time.Time
}

func newRun(now time.Time) run {
	id := make([]byte, 16)
	rand.Read(id) // never fails (crypto/rand)
	return run{hex.EncodeToString(id), now}
}

// twins holds the directory's knowledge of other hosts on our key.
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

func (d *Directory) noteTwin(a Announcement) {
	if a.Instance == d.run.instance {
		return
	}
	alive := a.Rival == d.run.instance
	t := Twin{Instance: a.Instance, Started: time.UnixMilli(a.Started), Addrs: a.Addrs, Elder: d.run.after(a)}
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

func (l run) after(a Announcement) bool {
	return cmp.Or(cmp.Compare(l.started.UnixMilli(), a.Started), cmp.Compare(l.instance, a.Instance)) > 0
}

// possibleTwins returns the peers to compare with in search of a twin: at the start some of all
// peers, and each peer that announced another instance. Such a peer either was started again, or is
// two hosts, and the one that is linked to us should learn of the other.
func (d *Directory) possibleTwins(now time.Time) []peer.ID {
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
	if now.Sub(d.run.started) < eagerTime {
		out = append(out, some(d.Host.Peers(), eagerPeers)...)
	}
	return out
}

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
	for _, p := range some(d.Host.Peers(), selfPeers) {
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
// the directory of another node. From then on a twin can learn of us.
func (d *Directory) Compared() <-chan struct{} { return d.twins.compared }

// Learned returns a channel that is closed when this directory was first compared with that of
// another node, whether or not this host announces itself.
func (d *Directory) Learned() <-chan struct{} { return d.learned }

func (d *Directory) didCompare() {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.learned:
	default:
		close(d.learned)
	}
	if d.profile != nil && !d.twins.once {
		d.twins.once = true
		close(d.twins.compared)
	}
}
