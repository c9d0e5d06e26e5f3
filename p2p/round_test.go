package p2p_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

const judges = p2ptest.Panel

// flagSeats is the number of judges in tests whose result does not depend on it. make siege runs
// them with 28, too.
var flagSeats = flag.Int("panel", 12, "judges of TestPartition, TestPartitionControl and TestLateJoiner; TestDiscoveryLarge has 12 hosts more")

func acceptAll(context.Context, peer.ID, peer.ID, []byte) p2p.Verdict { return p2p.Accept }

func named(names ...string) p2ptest.Option {
	return func(_ *p2p.Config, d *p2p.Deps) { d.Topics = names }
}

// box collects the messages of one node, by their text.
type box struct {
	mu   sync.Mutex
	got  map[string]int
	last time.Time
}

func newBox() *box { return &box{got: map[string]int{}} }

func (b *box) add(msg []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got[string(msg)]++
	b.last = time.Now()
}

func (b *box) count() (distinct, total int, last time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.got {
		total += n
	}
	return len(b.got), total, b.last
}

// listen joins the topic rounds and collects its messages.
func listen(t *testing.T, h *p2p.Host, b *box) *p2p.Topic {
	t.Helper()
	topic, err := h.Join("rounds", acceptAll)
	if err != nil {
		t.Fatal(err)
	}
	go collect(topic, b)
	return topic
}

func collect(topic *p2p.Topic, b *box) {
	for {
		m, err := topic.Next(context.Background())
		if err != nil {
			return
		}
		b.add(m.Data)
	}
}

func vote(i int) []byte { return fmt.Appendf(nil, "%0400d", i) }

// court is a panel of connected judges on one topic and one push protocol.
type court struct {
	hosts  []*p2p.Host
	topics []*p2p.Topic
	gossip []*box
	pushed []*box
}

func newCourt(t *testing.T, net *p2ptest.Net, n int, opts ...p2ptest.Option) *court {
	t.Helper()
	c := &court{}
	for range n {
		c.join(t, net.Node(append(opts, named("rounds"))...))
	}
	p2ptest.Mesh(t, c.hosts)
	p2ptest.Eventually(t, 20*time.Second, "all links", func() bool { return p2ptest.Links(c.hosts) == links(n) })
	c.subscribed(t, 5*time.Second)
	time.Sleep(5 * time.Second) // meshes are grafted, and no dial of the start is under way
	return c
}

// subscribed waits until each host knows that all others are on the topic.
func (c *court) subscribed(t *testing.T, limit time.Duration) {
	t.Helper()
	p2ptest.Eventually(t, limit, "all on the topic", func() bool {
		return !slices.ContainsFunc(c.topics, func(topic *p2p.Topic) bool { return len(topic.Peers()) < len(c.hosts)-1 })
	})
}

func (c *court) join(t *testing.T, h *p2p.Host) {
	t.Helper()
	g, p := newBox(), newBox()
	if err := h.HandlePush("vote", func(_ peer.ID, msg []byte) { p.add(msg) }); err != nil {
		t.Fatal(err)
	}
	c.hosts, c.gossip, c.pushed = append(c.hosts, h), append(c.gossip, g), append(c.pushed, p)
	c.topics = append(c.topics, listen(t, h, g))
}

// vote lets every host publish and push one vote at the same moment.
func (c *court) vote(t *testing.T, round int) time.Time {
	t.Helper()
	all := p2ptest.IDs(c.hosts)
	start := time.Now()
	for i, h := range c.hosts {
		msg := vote(round*1000 + i)
		if err := h.Push("vote", all, msg); err != nil {
			t.Error(err)
		}
		if err := c.topics[i].Publish(t.Context(), msg); err != nil {
			t.Error(err)
		}
	}
	return start
}

// complete checks that every box holds rounds votes of every other host, once, and returns when the
// last one came.
func complete(t *testing.T, what string, boxes []*box, rounds int) time.Time {
	t.Helper()
	return atMost(t, what, boxes, rounds, 1)
}

// atMost is complete for a wire that loses packets, so that a vote may come up to copies times.
func atMost(t *testing.T, what string, boxes []*box, rounds, copies int) time.Time {
	t.Helper()
	want := rounds * (len(boxes) - 1)
	var latest time.Time
	for i, b := range boxes {
		distinct, total, last := b.count()
		if distinct != want || total > copies*want {
			t.Errorf("%s: host %d has %d votes (%d copies), want %d", what, i, distinct, total, want)
		}
		if last.After(latest) {
			latest = last
		}
	}
	return latest
}

// TestAllToAll: every vote of 28 reaches every judge on both paths, once, in about one hop, and
// nothing is dropped.
func TestAllToAll(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		c := newCourt(t, p2ptest.NewNet(t, p2ptest.Latency), judges)
		start := c.vote(t, 0)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		push := complete(t, "push", c.pushed, 1).Sub(start)
		gossip := complete(t, "gossip", c.gossip, 1).Sub(start)
		t.Logf("first round (streams are opened): push %v, gossip %v", push, gossip)
		start = c.vote(t, 1)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		push = complete(t, "push", c.pushed, 2).Sub(start)
		gossip = complete(t, "gossip", c.gossip, 2).Sub(start)
		t.Logf("second round: push %v, gossip %v", push, gossip)
		if limit := p2ptest.Latency * 3 / 2; push > limit || gossip > limit {
			t.Errorf("push took %v, gossip %v, want one hop: under %v", push, gossip, limit)
		}
		p2ptest.NoDrops(t, c.hosts...)
	})
}
