//go:build unix

package p2p_test

import (
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
)

// voteSize is the size of a vote, in bytes.
const voteSize = 400

// BenchmarkExchange measures one all-to-all exchange of 28 votes, signed and verified, through Push
// of whole hosts. In the same run it measures bare direct streams and bare gossipsub in turn. It
// prints the medians in milliseconds, of the time and of the processor time of all hosts, and their
// ratios:
//
//	go test ./p2p -run '^$' -bench Exchange -benchtime 40x
func BenchmarkExchange(b *testing.B) {
	for name, addr := range map[string]string{"tcp": "/ip4/127.0.0.1/tcp/0", "quic": "/ip4/127.0.0.1/udp/0/quic-v1"} {
		b.Run(name, func(b *testing.B) {
			ways := []floor.Exchange{floor.NewDirect(b, judges, addr), floor.NewGossip(b, judges, addr), newPushed(b, addr)}
			wall, cpu := map[string][]float64{}, map[string][]float64{}
			voters := floor.NewVoters(b, judges, voteSize)
			for range 3 { // streams open, meshes settle
				for _, w := range ways {
					w.Round(voters.Votes())
					w.Settle()
				}
			}
			idle := floor.Idle(b, 2*time.Second)
			for b.Loop() {
				for _, w := range ways {
					votes := voters.Votes()
					round, whole := floor.Stopwatch(b), floor.Stopwatch(b)
					w.Round(votes)
					wall[w.Name()] = append(wall[w.Name()], round().Millis())
					w.Settle()
					cpu[w.Name()] = append(cpu[w.Name()], whole().Above(idle))
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, w := range ways {
				b.ReportMetric(floor.Median(wall[w.Name()]), w.Name()+"-ms")
				b.ReportMetric(floor.Median(cpu[w.Name()]), w.Name()+"-cpu-ms")
			}
			b.ReportMetric(floor.Ratio(wall["push"], wall["direct"]), "push/direct")
			b.ReportMetric(floor.Ratio(wall["push"], wall["gossip"]), "push/gossip")
			b.ReportMetric(floor.Ratio(cpu["push"], cpu["direct"]), "push/direct-cpu")
		})
	}
}

// pushed is Push of whole hosts, with everything on.
type pushed struct {
	*floor.Tally
	b     *testing.B
	hosts []*p2p.Host
	ids   []peer.ID
	sent  uint64
}

func newPushed(b *testing.B, addr string) *pushed {
	p := &pushed{Tally: floor.NewTally(b), b: b}
	for range judges {
		cfg := realConfig()
		cfg.Listen = []string{addr}
		h := realHost(b, cfg, p2p.Deps{Topics: []string{"rounds"}})
		if err := h.HandlePush("vote", func(_ peer.ID, v []byte) { p.Add(v) }); err != nil {
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

func (p *pushed) Name() string { return "push" }

func (p *pushed) Round(votes [][]byte) {
	p.Expect(judges)
	for i, v := range votes {
		go func() {
			if err := p.hosts[i].Push("vote", p.ids, v); err != nil {
				p.Fail(err)
			}
		}()
	}
	p.Wait()
}

// Settle waits for the acknowledgements, which travel a quarter of a second later.
func (p *pushed) Settle() {
	time.Sleep(300 * time.Millisecond)
	p.sent += judges * (judges - 1)
	p2ptest.Eventually(p.b, 10*time.Second, "all acknowledgements", func() bool {
		var sum uint64
		for _, h := range p.hosts {
			sum += uint64(h.Stats().Of("push_sent"))
		}
		return sum == p.sent
	})
}
