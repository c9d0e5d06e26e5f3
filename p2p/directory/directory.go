// Package directory knows the judges of the network: their keys, addresses and data sources, each
// as the judge announced and signed them. Judges compare their directories, so that an announcement
// reaches all of them. A host owns its directory, and gives it a way to other nodes (Host).
package directory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	"golang.org/x/time/rate"

	"ojud/config/bounds"
	"ojud/p2p/identity"
	"ojud/p2p/wire"
)

// Settings sets the directory of judges.
type Settings struct {
	// Path is the file of the registry. If it is empty, the registry is in memory only.
	Path string `koanf:"path"`
	// MaxEntries bounds the judges whose addresses are remembered. If there are more, those without
	// a stake are forgotten first.
	MaxEntries int `koanf:"max_entries"`
	// Sync is how often the registry is compared with a few peers. Announce is how often this node
	// signs its own entry again. Save is the shortest time between two writes of the file.
	Sync     time.Duration `koanf:"sync_interval"`
	Announce time.Duration `koanf:"announce_interval"`
	Save     time.Duration `koanf:"save_interval"`
}

// Validate names the first field out of bounds.
func (s Settings) Validate() error {
	return bounds.Check("p2p: ",
		bounds.Of("registry.max_entries", s.MaxEntries, 1, wire.MaxDigest),
		bounds.AtLeast("registry.sync_interval", s.Sync, time.Second),
		bounds.AtLeast("registry.announce_interval", s.Announce, time.Second),
		bounds.AtLeast("registry.save_interval", s.Save, 0),
	)
}

// Host is the part of a network host that a directory needs.
type Host interface {
	Peers() []peer.ID
	// OwnAddrs returns the addresses told to others.
	OwnAddrs() []ma.Multiaddr
	// Allowed reports whether the address policy lets an address be told and dialled.
	Allowed(a ma.Multiaddr) bool
	Connected(p peer.ID) bool
	Banned(p peer.ID) bool
	// Protected reports whether there must be a link to a peer.
	Protected(p peer.ID) bool
	// Ask sends a message to the directory of a peer, and returns what its Answer returned.
	Ask(ctx context.Context, to peer.ID, message []byte) ([]byte, error)
	Penalize(p peer.ID, points float64, reason string)
	// Go runs f until the host closes.
	Go(f func(context.Context))
}

// Parts are the dependencies of a Directory.
type Parts struct {
	Host    Host
	Network string // of the court
	Key     identity.Identity
	Admit   func(Announcement) bool // as p2p.Deps.Admit; nil: all are kept
	Staked  func(Announcement) bool // as p2p.Deps.Staked; nil: no judge is staked
	OnTwin  func(Twin)              // may be nil
	Now     func() time.Time
	Log     *slog.Logger
}

// Judge is one entry of the directory.
type Judge struct {
	Announcement
	ID   peer.ID
	Seen time.Time // when it was last connected to us, or otherwise when it signed

	read *reading // of Addrs; nil in a Judge that is not of a Directory
}

// reading is what AddrInfo returns, read once: a node asks for every judge every few seconds.
type reading struct {
	info peer.AddrInfo
	err  error
}

// Directory is kept on disk and compared with other nodes on every new link and from time to time.
// With it, finding the holders of a source is a look-up here instead of a walk through the DHT.
type Directory struct {
	Parts
	cfg  Settings
	self peer.ID
	run  run
	// others bounds the checks of announcements from judges without a stake. Each check verifies a
	// signature, and anybody can make such announcements without limit.
	others *rate.Limiter

	stored, bad, evicted atomic.Uint64

	mu      sync.Mutex
	entries map[peer.ID]*record
	refused map[peer.ID]uint64 // highest sequence number not admitted, not to be asked for again
	profile *Profile           // what we announce; nil until Announce, and after we gave way
	twins   twins
	dirty   bool          // not saved yet
	news    bool          // not told to neighbours yet
	saved   time.Time     // when it was last saved
	queue   []peer.ID     // peers to compare with
	active  int           // comparisons under way
	wake    chan struct{} // the queue or active changed
	learned chan struct{} // closed after the first comparison with another node
}

// Rate and burst of the checks of announcements without a stake. A signature and its JSON cost 0.1
// ms.
const (
	othersRate  = 64
	othersBurst = 1024
)

type record struct {
	judge Judge
	raw   []byte // the signed bytes, as received
}

// New reads the directory's file.
func New(cfg Settings, p Parts) (*Directory, error) {
	d := &Directory{
		Parts: p, cfg: cfg, self: p.Key.Peer(), run: newRun(p.Now()), others: rate.NewLimiter(othersRate, othersBurst),
		entries: map[peer.ID]*record{}, refused: map[peer.ID]uint64{}, twins: twins{compared: make(chan struct{})}, wake: make(chan struct{}, 1),
		learned: make(chan struct{}),
	}
	if d.Admit == nil {
		d.Admit = func(Announcement) bool { return true }
	}
	if d.Staked == nil {
		d.Staked = func(Announcement) bool { return false }
		d.others.SetLimit(rate.Inf) // there is no staked judge to leave room for
	}
	return d, d.load()
}

// Counts returns how many announcements were learned, refused as malformed or forged, and removed
// because the directory was full.
func (d *Directory) Counts() (stored, bad, evicted uint64) {
	return d.stored.Load(), d.bad.Load(), d.evicted.Load()
}

// Judges returns all entries, last seen first.
func (d *Directory) Judges() []Judge { return d.find(func(Judge) bool { return true }) }

// Judge returns the entry of one peer.
func (d *Directory) Judge(p peer.ID) (Judge, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.entries[p]
	if !ok {
		return Judge{}, false
	}
	return e.judge.clone(), true
}

// Holders returns the judges that say they hold a source, last seen first, without this one and
// without banned ones.
func (d *Directory) Holders(source string) []Judge {
	return d.find(func(j Judge) bool {
		return j.ID != d.self && !d.Host.Banned(j.ID) &&
			slices.ContainsFunc(j.Sources, func(s Source) bool { return s.Name == source })
	})
}

func (d *Directory) find(match func(Judge) bool) []Judge {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Judge
	for _, e := range d.entries {
		if match(e.judge) {
			out = append(out, e.judge.clone())
		}
	}
	slices.SortFunc(out, func(a, b Judge) int {
		return cmp.Or(b.Seen.Compare(a.Seen), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (j Judge) clone() Judge {
	j.Addrs, j.RPCURLs, j.Sources = slices.Clone(j.Addrs), slices.Clone(j.RPCURLs), slices.Clone(j.Sources)
	return j
}

// Len returns the number of entries.
func (d *Directory) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.entries)
}

// strangerLasts is how long an entry without a stake is kept after it was last seen.
const strangerLasts = time.Hour

// forget removes the entries without a stake that were not seen for an hour. While no entry has a
// stake, the stakes are not known yet.
func forget(d *Directory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	staked := func(e *record) bool { return d.Staked(e.judge.Announcement) }
	if !slices.ContainsFunc(slices.Collect(maps.Values(d.entries)), staked) {
		return
	}
	since := d.Now().Add(-strangerLasts)
	for p, e := range d.entries {
		if p != d.self && !staked(e) && e.judge.Seen.Before(since) && !d.Host.Protected(p) {
			delete(d.entries, p)
			d.refuse(e)
			d.dirty = true
		}
	}
}

// Prune asks Deps.Admit again about every entry, removes those that it refuses now, and returns
// their number. Call it if stakes have changed.
func (d *Directory) Prune() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := len(d.entries)
	maps.DeleteFunc(d.entries, func(p peer.ID, e *record) bool { return p != d.self && !d.Admit(e.judge.Announcement) })
	gone := before - len(d.entries)
	d.dirty = d.dirty || gone > 0
	clear(d.refused)
	return gone
}

// AddrInfo returns the addresses of a peer, as far as the policy allows them.
func (d *Directory) AddrInfo(p peer.ID) (peer.AddrInfo, bool) {
	j, _ := d.Judge(p)
	ai, err := j.AddrInfo()
	ai.Addrs = slices.DeleteFunc(ai.Addrs, func(a ma.Multiaddr) bool { return !d.Host.Allowed(a) })
	return ai, err == nil && len(ai.Addrs) > 0
}

// AddrInfo returns the addresses that a judge announces, for Keep.
func (j Judge) AddrInfo() (peer.AddrInfo, error) {
	if j.read != nil {
		return peer.AddrInfo{ID: j.ID, Addrs: slices.Clone(j.read.info.Addrs)}, j.read.err
	}
	ai := peer.AddrInfo{ID: j.ID}
	for _, s := range j.Addrs {
		a, err := ma.NewMultiaddr(s)
		if err != nil {
			return ai, fmt.Errorf("directory: address of %s: %w", j.ID, err)
		}
		ai.Addrs = append(ai.Addrs, a)
	}
	return ai, nil
}

// put takes an announcement from the network or from disk. seen is when the judge was last
// connected, zero if we do not know. It returns an error only for bytes that no honest peer passes
// on: malformed ones (wire.ErrAnnouncement) and forged ones (errForged). If an announcement is old,
// not admitted, or signed ahead of our clock, it is left out without blame.
func (d *Directory) put(raw []byte, seen time.Time) error {
	a, err := wire.DecodeAnnouncement(raw)
	if err != nil {
		return err
	}
	id, err := peer.Decode(a.Peer)
	if err != nil {
		return fmt.Errorf("%w: peer: %w", errForged, err)
	}
	if d.outdated(id, a.Seq) {
		return nil // not worth a signature check
	}
	if id != d.self && !d.Staked(a) && !d.others.Allow() {
		return nil // it comes again
	}
	if id, err = verifyAnnouncement(d.Network, a); err != nil {
		return err
	}
	signed, now := time.Unix(a.At, 0), d.Now()
	if signed.After(now.Add(maxAhead)) {
		return nil
	}
	if seen.Before(signed) {
		seen = signed
	}
	if seen.After(now) {
		seen = now
	}
	judge := Judge{Announcement: a, ID: id, Seen: seen}
	info, err := judge.AddrInfo()
	judge.read = &reading{info, err}
	d.store(&record{judge: judge, raw: slices.Clone(raw)})
	if id == d.self {
		d.noteTwin(a)
	}
	return nil
}

// outdated reports whether we have, or have refused, this number or a higher one.
func (d *Directory) outdated(p peer.ID, seq uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known(p) >= seq
}

// known returns the highest number that other nodes need not tell us again.
func (d *Directory) known(p peer.ID) uint64 {
	if e := d.entries[p]; e != nil {
		return max(e.judge.Seq, d.refused[p])
	}
	return d.refused[p]
}

// store keeps a verified record if it is newer, admitted, and there is room.
func (d *Directory) store(e *record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := e.judge.ID
	old := d.entries[p]
	switch {
	case d.known(p) >= e.judge.Seq:
		return
	case p != d.self && !d.Admit(e.judge.Announcement):
		d.refuse(e)
		return
	case old != nil && old.judge.Seen.After(e.judge.Seen):
		e.judge.Seen = old.judge.Seen
	}
	d.entries[p] = e
	if old != nil && old.judge.Instance != e.judge.Instance {
		d.twins.tell = append(d.twins.tell, p)
	}
	d.evict()
	d.dirty, d.news = true, true
	d.stored.Add(1)
}

// refuse remembers not to ask for a record again, within the same bound.
func (d *Directory) refuse(e *record) {
	if len(d.refused) >= d.cfg.MaxEntries {
		clear(d.refused)
	}
	d.refused[e.judge.ID] = e.judge.Seq
}

// evict removes entries while there are too many, those without a stake first, and then those
// unseen for longest. It keeps our own entry and those of kept peers.
func (d *Directory) evict() {
	for len(d.entries) > d.cfg.MaxEntries {
		var oldest *record
		staked := true
		for p, e := range d.entries {
			if p == d.self || d.Host.Protected(p) {
				continue
			}
			has := d.Staked(e.judge.Announcement)
			if oldest == nil || staked && !has || staked == has && e.judge.Seen.Before(oldest.judge.Seen) {
				oldest, staked = e, has
			}
		}
		if oldest == nil {
			return
		}
		delete(d.entries, oldest.judge.ID)
		d.refuse(oldest)
		d.evicted.Add(1)
	}
}

// blame reports whether an error of put is the fault of the peer that passed it on.
func blame(err error) bool { return errors.Is(err, wire.ErrAnnouncement) || errors.Is(err, errForged) }
