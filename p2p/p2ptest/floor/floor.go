// Package floor does the network's work for judges with bare libraries, without ojud. It brings the
// votes of some judges to each other, over a libp2p stream for each pair or over gossipsub, finds
// holders with kad-dht, and asks and answers over streams. Benchmarks run it in turn with their own
// measurements, in the same process. A ratio to it says more than a time, which belongs to one
// machine.
//
// A benchmark makes its exchanges once. Then Voters sign new votes for every round, and the same
// votes run through each exchange. Between rounds the hosts stay, so subtract their cost while
// idle: see Idle.
package floor

import (
	"bufio"
	"crypto/ed25519"
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Exchange is one way to bring the votes of n judges to each other.
type Exchange interface {
	// Name returns a word for a table.
	Name() string
	// Round brings votes[i], of judge i, to all others, and returns when each of them has verified
	// it.
	Round(votes [][]byte)
	// Settle waits for the work that a round leaves for later, so that it does not burden the next
	// measurement.
	Settle()
}

// patience is how long a round may take before the benchmark fails.
const patience = time.Minute

// verified reports whether a vote begins with the judge that signed it.
func verified(v []byte) bool {
	if len(v) < MinVote {
		return false
	}
	body := len(v) - ed25519.SignatureSize
	return ed25519.Verify(v[:ed25519.PublicKeySize], v[:body], v[body:])
}

// hosts makes fully connected libp2p hosts, which end with the benchmark.
func hosts(t testing.TB, n int, addr string, opts ...libp2p.Option) []host.Host {
	t.Helper()
	var all []host.Host
	for range n {
		h := newHost(t, addr, opts...)
		for _, other := range all {
			connect(t, h, other)
		}
		all = append(all, h)
	}
	return all
}

// newHost makes a host with only the necessary parts.
func newHost(t testing.TB, addr string, opts ...libp2p.Option) host.Host {
	t.Helper()
	h, err := libp2p.New(append([]libp2p.Option{
		libp2p.ListenAddrStrings(addr), libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableRelay(),
		libp2p.DisableMetrics(), libp2p.DisableIdentifyAddressDiscovery(), libp2p.Ping(false)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func connect(t testing.TB, h, to host.Host) {
	t.Helper()
	if err := h.Connect(t.Context(), peer.AddrInfo{ID: to.ID(), Addrs: to.Addrs()}); err != nil {
		t.Fatal(err)
	}
}

// direct is the lower floor: one kept stream for each ordered pair.
type direct struct {
	*Tally
	hosts   []host.Host
	streams [][]network.Stream // opened by the first round, because a negotiated stream is closed if unused
}

// NewDirect connects n hosts that listen on addr with bare streams. Two bytes before a
// vote have its size.
func NewDirect(t testing.TB, n int, addr string, opts ...libp2p.Option) Exchange {
	t.Helper()
	d := &direct{Tally: NewTally(t), hosts: hosts(t, n, addr, opts...)}
	for _, h := range d.hosts {
		h.SetStreamHandler("/bare/1", d.read)
	}
	return d
}

func (d *direct) read(s network.Stream) {
	r := bufio.NewReaderSize(s, 2<<10)
	for {
		var size [2]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return // the host is closed
		}
		v := make([]byte, binary.LittleEndian.Uint16(size[:]))
		if _, err := io.ReadFull(r, v); err != nil {
			return // the host is closed; Wait notices a missing vote
		}
		d.Add(v)
	}
}

func (d *direct) open(from host.Host) (out []network.Stream) {
	d.t.Helper()
	for _, to := range d.hosts {
		if from == to {
			continue
		}
		s, err := from.NewStream(d.t.Context(), to.ID(), "/bare/1")
		if err != nil {
			d.t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func (*direct) Name() string { return "direct" }
func (*direct) Settle()      {}

// Round implements Exchange. It may have several votes of a judge, which sends them without
// waiting: vote i is that of judge i modulo n.
func (d *direct) Round(votes [][]byte) {
	d.t.Helper()
	if d.streams == nil {
		for _, h := range d.hosts {
			d.streams = append(d.streams, d.open(h))
		}
	}
	d.ExpectAll(len(votes), len(d.hosts)-1)
	for i := range d.streams {
		go func() {
			for k := i; k < len(votes); k += len(d.streams) {
				d.send(d.streams[i], votes[k])
			}
		}()
	}
	d.Wait()
}

func (d *direct) send(to []network.Stream, v []byte) {
	v = append(binary.LittleEndian.AppendUint16(nil, uint16(len(v))), v...)
	for _, s := range to {
		if _, err := s.Write(v); err != nil {
			d.Fail(err)
		}
	}
}

type gossip struct {
	*Tally
	topics []*pubsub.Topic
}

// NewGossip connects n hosts that listen on addr with one topic of gossipsub, which signs and
// verifies by itself.
func NewGossip(t testing.TB, n int, addr string, opts ...libp2p.Option) Exchange {
	t.Helper()
	g := &gossip{Tally: NewTally(t)}
	for _, h := range hosts(t, n, addr, opts...) {
		g.join(h)
	}
	alone := func(topic *pubsub.Topic) bool { return len(topic.ListPeers()) < n-1 }
	for end := time.Now().Add(patience); slices.ContainsFunc(g.topics, alone); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("floor: the topic is not at all hosts within %s", patience)
		}
	}
	return g
}

func (g *gossip) join(h host.Host) {
	g.t.Helper()
	ps, err := pubsub.NewGossipSub(g.t.Context(), h, pubsub.WithValidateQueueSize(4096), pubsub.WithPeerOutboundQueueSize(1024))
	if err != nil {
		g.t.Fatal(err)
	}
	topic, err := ps.Join("bare")
	if err != nil {
		g.t.Fatal(err)
	}
	sub, err := topic.Subscribe(pubsub.WithBufferSize(4096))
	if err != nil {
		g.t.Fatal(err)
	}
	g.topics = append(g.topics, topic)
	go func() {
		for {
			m, err := sub.Next(g.t.Context())
			if err != nil {
				return // the benchmark is over
			}
			if m.ReceivedFrom != h.ID() {
				g.Count()
			}
		}
	}()
}

func (*gossip) Name() string { return "gossip" }
func (*gossip) Settle()      {}

func (g *gossip) Round(votes [][]byte) {
	g.t.Helper()
	g.Expect(len(votes))
	for i, v := range votes {
		go func() {
			if err := g.topics[i].Publish(g.t.Context(), v); err != nil {
				g.Fail(err)
			}
		}()
	}
	g.Wait()
}
