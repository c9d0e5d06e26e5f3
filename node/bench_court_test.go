//go:build unix

package node

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

// gated is a judge whose opinion is ready before the test lets it answer.
type gated struct {
	judge.Judge
	arrived chan<- struct{}
	release <-chan struct{}
}

func (g gated) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	o, err := g.Judge.Evaluate(ctx, b)
	if err != nil {
		return o, err
	}
	g.arrived <- struct{}{} // has room for all
	select {
	case <-g.release:
		return o, nil
	case <-ctx.Done():
		return o, context.Cause(ctx)
	}
}

// court is a world of 28 gated judges that decides one case after another.
type court struct {
	*world
	b               testing.TB
	arrived         chan struct{}
	release         []chan struct{} // one for each judge
	creator, worker *ledger.Keypair
	bare            []floor.Exchange // direct, gossip
	cases           uint64
	latest          voting.Key
	idle            float64 // share of a processor
	bareMemory      float64 // bytes a host
	nodeMemory      float64 // bytes a node
}

// sample has the measurements of one case and of the bare exchanges before it. Times are in
// milliseconds.
type sample struct {
	direct, gossip, directCPU float64

	// These times start at the last opinion and end when its commitment is in every node's journal
	// (commits), when the first and the last node see the end of the commits on the chain
	// (overFirst, over), and when every journal has every vote (votes).
	commits, overFirst, over, votes float64

	exchangeCPU  float64 // from the last opinion to the last vote
	cpu, seconds float64 // of the whole case, until every case file is complete
	notice       int     // bytes of the largest vote notice
	early        float64 // vote notices, direct or gossiped, that came before their time
	unheard      int     // votes, of 28 × 27, that came with the events of the case file and not by notice
	fees         uint64  // lamports that the judges paid to the validator
	parties      uint64  // and that the parties paid
	cost         []uint64
}

// patience limits each wait.
const patience = 2 * time.Minute

// hold decides a case.
func (c *court) hold() (s sample) {
	c.b.Helper()
	stop, purses, fees := floor.Stopwatch(c.b), c.purses(), c.fees()
	task := c.bring(c.creator, c.worker, c.cases, sol/100, eleptiger(c.b))
	last := int(c.cases) % seats
	c.cases, c.latest = c.cases+1, task
	s.parties = c.fees() - fees
	for range seats {
		select {
		case <-c.arrived:
		case <-time.After(patience):
			c.b.Fatal("not every judge was asked")
		}
	}
	for i, release := range c.release {
		if i != last {
			release <- struct{}{}
		}
	}
	p2ptest.Eventually(c.b, patience, "all other commitments at all nodes", func() bool { return c.all(task, seats-1) })
	// The other commitments still cause gossip and acknowledgements; these are over after this
	// wait. The random moment is added because the end of the wait is bound to a slot.
	time.Sleep(c.nodes[0].cfg.Sync.GossipAfter + time.Second + rand.N(c.slot()))
	early := c.early()
	c.exchange(&s, task, last)
	s.early = c.early() - early
	s.unheard = c.unheard(task)
	s.notice = c.notice(task)
	c.finish(task)
	s.cpu, s.seconds = stop().Above(c.idle), stop().Wall.Seconds()
	s.fees = c.fees() - fees - s.parties
	s.cost = c.costs(task, purses)
	return s
}

// all reports whether every node knows n commitments, from the judges and from the chain.
func (c *court) all(task voting.Key, n int) bool {
	for _, m := range c.nodes {
		view := m.loop.View()
		look, _ := view.Case(task)
		commits, _ := view.Have(task, 1)
		landed := 0
		for _, s := range look.Seats {
			if s.Committed {
				landed++
			}
		}
		if landed < n || len(commits) < n {
			return false
		}
	}
	return true
}

// exchange lets the last judge give its opinion, and checks the progress of the nodes every
// millisecond.
func (c *court) exchange(s *sample, task voting.Key, last int) {
	c.b.Helper()
	over := func(m *member) bool { look, _ := m.loop.View().Case(task); return look.Status != voting.Committing }
	fronts := []*front{
		{ok: func(m *member) bool { commits, _ := m.loop.View().Have(task, 1); return len(commits) == seats }},
		{ok: over},
		{ok: func(m *member) bool { return m.hasVotes(task) }},
	}
	stop := floor.Stopwatch(c.b)
	start := time.Now()
	c.release[last] <- struct{}{}
	for done := 0; done < len(fronts); time.Sleep(time.Millisecond) {
		now := time.Since(start).Seconds() * 1000
		if s.overFirst == 0 && slices.ContainsFunc(c.nodes, over) {
			s.overFirst = now
		}
		done = 0
		for _, f := range fronts {
			if f.advance(c.nodes, now) {
				done++
			}
		}
		if time.Since(start) > patience {
			c.b.Fatalf("nodes that have all commits, the end of the commits, all votes: %d, %d, %d", fronts[0].passed, fronts[1].passed, fronts[2].passed)
		}
	}
	s.exchangeCPU = stop().Above(c.idle)
	s.commits, s.over, s.votes = fronts[0].at, fronts[1].at, fronts[2].at
}

// hasVotes reports whether every vote is on the node's disk: in the journal or, later, as an event
// of the case file.
func (m *member) hasVotes(task voting.Key) bool {
	view := m.loop.View()
	if _, votes := view.Have(task, 1); len(votes) == seats {
		return true
	}
	look, _ := view.Case(task)
	log, err := m.Reader.Log(task)
	known, _ := view.Round(task, 1)
	here := map[int]bool{}
	for _, k := range known {
		here[k.Seat] = k.Vote != nil
	}
	for i := range look.Seats {
		if !here[i] && (err != nil || !log.Has(look.Seats[i].Peer, casefile.KindVote, 1, voting.Key{})) {
			return false
		}
	}
	return len(look.Seats) == seats
}

// unheard counts the votes of others that no notice brought to a node.
func (c *court) unheard(task voting.Key) (n int) {
	for _, m := range c.nodes {
		_, votes := m.loop.View().Have(task, 1)
		n += seats - len(votes)
	}
	return n
}

// early counts the vote notices that came to a node before it knew that the commits were over.
func (c *court) early() (n float64) {
	c.b.Helper()
	for _, m := range c.nodes {
		families, err := m.deps.Metrics.Gather()
		c.must(err)
		for _, f := range families {
			if f.GetName() != "ojud_node_notices_total" {
				continue
			}
			for _, one := range f.GetMetric() {
				if one.GetLabel()[0].GetValue() == "early" {
					n += one.GetCounter().GetValue()
				}
			}
		}
	}
	return n
}

// front counts the nodes, in their order, that have reached a lasting state. It is cheap, because
// it asks only the next one.
type front struct {
	ok     func(*member) bool
	passed int
	at     float64 // when the last one had
}

func (f *front) advance(nodes []*member, now float64) bool {
	for f.passed < len(nodes) && f.ok(nodes[f.passed]) {
		if f.passed++; f.passed == len(nodes) {
			f.at = now
		}
	}
	return f.passed == len(nodes)
}

// notice returns the size of the largest vote notice of a case.
func (c *court) notice(task voting.Key) (size int) {
	known, _ := c.nodes[0].loop.View().Round(task, 1)
	for _, k := range known {
		if k.Vote != nil {
			size = max(size, len(k.Vote.Encode()))
		}
	}
	return size
}

// finish waits until the case is decided, the rewards are paid and all case files are complete.
func (c *court) finish(task voting.Key) {
	c.b.Helper()
	c.until(patience, "decided", task, func(k *program.Case) bool { return k.Status.Over() })
	p2ptest.Eventually(c.b, patience, "rewards paid", func() bool {
		roster, _, err := c.client.Roster(c.b.Context())
		c.must(err)
		return !slices.ContainsFunc(roster.Entries, func(e program.RosterEntry) bool { return e.Rewards > 0 })
	})
	p2ptest.Eventually(c.b, patience, "all case files complete", func() bool {
		return !slices.ContainsFunc(c.nodes, func(m *member) bool { return !m.cases.Settled(task) })
	})
}

// fees returns the validator's earnings: all fees of the chain.
func (c *court) fees() (lamports uint64) { return c.balance(c.server.Bank().Identity()) }

func (c *court) balance(of [32]byte) (lamports uint64) {
	c.server.Bank().Read(bank.Confirmed, func(v *bank.View) {
		if a, ok := v.Account(of); ok {
			lamports = a.Lamports
		}
	})
	return lamports
}

// purses returns the balances of the judges' wallets.
func (c *court) purses() []uint64 {
	out := make([]uint64, len(c.nodes))
	for i, m := range c.nodes {
		out[i] = c.balance(m.home.Keys.Authority.Address())
	}
	return out
}

// costs returns what each judge's wallet paid during the case, for any purpose. It adds the
// earnings, which were paid into the wallet.
func (c *court) costs(task voting.Key, before []uint64) []uint64 {
	c.b.Helper()
	now := c.until(time.Minute, "decided", task, func(k *program.Case) bool { return k.Status.Over() })
	if now.Verdict != voting.ForWorker || int(now.Revealed) != seats {
		c.b.Fatalf("verdict %v, %d of %d revealed", now.Verdict, now.Revealed, len(now.Seats))
	}
	after := c.purses()
	for i, m := range c.nodes {
		for _, s := range now.Seats {
			if voting.Key(s.Judge) == m.home.Keys.Judge() {
				after[i] = before[i] + s.Earned - after[i]
			}
		}
	}
	return after
}

// slot returns the length of a slot.
func (c *court) slot() time.Duration { return c.server.Bank().Config().SlotTime }
