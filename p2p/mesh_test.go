package p2p_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/libp2p/go-libp2p-pubsub/pb"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// meshAttack is one of the attacks on gossipsub: the seven of its hardening report
// (PL-TechRep-2020-001), and floods of its control messages.
type meshAttack struct {
	name   string
	mob    int  // attackers
	first  bool // they connect before the judges
	one    bool // all on one address
	aim    int  // how many judges they connect to
	behave time.Duration
	act    func(t *testing.T, b *bare, i int)
}

func meshAttacks() []meshAttack {
	quiet := func(*testing.T, *bare, int) {}
	rubbish := func(t *testing.T, b *bare, _ int) { b.publish(t, 20, "r rubbish") }
	return []meshAttack{
		{name: "eclipse", mob: 12, aim: 1, act: func(t *testing.T, b *bare, _ int) { b.graft(t, 20) }},
		{name: "censor", mob: 6, aim: 6, act: func(t *testing.T, b *bare, _ int) { b.graft(t, 1) }}, // in every mesh, and forwards nothing
		{name: "degrade", mob: 6, aim: 6, act: churn},
		{name: "cold boot", mob: 12, aim: 6, first: true, act: func(t *testing.T, b *bare, _ int) { b.graft(t, 1) }},
		{name: "covert flash", mob: 6, aim: 6, behave: 10 * time.Minute, act: rubbish},
		{name: "attack at dawn", mob: 12, aim: 6, first: true, act: rubbish},
		{name: "colocation", mob: 12, aim: 6, one: true, act: func(t *testing.T, b *bare, _ int) { b.graft(t, 20) }},
		{name: "silence", mob: 6, aim: 6, act: quiet},
		{name: "IHAVE flood", mob: 3, aim: 6, act: ihaves},
		{name: "IWANT flood", mob: 3, aim: 6, act: iwants},
		{name: "subscriptions", mob: 3, aim: 6, act: subscriptions},
		{name: "malformed RPC", mob: 3, aim: 6, act: func(t *testing.T, b *bare, _ int) { raw(t, b, append([]byte{20}, make([]byte, 20)...)) }},
		{name: "oversize RPC", mob: 3, aim: 6, act: func(t *testing.T, b *bare, _ int) { raw(t, b, binary.AppendUvarint(nil, 1<<30)) }},
		{name: "half an RPC", mob: 3, aim: 6, act: func(t *testing.T, b *bare, _ int) { raw(t, b, binary.AppendUvarint(nil, 60<<10)) }},
		{name: "forged origin", mob: 3, aim: 6, act: forgedOrigin},
	}
}

func raw(t *testing.T, b *bare, what []byte) {
	t.Helper()
	if err := b.write(what); err != nil {
		t.Logf("not sent: %v", err)
	}
}

// churn grafts and prunes in turn.
func churn(t *testing.T, b *bare, _ int) {
	name := topicName()
	for range 20 {
		b.graft(t, 1)
		b.say(t, &pb.RPC{Control: &pb.ControlMessage{Prune: []*pb.ControlPrune{{TopicID: &name, Peers: []*pb.PeerInfo{{PeerID: []byte("nobody")}}}}}})
	}
}

func ids(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%032d", i))
	}
	return out
}

func ihaves(t *testing.T, b *bare, _ int) {
	name := topicName()
	for range 50 {
		b.say(t, &pb.RPC{Control: &pb.ControlMessage{Ihave: []*pb.ControlIHave{{TopicID: &name, MessageIDs: ids(1000)}}}})
	}
}

func iwants(t *testing.T, b *bare, _ int) {
	for range 50 {
		b.say(t, &pb.RPC{Control: &pb.ControlMessage{Iwant: []*pb.ControlIWant{{MessageIDs: ids(1000)}}}})
	}
}

func subscriptions(t *testing.T, b *bare, _ int) {
	for i := range 50 {
		var rpc pb.RPC
		for j := range 500 {
			yes, name := j%2 == 0, fmt.Sprintf("/oju/test/%d-%d/1", i, j)
			rpc.Subscriptions = append(rpc.Subscriptions, &pb.RPC_SubOpts{Subscribe: &yes, Topicid: &name})
		}
		b.say(t, &rpc)
	}
}

// forgedOrigin publishes in the name of others.
func forgedOrigin(t *testing.T, b *bare, i int) {
	for j := range 20 {
		m := b.message(t, fmt.Sprint("a forged word ", i, " ", j))
		m.From = append([]byte(nil), m.From...)
		m.From[10+j%10] ^= 1
		b.say(t, &pb.RPC{Publish: []*pb.Message{m}})
	}
}

// besieged lets a mob attack six judges that vote meanwhile. It returns how many of the votes came
// by gossip and by push.
func (a meshAttack) besieged(t *testing.T, cut func(from, to int) bool) (gossip, push, want int) {
	t.Helper()
	const n = 6
	sim := p2ptest.NewNet(t, 5*time.Millisecond)
	var c *court
	var bares []*bare
	gather := func() {
		for i := range a.mob {
			addr := fmt.Sprintf("/ip4/203.0.113.%d/udp/1/quic-v1", i+1)
			if a.one {
				addr = fmt.Sprintf("/ip4/203.0.113.1/udp/%d/quic-v1", i+1)
			}
			bares = append(bares, newBare(attacker(t, sim, addr)))
		}
	}
	gather()
	c = &court{}
	for range n {
		h := sim.Node(named("rounds"))
		c.join(t, h)
		if a.first {
			a.enter(t, bares, c.hosts[len(c.hosts)-1:])
		}
	}
	p2ptest.Mesh(t, c.hosts)
	p2ptest.Eventually(t, 20*time.Second, "all links", func() bool { return p2ptest.Links(c.hosts) == links(n) })
	time.Sleep(5 * time.Second)
	if !a.first {
		a.enter(t, bares, c.hosts[:min(a.aim, n)])
	}
	time.Sleep(a.behave)
	sim.Cut(cut)
	for i, b := range bares {
		a.act(t, b, i)
	}
	for r := range 3 {
		c.vote(t, r)
		time.Sleep(2 * time.Second)
	}
	synctest.Wait()
	for i := range n {
		g, _, _ := c.gossip[i].count()
		p, _, _ := c.pushed[i].count()
		for text := range c.gossip[i].got {
			if len(text) != len(vote(0)) {
				g-- // of an attacker
			}
		}
		gossip, push = gossip+g, push+p
	}
	for _, h := range c.hosts {
		for _, o := range c.hosts {
			if h.Points(o.ID()) > 0 {
				t.Errorf("%s: a judge gave points to another", a.name)
			}
		}
	}
	sim.Cut(nil)
	return gossip, push, 3 * n * (n - 1)
}

// enter connects the mob to the judges and subscribes. The attackers take the judges in turn.
func (a meshAttack) enter(t *testing.T, mob []*bare, at []*p2p.Host) {
	t.Helper()
	for i, b := range mob {
		for _, h := range at {
			connectTo(t, b.Host, p2ptest.Info(t, h))
		}
		if b.s == nil {
			b.open(t, at[i%len(at)].ID())
		}
	}
}

func connectTo(t *testing.T, h host.Host, ai peer.AddrInfo) {
	t.Helper()
	if err := h.Connect(t.Context(), ai); err != nil {
		t.Logf("not let in: %v", err)
	}
}

// flagAttacks is how many attacks TestMeshAttacks tries. The short form spreads them over the
// table.
var flagAttacks = flag.Int("attacks", 2, "attacks of TestMeshAttacks, at most 15")

// TestMeshAttacks: under each attack every vote reaches every judge on both paths.
func TestMeshAttacks(t *testing.T) {
	table := meshAttacks()
	for i := range *flagAttacks {
		a := table[i*len(table) / *flagAttacks]
		t.Run(a.name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				if gossip, push, want := a.besieged(t, nil); gossip != want || push != want {
					t.Errorf("%d votes by gossip, %d by push, want %d", gossip, push, want)
				}
			})
		})
	}
}

// TestMeshAttacksControl: the links between the judges protect them. Without these links the mob's
// silence costs votes on both paths.
func TestMeshAttacksControl(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		a := meshAttack{name: "censor", mob: 6, aim: 6, act: func(t *testing.T, b *bare, _ int) { b.graft(t, 1) }}
		gossip, push, want := a.besieged(t, func(from, to int) bool { return from < 6 && to < 6 && from != to })
		if gossip == want || push == want {
			t.Errorf("%d votes by gossip, %d by push of %d although the judges are cut off from each other", gossip, push, want)
		}
	})
}
