package evidence

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/voting"
)

// errDown is what a part that does not work returns.
var errDown = errors.New("down")

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// id returns the peer whose key begins with n.
func id(t *testing.T, n byte) peer.ID {
	t.Helper()
	p, err := network.PeerOf(voting.Key{n})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// court is a set of followed cases. The judge of node n has the authority n+100.
type court struct {
	cases map[voting.Key]voting.Case
	terms *program.Task // nil: the chain cannot be read
}

func (c court) Look(task voting.Key) (voting.Case, bool) {
	look, ok := c.cases[task]
	return look, ok
}

func (c court) Staked(context.Context, voting.Key, *network.Roster) (map[casefile.DID]uint64, error) {
	return nil, nil
}

func (c court) Terms(context.Context, voting.Key) (*program.Task, error) {
	if c.terms == nil {
		return nil, errDown
	}
	return c.terms, nil
}

func (c court) SeatPeers(task voting.Key) (out []peer.ID) {
	for _, s := range c.cases[task].Seats {
		if p, err := network.PeerOf(s.Peer); err == nil {
			out = append(out, p)
		}
	}
	return out
}

func (c court) Sits(node voting.Key) bool {
	for _, look := range c.cases {
		if look.Live() && slices.ContainsFunc(look.Seats, func(s voting.Seat) bool { return s.Peer == node }) {
			return true
		}
	}
	return false
}

func (c court) JudgeOf(task voting.Key, round uint8, node voting.Key) (voting.Key, bool) {
	look := c.cases[task]
	for _, s := range look.Seats {
		if look.Live() && look.Round == round && s.Peer == node {
			return s.Judge, true
		}
	}
	return voting.Key{}, false
}

func (court) AtMost(_ voting.Key, limit time.Duration) time.Duration { return limit }

// seats returns the seats of nodes.
func seats(nodes ...byte) (out []voting.Seat) {
	for _, n := range nodes {
		out = append(out, voting.Seat{Judge: voting.Key{n + 100}, Peer: voting.Key{n}})
	}
	return out
}

// listed is a Roster of nodes. The judge of node n has the authority n+100.
type listed []byte

func (l listed) EntryOf(node voting.Key) (program.RosterEntry, bool) {
	if !slices.Contains(l, node[0]) {
		return program.RosterEntry{}, false
	}
	return program.RosterEntry{Authority: [32]byte{node[0] + 100}, Peer: node}, true
}

func (l listed) Has(p peer.ID) bool {
	key, err := network.KeyOf(p)
	return err == nil && slices.Contains(l, key[0])
}

// library has content, here or at a peer. It notes who was asked for it.
type library struct {
	mu    sync.Mutex
	all   map[voting.Hash][]byte
	asked []peer.ID
}

func newLibrary(contents ...[]byte) *library {
	l := &library{all: map[voting.Hash][]byte{}}
	for _, content := range contents {
		l.all[casefile.HashOf(content)] = content
	}
	return l
}

func (l *library) Blob(hash voting.Hash) ([]byte, error) {
	if content, ok := l.all[hash]; ok {
		return content, nil
	}
	return nil, casefile.ErrNoBlob
}

func (l *library) Fetch(_ context.Context, hash voting.Hash, _ []peer.ID) ([]byte, error) {
	return l.Blob(hash)
}

func (l *library) FetchFrom(_ context.Context, p peer.ID, hash voting.Hash) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, p)
	return l.Blob(hash)
}

func (*library) ConnectedFirst(peers []peer.ID) []peer.ID { return peers }

// wire is a network: it answers requests, and has provider records. It notes penalties.
type wire struct {
	self      peer.ID
	answer    func(to peer.ID, request []byte) ([]byte, error)
	providers []peer.ID

	mu        sync.Mutex
	asked     []peer.ID
	penalties map[peer.ID]string
	looked    []time.Time // when the DHT was asked
}

func (w *wire) ID() peer.ID { return w.self }

func (*wire) Join(string, p2p.Validator) (*p2p.Topic, error) { return nil, errDown }

func (*wire) Handle(string, p2p.StreamLimits, p2p.Handler) error { return nil }

func (w *wire) Request(_ context.Context, to peer.ID, _ string, request []byte) ([]byte, error) {
	w.mu.Lock()
	w.asked = append(w.asked, to)
	w.mu.Unlock()
	return w.answer(to, request)
}

func (w *wire) Penalize(p peer.ID, _ float64, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.penalties == nil {
		w.penalties = map[peer.ID]string{}
	}
	w.penalties[p] = reason
}

func (w *wire) EachProvider(_ context.Context, _ []byte, most int, see func(peer.AddrInfo)) error {
	w.mu.Lock()
	w.looked = append(w.looked, time.Now())
	w.mu.Unlock()
	for _, p := range w.providers[:min(most, len(w.providers))] {
		see(peer.AddrInfo{ID: p})
	}
	return nil
}

// announced is a directory of peers that all announce the source "a" with one card.
type announced struct {
	peers []peer.ID
	card  string
}

func (a announced) judge(p peer.ID) directory.Judge {
	j := directory.Judge{ID: p}
	j.Sources = []directory.Source{{Name: "a", SchemaHash: a.card}}
	return j
}

func (a announced) Holders(string) (out []directory.Judge) {
	for _, p := range a.peers {
		out = append(out, a.judge(p))
	}
	return out
}

func (a announced) Judge(p peer.ID) (directory.Judge, bool) {
	return a.judge(p), slices.Contains(a.peers, p)
}
