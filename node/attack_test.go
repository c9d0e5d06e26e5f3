package node

import (
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"ojud/ledger/program"
	"ojud/node/evidence"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
	"ojud/p2p/wire"
	"ojud/test/longtest"
	"ojud/voting"
)

// These are the sizes of the attacks. Every go test runs the short form, make siege the long one.
var (
	flagJudges = flag.Int("siege.judges", 3, "judges of TestThirdAttacks")
	flagThird  = flag.Int("siege.attackers", 1, "of which that many attack")
	flagRate   = flag.Int("siege.rate", 40, "messages a second of each flood of each attacker to each node")
	flagNaked  = flag.Bool("siege.naked", false, "TestThirdAttacks also floods nodes without limits, quotas and bans: the control")
	flagSybils = flag.Int("siege.sybils", 24, "sybils of TestHolderEclipsed")
	flagFinds  = flag.Int("siege.finds", 1, "requests of TestHolderEclipsed")
)

// ruffian is a bare libp2p host without our limits. It has the node key of a judge, or a free one.
type ruffian struct {
	host.Host
	t     testing.TB
	topic map[string]*pubsub.Topic
	end   func()
	sent  int // messages of all kinds; the goroutines of storm add to it
	mu    sync.Mutex
}

// newRuffian starts a ruffian on the simulated wire.
func newRuffian(t testing.TB, w *world, n int, key crypto.PrivKey) *ruffian {
	t.Helper()
	h, err := libp2p.New(w.net.Transport(), libp2p.Identity(key), libp2p.ListenAddrStrings(fmt.Sprintf("/ip4/203.0.113.%d/udp/1/quic-v1", n+1)),
		libp2p.DisableIdentifyAddressDiscovery(), libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableMetrics())
	w.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	r := &ruffian{Host: h, t: t, topic: map[string]*pubsub.Topic{}}
	mesh := func(f pubsub.GossipSubFeature, _ protocol.ID) bool { return f == pubsub.GossipSubFeatureMesh }
	ps, err := pubsub.NewGossipSub(ctx, h, pubsub.WithGossipSubProtocols([]protocol.ID{p2p.ProtocolID("test", "meshsub")}, mesh),
		pubsub.WithFloodPublish(true), pubsub.WithPeerOutboundQueueSize(4096), pubsub.WithMaxMessageSize(2<<20))
	w.must(err)
	for _, name := range []string{roundsTopic, evidence.Topic} {
		topic, err := ps.Join(p2p.TopicName("test", name))
		w.must(err)
		r.topic[name] = topic
	}
	r.end = sync.OnceFunc(func() {
		cancel()
		w.must(h.Close())
	})
	t.Cleanup(r.end)
	return r
}

func (r *ruffian) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent += n
}

// meet connects to the nodes of a court.
func (r *ruffian) meet(nodes []*member) {
	for _, m := range nodes {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		_ = r.Connect(ctx, p2ptest.Info(r.t, m.host)) // it may be banned there already
		cancel()
	}
}

// storm attacks the nodes in all ways until ctx ends. Each flood sends perSecond messages a second
// to each node.
func (r *ruffian) storm(ctx context.Context, nodes []*member, perSecond int, notice []byte) *sync.WaitGroup {
	var all sync.WaitGroup
	every := func(pause time.Duration, f func()) {
		all.Go(func() {
			for ctx.Err() == nil {
				f()
				work.Pause(ctx, pause)
			}
		})
	}
	tick := time.Second / 5
	burst := max(1, perSecond/5)
	every(2*time.Second, func() { r.meet(nodes) })
	every(tick, func() { r.gossip(ctx, burst, notice) })
	for _, m := range nodes {
		id := m.host.ID()
		every(tick, func() { r.push(ctx, id, burst, notice) })
		every(tick, func() { r.ask(ctx, id, burst) })
		every(time.Second, func() { r.hold(ctx, id, max(1, perSecond/10)) })
	}
	return &all
}

// bigEach is how many messages an attacker gossips for one of 1 MiB, of which it sends at most five
// a second. To sign them all would take the attacker more processor time than its victims.
const bigEach = 40

// gossip floods the topics with rubbish and replayed notices. Some messages are of 1 MiB.
func (r *ruffian) gossip(ctx context.Context, n int, notice []byte) {
	for i := range n {
		msg := append([]byte{byte(i), byte(i >> 8)}, rand.Text()...)
		switch i % 4 {
		case 1:
			msg = mutated(notice, i)
		case 2:
			msg = append(bytes.Clone(notice), rand.Text()...)
		}
		topic := roundsTopic
		if i%8 == 7 {
			topic = evidence.Topic
		}
		if r.topic[topic].Publish(ctx, msg) == nil {
			r.count(1)
		}
	}
	if mrand.N(bigEach) < n && r.topic[roundsTopic].Publish(ctx, make([]byte, 1<<20)) == nil {
		r.count(1)
	}
}

func mutated(notice []byte, i int) []byte {
	out := bytes.Clone(notice)
	out[i%len(out)] ^= 1 << (i % 8)
	return out
}

// push floods the vote stream with damaged notices, and breaks the stream off.
func (r *ruffian) push(ctx context.Context, to peer.ID, n int, notice []byte) {
	s, err := r.stream(ctx, to, voteStream)
	if err != nil {
		return
	}
	defer func() { _ = s.Reset() }()
	go func() { _, _ = io.Copy(io.Discard, s) }()
	for i := range n {
		if _, err := s.Write(wire.AppendFrame(nil, wire.OK, mutated(notice, i))); err != nil {
			return
		}
		r.count(1)
	}
}

func (r *ruffian) stream(ctx context.Context, to peer.ID, name string) (network.Stream, error) {
	ctx, cancel := context.WithTimeout(network.WithNoDial(ctx, "storm"), time.Second)
	defer cancel()
	return r.NewStream(ctx, to, p2p.ProtocolID("test", name))
}

// ask sends large and empty questions on every protocol that answers, and reads none of the
// answers.
func (r *ruffian) ask(ctx context.Context, to peer.ID, n int) {
	questions := map[string][]byte{
		"case":     append([]byte(`{"op":"events","case":"`), bytes.Repeat([]byte("1"), 200<<10)...),
		"blob":     append([]byte{1}, make([]byte, 32)...),
		"have":     []byte(`{"card":"","data_source":"site.post"}`),
		"shared":   []byte(`{}`),
		"registry": {1, 0},
	}
	for name, q := range questions {
		for range max(1, n/len(questions)) {
			s, err := r.stream(ctx, to, name)
			if err != nil {
				break
			}
			if s.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
				_, err = s.Write(wire.AppendFrame(nil, wire.OK, q))
			}
			if err == nil {
				r.count(1)
			}
			go func() { work.Pause(ctx, time.Second); _ = s.Reset() }() // it reads nothing, then resets the stream
		}
	}
}

// hold opens streams, sends half a frame on each, and leaves them open.
func (r *ruffian) hold(ctx context.Context, to peer.ID, n int) {
	for i := range n {
		names := []string{"case", "blob", voteStream, "data", "kad/1.0.0", "meshsub"}
		ctx, cancel := context.WithTimeout(network.WithNoDial(ctx, "storm"), 200*time.Millisecond)
		name := p2p.ProtocolID("test", names[i%len(names)])
		if names[i%len(names)] == "kad/1.0.0" {
			name = "/oju/test/kad/1.0.0"
		}
		if s, err := r.NewStream(ctx, to, name); err == nil {
			if _, err := s.Write([]byte{0, 100}); err == nil {
				r.count(1)
			}
		}
		cancel()
	}
}

// defenceless removes limits, quotas and bans from a node. The libraries keep their own.
func defenceless(m *member) {
	const all = 1 << 20
	c := &m.cfg.P2P
	c.Limits = p2p.Resources{Conns: all, ConnsPerPeer: all, ConnsPerIPv4: all, ConnsPerIPv6: all, ConnRatePerIP: all, Streams: all, StreamsPerPeer: all, MemoryMiB: all}
	c.Scores.BanAt = 1e9
	c.Gossip.RatePerPeer, c.Gossip.BurstPerPeer = all, all
	c.Push.RatePerPeer, c.Push.BurstPerPeer = all, all
}

// siege starts a court whose last judges are ruffians. change is applied to the others before they
// start.
func siege(t *testing.T, judges, attackers int, change func(*member)) (*world, []*member) {
	t.Helper()
	w := newWorld(t, func(p *program.Params) {
		p.CommitSeconds, p.RevealSeconds = 60, 60
	})
	for range judges - attackers {
		w.joinWith(change)
	}
	honest := w.nodes[: judges-attackers : judges-attackers]
	for range attackers {
		m := &member{}
		w.equip(m)
		w.must(w.stake(m.home.Keys))
	}
	w.season()
	return w, honest
}

// result is the cost of a case.
type result struct {
	took     time.Duration
	heap     uint64
	routines int
	c        *program.Case
	// These are measured while the ruffians run: how much of their flood got in, the peak numbers
	// of goroutines and memory, and the processor time of the whole process.
	sent, crowd int
	peak        uint64
	cpu         time.Duration
}

// battle settles one dispute. The ruffians are quiet if perSecond is 0.
func battle(t *testing.T, judges, attackers, perSecond int, change func(*member)) (out result) {
	p2ptest.Run(t, func(t *testing.T) {
		w, honest := siege(t, judges, attackers, change)
		time.Sleep(30 * time.Second) // so that no node waits for copies of itself
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var storms []*sync.WaitGroup
		busy := floor.CPU(t)
		var bad []*ruffian
		if perSecond > 0 {
			notice := voting.Commit{Task: voting.Key{1}, Round: 1, Judge: w.nodes[len(w.nodes)-1].home.Keys.Judge(), Signed: voting.Signed{Commitment: voting.Hash{2}}}.Encode()
			for i, m := range w.nodes[len(honest):] {
				key, err := crypto.UnmarshalEd25519PrivateKey(m.home.Keys.Identity.Ed25519())
				w.must(err)
				r := newRuffian(t, w, i, key)
				r.meet(honest)
				bad, storms = append(bad, r), append(storms, r.storm(ctx, honest, perSecond, notice))
			}
			time.Sleep(5 * time.Second)
		}
		start := time.Now()
		task := w.dispute(eleptiger(t))
		out.c = w.until(40*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		out.took = time.Since(start)
		out.crowd, out.cpu = runtime.NumGoroutine()-before, floor.CPU(t)-busy
		out.peak = heap() // includes the memory of the ruffians
		for _, m := range honest {
			if s := seatOf(t, out.c, m); s.Result != voting.Majority || s.Slashed != 0 {
				t.Errorf("an honest judge: %v, slashed %d", s.Result, s.Slashed)
			}
			w.verified(m, task)
		}
		cancel()
		for i, s := range storms {
			s.Wait()
			out.sent += bad[i].sent
			bad[i].end()
		}
		time.Sleep(time.Minute)
		out.heap = heap()
		time.Sleep(20 * time.Minute) // nodes close unused streams
		out.routines = runtime.NumGoroutine() - before
		t.Logf("%d judges, %d attackers, %d messages: decided after %v, heap %d KiB with the attackers, %d KiB without, goroutines %+d and %+d, %v of processor time",
			judges, attackers, out.sent, out.took, out.peak>>10, out.heap>>10, out.crowd, out.routines, out.cpu.Round(time.Millisecond))
	})
	return out
}

// heap returns the memory in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestThirdAttacks: while a third of the judges floods every protocol, the case is settled with the
// right verdict and no honest judge is slashed. It takes at most twice the time and memory of a
// case with the same judges absent (R10).
func TestThirdAttacks(t *testing.T) {
	longtest.Only(t)
	clean := battle(t, *flagJudges, *flagThird, 0, nil)
	siege := battle(t, *flagJudges, *flagThird, *flagRate, nil)
	if clean.c.Verdict != voting.ForWorker || siege.c.Verdict != voting.ForWorker {
		t.Errorf("verdicts %v and %v", clean.c.Verdict, siege.c.Verdict)
	}
	if siege.took > 2*clean.took || siege.heap > 2*clean.heap || siege.routines > clean.routines+20 {
		t.Errorf("clean %v, %d KiB; attacked %v, %d KiB; %d goroutines left", clean.took, clean.heap>>10, siege.took, siege.heap>>10, siege.routines)
	}
	if *flagNaked {
		disarmed(t, siege)
	}
}

// disarmed is the control: without limits, quotas and bans more of the flood gets in, and it costs
// more than twice the memory, goroutines or processor time. It cannot check the delay, because fake
// time stands still while processors work.
func disarmed(t *testing.T, guarded result) {
	naked := battle(t, *flagJudges, *flagThird, *flagRate, defenceless)
	t.Logf("without protection: %.1f times the messages, %.1f times the heap, %.1f times the goroutines, %.1f times the processor time",
		ratio(naked.sent, guarded.sent), ratio(naked.peak, guarded.peak), ratio(naked.crowd, guarded.crowd), ratio(naked.cpu, guarded.cpu))
	if naked.peak < 2*guarded.peak && naked.crowd < 2*guarded.crowd && naked.cpu < 2*guarded.cpu {
		t.Errorf("limits, quotas and bans prevent nothing: %+v with them, %+v without", guarded, naked)
	}
}

func ratio[T int | uint64 | time.Duration](a, b T) float64 { return float64(a) / float64(max(b, 1)) }
