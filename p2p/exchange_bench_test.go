//go:build unix

package p2p_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"io"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// voteSize is the size of a vote, in bytes.
const voteSize = 400

// exchange is one way of bringing the votes of n judges to each other. One round
// returns when every judge has verified the votes of all others.
type exchange interface {
	name() string
	round(votes [][]byte)
	settle() // waits for what is left over, so that it does not burden the next
}

// BenchmarkExchange measures one all-to-all exchange of 28 votes, signed and
// verified, through Push of whole hosts, and beside it in the same run through
// bare direct streams and bare gossipsub, in turn. It prints the medians in
// milliseconds, of the time and of the processor time of all hosts, and their
// ratios:
//
//	go test ./p2p -run '^$' -bench Exchange -benchtime 40x
func BenchmarkExchange(b *testing.B) {
	for name, addr := range map[string]string{"tcp": "/ip4/127.0.0.1/tcp/0", "quic": "/ip4/127.0.0.1/udp/0/quic-v1"} {
		b.Run(name, func(b *testing.B) {
			ways := []exchange{newBareStreams(b, addr), newBareGossip(b, addr), newPushed(b, addr)}
			wall, cpu := map[string][]float64{}, map[string][]float64{}
			keys := newKeys(judges)
			for range 3 { // streams open, meshes settle
				for _, w := range ways {
					w.round(keys.votes())
					w.settle()
				}
			}
			idle := idleRate()
			for b.Loop() {
				for _, w := range ways {
					votes := keys.votes()
					start, used := time.Now(), cpuTime()
					w.round(votes)
					wall[w.name()] = append(wall[w.name()], time.Since(start).Seconds()*1000)
					w.settle()
					work := (cpuTime() - used).Seconds() - idle*time.Since(start).Seconds()
					cpu[w.name()] = append(cpu[w.name()], work*1000)
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, w := range ways {
				b.ReportMetric(median(wall[w.name()]), w.name()+"-ms")
				b.ReportMetric(median(cpu[w.name()]), w.name()+"-cpu-ms")
			}
			b.ReportMetric(ratio(wall["push"], wall["direct"]), "push/direct")
			b.ReportMetric(ratio(wall["push"], wall["gossip"]), "push/gossip")
			b.ReportMetric(ratio(cpu["push"], cpu["direct"]), "push/direct-cpu")
		})
	}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// ratio is the median of the pairwise ratios.
func ratio(a, b []float64) float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return median(out)
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// idleRate is the share of a processor that all hosts use while nothing happens.
func idleRate() float64 {
	start, used := time.Now(), cpuTime()
	time.Sleep(2 * time.Second)
	return (cpuTime() - used).Seconds() / time.Since(start).Seconds()
}

// keys sign votes: the payload of a vote is its signer, filler and signature.
type keys struct {
	private []ed25519.PrivateKey
	round   int
}

func newKeys(n int) *keys {
	k := &keys{}
	for range n {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			panic(err)
		}
		k.private = append(k.private, private)
	}
	return k
}

func (k *keys) votes() [][]byte {
	k.round++
	var out [][]byte
	for _, private := range k.private {
		v := make([]byte, voteSize-ed25519.SignatureSize)
		copy(v, private.Public().(ed25519.PublicKey))
		v[32], v[33], v[34] = byte(k.round), byte(k.round>>8), byte(k.round>>16)
		out = append(out, append(v, ed25519.Sign(private, v)...))
	}
	return out
}

func verified(v []byte) bool {
	body := len(v) - ed25519.SignatureSize
	return len(v) == voteSize && ed25519.Verify(v[:32], v[:body], v[body:])
}

// counted waits for the votes of a round at all judges.
type counted struct{ wg sync.WaitGroup }

func (c *counted) expect() { c.wg.Add(judges * (judges - 1)) }

func (c *counted) add(v []byte) {
	if !verified(v) {
		panic("a vote does not verify")
	}
	c.wg.Done()
}

// bareHosts are fully connected libp2p hosts with nothing on top.
func bareHosts(b *testing.B, addr string) []host.Host {
	var hosts []host.Host
	for range judges {
		h, err := libp2p.New(libp2p.ListenAddrStrings(addr), libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableRelay(),
			libp2p.DisableMetrics(), libp2p.DisableIdentifyAddressDiscovery(), libp2p.Ping(false))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := h.Close(); err != nil {
				b.Error(err)
			}
		})
		for _, other := range hosts {
			if err := h.Connect(b.Context(), peer.AddrInfo{ID: other.ID(), Addrs: other.Addrs()}); err != nil {
				b.Fatal(err)
			}
		}
		hosts = append(hosts, h)
	}
	return hosts
}

// bareStreams is the floor: one kept stream for each ordered pair.
type bareStreams struct {
	counted
	streams [][]network.Stream
}

func newBareStreams(b *testing.B, addr string) *bareStreams {
	hosts := bareHosts(b, addr)
	d := &bareStreams{streams: make([][]network.Stream, judges)}
	for _, h := range hosts {
		h.SetStreamHandler("/bare/1", func(s network.Stream) {
			for {
				v := make([]byte, voteSize)
				if _, err := io.ReadFull(s, v); err != nil {
					return
				}
				d.add(v)
			}
		})
	}
	for i, from := range hosts {
		for _, to := range hosts {
			if from == to {
				continue
			}
			s, err := from.NewStream(b.Context(), to.ID(), "/bare/1")
			if err != nil {
				b.Fatal(err)
			}
			d.streams[i] = append(d.streams[i], s)
		}
	}
	d.round(newKeys(judges).votes()) // a stream is negotiated with its first bytes, and given up without them
	return d
}

func (d *bareStreams) name() string { return "direct" }
func (d *bareStreams) settle()      {}

func (d *bareStreams) round(votes [][]byte) {
	d.expect()
	for i, v := range votes {
		go func() {
			for _, s := range d.streams[i] {
				if _, err := s.Write(v); err != nil {
					panic(err)
				}
			}
		}()
	}
	d.wg.Wait()
}

// bareGossip is gossipsub alone, with queues that lose nothing.
type bareGossip struct {
	counted
	topics []*pubsub.Topic
}

func newBareGossip(b *testing.B, addr string) *bareGossip {
	g := &bareGossip{}
	for _, h := range bareHosts(b, addr) {
		ps, err := pubsub.NewGossipSub(b.Context(), h, pubsub.WithValidateQueueSize(4096), pubsub.WithPeerOutboundQueueSize(1024))
		if err != nil {
			b.Fatal(err)
		}
		topic, err := ps.Join("bare")
		if err != nil {
			b.Fatal(err)
		}
		sub, err := topic.Subscribe(pubsub.WithBufferSize(4096))
		if err != nil {
			b.Fatal(err)
		}
		g.topics = append(g.topics, topic)
		go func() {
			for {
				m, err := sub.Next(b.Context())
				if err != nil {
					return
				}
				if m.ReceivedFrom != h.ID() {
					g.wg.Done() // gossipsub has verified its own signature
				}
			}
		}()
	}
	p2ptest.Eventually(b, time.Minute, "the topic at all hosts", func() bool {
		return !slices.ContainsFunc(g.topics, func(t *pubsub.Topic) bool { return len(t.ListPeers()) < judges-1 })
	})
	return g
}

func (g *bareGossip) name() string { return "gossip" }
func (g *bareGossip) settle()      {}

func (g *bareGossip) round(votes [][]byte) {
	g.expect()
	for i, v := range votes {
		go func() {
			if err := g.topics[i].Publish(context.Background(), v); err != nil {
				panic(err)
			}
		}()
	}
	g.wg.Wait()
}

// pushed is Push of whole hosts, with everything on.
type pushed struct {
	counted
	b     *testing.B
	hosts []*p2p.Host
	ids   []peer.ID
	sent  uint64
}

func newPushed(b *testing.B, addr string) *pushed {
	p := &pushed{b: b}
	for range judges {
		cfg := realConfig()
		cfg.Listen = []string{addr}
		h := realHost(b, cfg, p2p.Deps{Topics: []string{"rounds"}})
		if err := h.HandlePush("vote", func(_ peer.ID, v []byte) { p.add(v) }); err != nil {
			b.Fatal(err)
		}
		if _, err := h.Join("rounds", acceptAll); err != nil {
			b.Fatal(err)
		}
		p.hosts = append(p.hosts, h)
	}
	p.ids = p2ptest.IDs(p.hosts)
	p2ptest.Mesh(b, p.hosts)
	p2ptest.Eventually(b, time.Minute, "all links", func() bool { return p2ptest.Links(p.hosts) == links(judges) })
	return p
}

func (p *pushed) name() string { return "push" }

func (p *pushed) round(votes [][]byte) {
	p.expect()
	for i, v := range votes {
		go func() {
			if err := p.hosts[i].Push("vote", p.ids, v); err != nil {
				panic(err)
			}
		}()
	}
	p.wg.Wait()
}

// settle waits for the acknowledgements, which travel a quarter of a second later.
func (p *pushed) settle() {
	time.Sleep(300 * time.Millisecond)
	p.sent += judges * (judges - 1)
	p2ptest.Eventually(p.b, 10*time.Second, "all acknowledgements", func() bool {
		var sum uint64
		for _, h := range p.hosts {
			sum += h.Stats().PushSent
		}
		return sum == p.sent
	})
}
