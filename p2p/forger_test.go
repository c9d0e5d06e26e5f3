package p2p_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// forgeries is how many messages a forger sends.
const forgeries = 40

// forged counts the results of a forger's messages.
type forged struct {
	judged    int64 // by the host that the forger speaks to, before it stopped listening
	forwarded int64 // seen by hosts without a link to the forger, or delivered anywhere
	honest    int   // messages of an honest host that were delivered afterwards, of four
}

// forge lets a forger speak to one of five hosts. They judge by the first letter: r is rejected, i
// is ignored. Without a validator everything is accepted.
func forge(t *testing.T, word string, validator bool) (out forged) {
	t.Helper()
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, 5*time.Millisecond)
		bad := newBare(attacker(t, net, "/ip4/203.0.113.1/udp/1/quic-v1"))
		var judged, forwarded atomic.Int64
		var hosts []*p2p.Host
		var topics []*p2p.Topic
		var boxes []*box
		for i := range 5 {
			h := net.Node(named("rounds"))
			topic, err := h.Join("rounds", func(_ context.Context, _, origin peer.ID, data []byte) p2p.Verdict {
				switch {
				case origin != bad.ID():
					return p2p.Accept
				case i == 0:
					judged.Add(1)
				default:
					forwarded.Add(1)
				}
				switch {
				case !validator:
					return p2p.Accept
				case data[0] == 'r':
					return p2p.Reject
				}
				return p2p.Ignore
			})
			if err != nil {
				t.Fatal(err)
			}
			b := newBox()
			go collect(topic, b)
			hosts, topics, boxes = append(hosts, h), append(topics, topic), append(boxes, b)
		}
		p2ptest.Mesh(t, hosts)
		p2ptest.Eventually(t, 20*time.Second, "all links", func() bool { return p2ptest.Links(hosts) == links(5) })
		time.Sleep(5 * time.Second) // several heartbeats, in which meshes are grafted
		connectTo(t, bad.Host, p2ptest.Info(t, hosts[0]))
		bad.open(t, hosts[0].ID())
		p2ptest.Eventually(t, time.Second, "the forger is on the topic", func() bool { return slices.Contains(topics[0].Peers(), bad.ID()) })
		bad.publish(t, forgeries, word)
		time.Sleep(2 * time.Second)
		out.judged, out.forwarded = judged.Load(), forwarded.Load()
		if n, _, _ := boxes[0].count(); validator {
			out.forwarded += int64(n)
		}
		if err := topics[0].Publish(t.Context(), []byte("a word of an honest judge")); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		for _, b := range boxes[1:] {
			b.mu.Lock()
			out.honest += b.got["a word of an honest judge"]
			b.mu.Unlock()
		}
	})
	return out
}

// TestForgerIsShunned: messages that a validator rejects or ignores reach no other host. After
// about ten rejected messages the host stops listening to their sender. Without a validator all of
// them reach every host.
func TestForgerIsShunned(t *testing.T) {
	rejected, ignored, off := forge(t, "r", true), forge(t, "i", true), forge(t, "r", false)
	t.Logf("of %d: rejected ones: %d judged, %d forwarded; ignored ones: %d judged, %d forwarded; control, no validator: %d judged, %d times forwarded",
		forgeries, rejected.judged, rejected.forwarded, ignored.judged, ignored.forwarded, off.judged, off.forwarded)
	if rejected.forwarded != 0 || ignored.forwarded != 0 || rejected.judged == 0 || rejected.judged > 10 || ignored.judged == 0 {
		t.Errorf("rejected %+v, ignored %+v", rejected, ignored)
	}
	if rejected.honest != 4 || ignored.honest != 4 {
		t.Errorf("the honest host that the forger spoke to was heard by %d and %d of 4", rejected.honest, ignored.honest)
	}
	if off.forwarded < 4*forgeries {
		t.Errorf("control: without a validator only %d were forwarded", off.forwarded)
	}
}
