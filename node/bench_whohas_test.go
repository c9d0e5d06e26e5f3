//go:build unix

package node

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/node/evidence"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
)

// This is the network of BenchmarkWhoHas.
const (
	strangers  = 36 // nodes of the DHT that are no judges
	twoHolders = 2
	offered    = 30 // sources of each holder; an announcement has room for 32
)

// BenchmarkWhoHas measures how long a judge waits for the first byte of an answer, and for a
// verified answer on its disk, of a source that it asks for the first time. 28 whole nodes sit in a
// round, and two of them hold the sources. With 36 more hosts they form a DHT of 64. Everything is
// real: loopback TCP, seats read from the chain, fetched cards, negotiated terms, signed receipts.
// In turn with it, in the same process, 64 bare hosts with the same connections look a key up in
// bare kad-dht and get one byte from the first holder that they find. Compare machines by the
// ratios to that.
//
//	go test ./node -run '^$' -bench WhoHas -benchtime 100x
func BenchmarkWhoHas(b *testing.B) {
	bare := floor.NewLookup(b, seats, strangers, loopback)
	m := newBazaar(b, stand{nodes: seats, holders: twoHolders, sources: offered})
	m.invite(strangers)
	for _, name := range m.sources {
		for holder := seats - twoHolders; holder < seats; holder++ {
			bare.Provide(holder, []byte(name))
		}
	}
	r := &findings{b: b, ways: ways(), samples: map[string][]stages{}}
	machine := floor.ReadMachine(b)
	for turn := 0; b.Loop(); turn++ {
		m.askAll(r, bare, turn)
	}
	foreign := machine.Foreign(b)
	b.ReportMetric(0, "ns/op")
	r.report(foreign)
}

// askAll makes a judge ask in every way, each time for a source that is new to it.
func (m *bazaar) askAll(r *findings, bare *floor.Lookup, turn int) {
	m.b.Helper()
	askers := seats - twoHolders
	asker, round := turn%askers, turn/askers
	if (round+1)*(len(r.ways)+1) > offered {
		m.b.Fatalf("at most %d turns: then no source is new to a judge; use a smaller -benchtime", offered/(len(r.ways)+1)*askers)
	}
	sources := m.sources[round*(len(r.ways)+1):]
	found, first := bare.First(asker, []byte(sources[0]))
	r.add(bareFloor, stages{dial: millis(found), answer: millis(first), verified: millis(first)})
	for i, w := range r.ways {
		r.add(w.name, m.ask(m.nodes[asker], sources[i+1], w.finder(m.nodes[asker].Node)))
	}
}

func millis(d time.Duration) float64 { return d.Seconds() * 1000 }

// invite adds nodes of the DHT that are no judges, and waits until every node has a peer to ask.
func (m *bazaar) invite(n int) {
	m.b.Helper()
	boot, err := m.nodes[0].Addrs()
	m.must(err)
	var hosts []*p2p.Host
	for i := range n {
		cfg := p2ptest.Config(i)
		cfg.Listen, cfg.Bootstrap = []string{loopback}, boot
		h, err := p2p.New(m.b.Context(), cfg, p2ptest.Identity(m.b), p2p.Deps{})
		m.must(err)
		m.b.Cleanup(func() { m.must(h.Close()) })
		hosts = append(hosts, h)
	}
	for _, x := range m.nodes {
		hosts = append(hosts, x.host)
	}
	p2ptest.Eventually(m.b, patience, "routing tables filled", func() bool {
		return !slices.ContainsFunc(hosts, func(h *p2p.Host) bool { return h.Stats().Of("dht_peers") < 20 })
	})
}

// way is one way to find the holders of a source.
type way struct {
	name    string
	sources evidence.Place
}

func ways() []way {
	return []way{
		{"as the node does", evidence.All}, {"directory alone", evidence.Directory}, {"DHT alone", evidence.DHT}, {"data topic alone", evidence.Calls},
	}
}

// finder finds holders in that way.
func (w way) finder(n *Node) exchange.Finder { return n.evidence.Finder(w.sources) }

// stopclock notes the first time of each event after start.
type stopclock struct {
	start time.Time
	mu    sync.Mutex
	at    stages
}

func (w *stopclock) since() float64 { return time.Since(w.start).Seconds() * 1000 }

func (w *stopclock) mark(field *float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if *field == 0 {
		*field = w.since()
	}
}

func (w *stopclock) stages() stages {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *stopclock) dial(dial func(context.Context, casefile.DID) (exchange.Stream, error)) func(context.Context, casefile.DID) (exchange.Stream, error) {
	return func(ctx context.Context, to casefile.DID) (exchange.Stream, error) {
		w.mark(&w.at.dial)
		l, err := dial(ctx, to)
		w.mark(&w.at.line)
		return &watched{l, w}, err
	}
}

// watched is a line that notes the time of the frame with the answer.
type watched struct {
	exchange.Stream
	clock *stopclock
}

// Receive implements exchange.Line.
func (l *watched) Receive(ctx context.Context, most int) ([]byte, error) {
	frame, err := l.Stream.Receive(ctx, most)
	if bytes.Contains(frame, []byte(answerText)) {
		l.clock.mark(&l.clock.at.answer)
	}
	return frame, err
}

const bareFloor = "bare kad-dht lookup, stream, one byte"

// findings holds the measurements, by way.
type findings struct {
	b       *testing.B
	ways    []way
	samples map[string][]stages
}

func (r *findings) add(way string, s stages) { r.samples[way] = append(r.samples[way], s) }

// col returns one figure of all samples of a way.
func (r *findings) col(way string, of func(stages) float64) (out []float64) {
	for _, s := range r.samples[way] {
		out = append(out, of(s))
	}
	return out
}

// report prints the measurements.
func (r *findings) report(foreign string) {
	fmt.Printf("\n%d turns, %d nodes in the DHT, %d of them judges, loopback TCP, %d processors. Others used %s of the processors meanwhile.\n",
		len(r.samples[bareFloor]), seats+strangers, seats, runtime.NumCPU(), foreign)
	fmt.Printf("\n%-40s%10s%10s%18s\n", "milliseconds from the question", "median", "p95", "ratio to the floor")
	first := r.col(bareFloor, func(s stages) float64 { return s.answer })
	r.row(bareFloor+": found", r.col(bareFloor, func(s stages) float64 { return s.dial }), first)
	r.row(bareFloor, first, first)
	for _, w := range r.ways {
		fmt.Println(w.name)
		r.row("  a holder is known, with its card", r.col(w.name, func(s stages) float64 { return s.dial }), first)
		r.row("  the stream is open", r.col(w.name, func(s stages) float64 { return s.line }), first)
		r.row("  first byte of the answer", r.col(w.name, func(s stages) float64 { return s.answer }), first)
		r.row("  verified and on disk", r.col(w.name, func(s stages) float64 { return s.verified }), first)
	}
	r.b.ReportMetric(floor.Ratio(r.col(r.ways[0].name, func(s stages) float64 { return s.answer }), first), "first-byte/floor")
}

func (r *findings) row(what string, v, to []float64) {
	ratio := floor.Ratio(v, to)
	v = slices.Sorted(slices.Values(v))
	fmt.Printf("%-40s%10.2f%10.2f%18.2f\n", what, floor.Median(v), v[len(v)*95/100], ratio)
}
