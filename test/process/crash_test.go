package process

import (
	"flag"
	"testing"

	"ojud/test/longtest"
)

var (
	killsFlag  = flag.Int("kills", 6, "how many judges TestKills kills")
	chainFlag  = flag.Int("chainkills", 1, "how often TestKills kills the chain")
	seatsFlag  = flag.Int("seats", 4, "judges that can be killed, besides the chain's own")
	commitFlag = flag.String("commit", "10s", "time to commit of TestKills")
)

// TestCrashPoints kills a judge, or the chain, at a named point of a case, and starts it again. No
// vote may be lost, no judge may vote twice, and every judge that can vote must vote. All scenarios
// take about four minutes: go test ./test/process -run TestCrashPoints -scenarios all -v
func TestCrashPoints(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	chosen := scenarios(t, "crash", "commit-sent")
	if len(chosen) == 0 {
		return
	}
	c := newLaboratory(t, 4, "--commit", "20s", "--reveal", "20s")
	for _, s := range chosen {
		t.Run(s.name, func(t *testing.T) {
			c.play(t, s, nil)
		})
		if t.Failed() {
			break // later failures would only be consequences
		}
	}
	c.inspect()
}

// inspect ends all judges and looks for second votes among all statements seen so far.
func (c *laboratory) inspect() {
	c.t.Helper()
	for _, s := range c.seats {
		if s.cmd != nil {
			s.kill()
		}
	}
	c.collectJournals()
	for _, twice := range c.signed.double() {
		c.t.Errorf("signed twice: %s", twice)
	}
	if len(c.signed) == 0 {
		c.t.Error("no statement of any judge was seen: this trial showed nothing")
	}
	c.t.Logf("%d statements were signed, each once a seat and round", len(c.signed))
}

// TestKills kills judges and the chain with kill -9 at random points of running cases, and
// sometimes restores an old image of a disk. Acknowledged transactions and own votes must stay,
// every start must succeed, and no judge may sign twice. make kill: 1,000 judges and 200 chains.
func TestKills(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	c, others := newKillable(t), busyness(t)
	k := c.storm(*killsFlag, *chainFlag)
	used := others()
	c.calm(k)
	c.inspect()
	c.restarts(k, used)
}

// TestKillsControl checks that the test finds judges without a sign guard, which sign another
// statement than the one in their journals.
func TestKillsControl(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	c := newKillable(t)
	for _, s := range c.seats {
		s.plan.Resign = true
	}
	for _, s := range c.seats { // the plan applies to the next start
		s.kill()
		s.start()
	}
	c.gather()
	c.open()
	c.until("statements on the wire", func() bool { return len(c.statements(c.seats[0])) > 0 && len(c.statements(c.seats[1])) > 0 })
	for _, s := range c.seats {
		s.examine()
	}
	if len(c.signed.double()) == 0 {
		t.Errorf("nobody was seen to sign twice among %d statements: this harness would not notice it", len(c.signed))
	}
}

// examine ends a node and collects the statements that it signed. The node may have ended by
// itself, because it saw its own earlier statements.
func (s *seat) examine() {
	s.court.t.Helper()
	s.fell()
	s.kept = s.own()
	s.court.collect(s)
}

// newKillable starts a court with one absent judge, so that the commit phase lasts to its end.
func newKillable(t *testing.T) *laboratory {
	t.Helper()
	return newLaboratory(t, *seatsFlag, "--commit", *commitFlag, "--reveal", "10s", "--nodes", "2", "--absent", "1")
}
