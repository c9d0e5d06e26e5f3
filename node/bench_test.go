//go:build unix

package node

import (
	"testing"
	"time"

	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
)

// seats is the number of judges of the measured court: a whole panel.
const seats = 28

// loopback is the address of the bare hosts; whole nodes use the same.
const loopback = "/ip4/127.0.0.1/tcp/0"

// filesEvery is the interval between exchanges of case files. With the default of 5 s most of a
// case would be waiting for them.
const filesEvery = time.Second

// BenchmarkCase measures whole cases of 28 nodes in one process: loopback TCP, the real program on
// the embedded chain, every check on, every record synced to disk. Settings are the defaults,
// except filesEvery and the judge, whose opinion is ready when the test asks for it. The clock
// starts when the last judge gives its opinion and all others have committed; it stops when all
// nodes have all votes on disk. Before each case, in the same process, bare direct streams and bare
// gossipsub exchange 28 votes of the same size. Compare machines by the pairwise ratios to them. It
// prints a table:
//
//	go test ./node -run '^$' -bench Case -benchtime 5x
//
// Two exchanges and the chain lie between the last opinion and the last vote: the commitments (all
// judges commit before any of them shows a vote), a slot that takes in the last commitment, and the
// votes. The table lists the time of each.
func BenchmarkCase(b *testing.B) {
	c := newCourt(b)
	voters := floor.NewVoters(b, seats, c.hold().notice)
	for range 3 { // streams open, the mesh settles
		for _, way := range c.bare {
			way.Round(voters.Votes())
		}
	}
	c.idle = floor.Idle(b, 5*time.Second)
	var samples []sample
	machine := floor.ReadMachine(b)
	for b.Loop() {
		var bare [2]floor.Span
		for i, way := range c.bare {
			votes, stop := voters.Votes(), floor.Stopwatch(b)
			way.Round(votes)
			bare[i] = stop()
			way.Settle()
		}
		s := c.hold()
		s.direct, s.gossip, s.directCPU = bare[0].Millis(), bare[1].Millis(), bare[0].Above(c.idle)
		samples = append(samples, s)
	}
	foreign := machine.Foreign(b)
	c.verified(c.nodes[seats-1], c.latest)
	b.ReportMetric(0, "ns/op")
	c.report(b, samples, foreign)
}

// newCourt starts bare hosts, 28 nodes that know each other, and the parties.
func newCourt(b *testing.B) *court {
	b.Helper()
	cfg := chainConfig()
	cfg.Send.Status = 100 * time.Millisecond // the parties are not measured
	c := &court{b: b, arrived: make(chan struct{}, seats)}
	c.world = newChain(b, cfg, nil)
	grown := memory(b)
	direct := floor.NewDirect(b, seats, loopback)
	c.bareMemory = grown() / seats
	c.bare = []floor.Exchange{direct, floor.NewGossip(b, seats, loopback)}
	grown = memory(b)
	c.assemble(seats, nil)
	c.nodeMemory = grown() / seats
	c.creator, c.worker = c.parties()
	return c
}

// assemble starts n nodes with gated judges and stakes the judges. change is applied to each node
// before it starts.
func (c *court) assemble(n int, change func(i int, m *member)) {
	c.b.Helper()
	staked := make(chan error, n)
	for i := range n {
		release := make(chan struct{})
		c.release = append(c.release, release)
		m := &member{deps: Deps{Judge: gated{code(), c.arrived, release}}}
		c.equip(m)
		m.cfg.Sync.Every = filesEvery
		if change != nil {
			change(i, m)
		}
		go func() { staked <- c.stake(m.home.Keys) }()
		c.start(m)
	}
	for range n {
		c.must(<-staked)
	}
	c.season()
	p2ptest.Eventually(c.b, 2*time.Minute, "all nodes know each other", func() bool {
		for _, m := range c.nodes {
			if links, known := m.Peers(); links < n-1 || known < n-1 {
				return false
			}
		}
		return true
	})
}
