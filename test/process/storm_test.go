package process

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// storm holds the faults that were caused in a court, and the measurements.
type storm struct {
	mu      sync.Mutex
	tasks   []string // opened so far
	live    int
	kills   int
	chains  int
	backs   int
	opened  []time.Duration // from the start of a judge's process until its node is open
	up      []time.Duration // from the start of the chain's process to its first answer
	votes   []time.Duration // from the start of a judge's process to its first vote
	acks    acks
	began   time.Time
	images  map[*seat][]string
	failed  chan error
	starved int // transactions that the chain refused for a moment
}

// maxLive is the number of cases that run at once.
const maxLive = 2

// startCases starts to bring one case after another. end stops that and returns its error.
func (c *laboratory) startCases() (k *storm, end func() error) {
	c.t.Helper()
	k = &storm{began: time.Now(), images: map[*seat][]string{}, acks: acks{url: c.url[:len(c.url)-len("/network.json")]}, failed: make(chan error, 1)}
	stop := make(chan struct{})
	go func() { k.failed <- c.openCases(k, stop) }()
	for k.running() == 0 && len(k.failed) == 0 {
		<-time.After(50 * time.Millisecond)
	}
	return k, func() error {
		close(stop)
		c.closing.Store(true)
		return <-k.failed
	}
}

// storm kills that many judges and chains while one case after another runs.
func (c *laboratory) storm(kills, chains int) *storm {
	c.t.Helper()
	k, end := c.startCases()
	c.until("a statement on the wire", func() bool { return len(k.failed) > 0 || c.spoken() })
	for (k.kills < kills || k.chains < chains) && len(k.failed) == 0 && !c.t.Failed() {
		if k.kills < kills {
			c.killJudge(k, c.seats[rand.IntN(len(c.seats))])
		}
		if k.chains*kills <= chains*k.kills && k.chains < chains {
			c.killChain(k)
		}
		if err := k.acks.pay(c.t.Context()); err != nil {
			k.starved++
		}
	}
	if err := end(); err != nil {
		c.t.Error(err)
	}
	return k
}

func (k *storm) running() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.live
}

// openCases opens cases until stop is closed.
func (c *laboratory) openCases(k *storm, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if k.running() >= maxLive {
			k.count(c)
			<-time.After(time.Second)
			continue
		}
		task, err := c.tryOpen()
		if err != nil {
			return err
		}
		k.mu.Lock()
		k.tasks, k.live = append(k.tasks, task), k.live+1
		k.mu.Unlock()
	}
}

// count counts how many of the last cases are not over.
func (k *storm) count(c *laboratory) {
	k.mu.Lock()
	last := k.tasks[max(0, len(k.tasks)-maxLive):]
	k.mu.Unlock()
	live := 0
	for _, task := range last {
		if !c.now(task).Over {
			live++
		}
	}
	k.mu.Lock()
	k.live = live
	k.mu.Unlock()
}

// killJudge kills a judge and restarts it, sometimes from an old image of its disk.
func (c *laboratory) killJudge(k *storm, s *seat) {
	c.t.Helper()
	k.timed(s)
	s.kill()
	k.kills++
	old := k.images[s]
	switch n := rand.IntN(20); {
	case n < 2 && len(old) > 0:
		s.putBack(old[rand.IntN(len(old))])
		k.backs++
	case n < 5 || len(old) == 0:
		for ; len(old) > 2; old = old[1:] {
			if err := os.RemoveAll(filepath.Dir(old[0])); err != nil {
				c.t.Fatal(err)
			}
		}
		k.images[s] = append(old, s.image())
	}
	<-time.After(time.Duration(rand.IntN(300)) * time.Millisecond)
	s.start()
	<-time.After(time.Duration(rand.IntN(900)) * time.Millisecond)
}

// timed records the times of a process that is about to end.
func (k *storm) timed(s *seat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.up > 0 {
		k.opened = append(k.opened, s.up)
	}
	if s.voted > 0 {
		k.votes = append(k.votes, s.voted)
	}
}

// killChain kills the chain and starts it again.
func (c *laboratory) killChain(k *storm) {
	c.t.Helper()
	c.processes.kill(c.chain)
	if c.chain.ProcessState.Exited() {
		c.t.Error("the chain ended by itself")
	}
	k.chains++
	since := time.Now()
	c.openChain()
	k.up = append(k.up, time.Since(since))
	k.missing(c.t)
}

// missing checks that the chain has all transactions that it acknowledged.
func (k *storm) missing(t *testing.T) {
	t.Helper()
	lost, err := k.acks.lost(t.Context())
	if err != nil || len(lost) > 0 {
		t.Errorf("of %d acknowledged transactions the chain has lost %d: %v, %v", len(k.acks.sent), len(lost), lost, err)
	}
}

// calm waits for the end of all cases and checks them.
func (c *laboratory) calm(k *storm) {
	c.t.Helper()
	absent, seats, rounds, open := 0, 0, 0, 0
	for _, task := range k.tasks {
		v := c.ended(task)
		if v.Verdict == "undecided" {
			open++
		}
		absent, seats, rounds = absent+len(c.sound(task, v)), seats+len(v.Seats), rounds+int(v.Round)
	}
	k.missing(c.t)
	c.t.Logf("%d kills of judges, %d disks put back, %d kills of the chain in %s; %d cases in %d rounds, %d undecided; %d of %d seats without a vote (one of each round never has one)",
		k.kills, k.backs, k.chains, time.Since(k.began).Round(time.Second), len(k.tasks), rounds, open, absent, seats)
	c.t.Logf("%d transactions acknowledged, 0 lost; of %d tries to pay %d found no chain", len(k.acks.sent), len(k.acks.sent)+k.starved, k.starved)
	c.t.Logf("from the start of the process: a judge's node open p50 %s, p99 %s of %d; its first vote p50 %s, p99 %s of %d; the chain's first answer p50 %s, p99 %s of %d",
		percentile(k.opened, 50), percentile(k.opened, 99), len(k.opened), percentile(k.votes, 50), percentile(k.votes, 99), len(k.votes),
		percentile(k.up, 50), percentile(k.up, 99), len(k.up))
	if len(k.acks.sent) == 0 {
		c.t.Error("no transaction was acknowledged: of the chain this storm showed nothing")
	}
}

// spoken reports whether a judge has signed a statement. Before that, a kill cannot lose one.
func (c *laboratory) spoken() bool {
	return slices.ContainsFunc(c.seats, func(s *seat) bool { return len(c.statements(s)) > 0 })
}
