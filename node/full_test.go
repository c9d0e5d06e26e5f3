//go:build unix

package node

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// clerk is a judge with places of its own, which it gives to the first that comes.
type clerk struct {
	judge.Judge
	places chan struct{}
}

func (s clerk) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	s.places <- struct{}{}
	defer func() { <-s.places }()
	return s.Judge.Evaluate(ctx, b)
}

const (
	fullCases  = 40
	fullPlaces = 4
	fullTakes  = 55 * time.Second
	farRPC     = 400 * time.Millisecond // how long a request to the RPC node takes
)

// farAway is an RPC node that is slow to answer.
type farAway struct{ http.RoundTripper }

func (f farAway) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(farRPC)
	return f.RoundTripper.RoundTrip(r)
}

// full is a court with so many cases at once. The last of its judges is slow, its RPC node too, and
// it leaves one second for its vote to get to the chain. Task i pays i-th least.
func full(t *testing.T, cases int, change func(*member)) (w *world, m *member, tasks []voting.Key) {
	t.Helper()
	w = newWorld(t, nil)
	w.join(2, func(int) judge.Judge { return code() })
	w.joinWith(func(m *member) {
		m.deps.Judge = slow{code(), fullTakes}
		m.cfg.Habits.OpinionMargin = 1
		m.deps.Transport = farAway{m.deps.Transport}
		change(m)
	})
	m = w.nodes[2]
	p2ptest.Eventually(t, 10*time.Minute, "all links", func() bool {
		return !slices.ContainsFunc(w.nodes, func(m *member) bool { links, known := m.Peers(); return links < 2 || known < 2 })
	})
	b := &busy{world: w}
	counters := make([]func(), cases)
	for i := range cases {
		creator, worker := keypair(t, byte(20+2*i)), keypair(t, byte(21+2*i))
		b.enrol(creator, worker)
		task, counter := w.plead(creator, worker, 0, sol+uint64(i)*sol/20, eleptiger(t))
		tasks, counters[i] = append(tasks, task), counter
	}
	var all sync.WaitGroup
	for _, counter := range counters {
		all.Go(counter)
	}
	all.Wait()
	return w, m, tasks
}

// TestFortyCasesAtOnce: a judge that takes 55 seconds for a case and works on four at once gets 40
// cases at once, with seven minutes for each. It abstains in the least worthwhile ones, is late in
// none, and says why.
func TestFortyCasesAtOnce(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w, m, tasks := full(t, fullCases, func(m *member) { m.cfg.Judge.Parallel = fullPlaces })
		var abstained []int
		for i, task := range tasks {
			c := w.until(time.Hour, "over", task, func(c *program.Case) bool { return c.Status.Over() })
			seat := seatOf(t, c, m)
			switch {
			case c.Round != 1 || c.Verdict != voting.ForWorker:
				t.Errorf("case %d: %s in round %d", i, c.Verdict, c.Round)
			case seat.Result == voting.Abstained:
				abstained = append(abstained, i)
			case seat.Result != voting.Majority:
				t.Errorf("case %d: the judge is %s", i, seat.Result)
			}
		}
		const judged = 7 * fullPlaces // seven minutes, 55 s each; the last cases began some seconds later
		if n := len(abstained); n < fullCases-judged-fullPlaces || n > fullCases-judged+fullPlaces {
			t.Errorf("abstained in %d", n)
		}
		// The first four found free places whatever they pay. All others are chosen, but a case
		// that began some seconds later can take a place at the end that is too late for those that
		// pay more.
		if worst := fullCases - judged + fullPlaces; len(abstained) == 0 || slices.Max(abstained) >= worst {
			t.Errorf("abstained in %v, not in %d of the %d that pay least", abstained, len(abstained), worst)
		}
		s := m.Status().Judging
		t.Logf("%+v", s)
		if s.Places != fullPlaces || s.AtWork != 0 || s.Waiting != 0 || int(s.Voted) != fullCases-len(abstained) || len(s.Abstained) != 1 ||
			s.Abstained[0].Reason != status.NoPlace || int(s.Abstained[0].Cases) != len(abstained) {
			t.Errorf("the node says %+v", s)
		}
		w.saysWhyFull(m, tasks[abstained[0]])
	})
}

// saysWhyFull checks the opinion of an abstention without a place, and the explanation of the case.
func (w *world) saysWhyFull(m *member, task voting.Key) {
	w.t.Helper()
	e, err := m.Why(task, voting.Key{})
	w.must(err)
	i := slices.IndexFunc(e.Lines, func(l why.Line) bool { return l.Code == why.NoOpinion })
	if i < 0 || !strings.Contains(e.Lines[i].Text, "the node was full and abstained") || !strings.Contains(e.Lines[i].Next, "max_parallel_cases") {
		w.t.Errorf("case why: %+v", e.Lines)
	}
	i = slices.IndexFunc(e.Lines, func(l why.Line) bool { return l.Code == why.Opined })
	if i < 0 || !strings.Contains(e.Lines[i].Text, "This seat abstains: no place in time: this judge works on 4 cases at once") {
		w.t.Errorf("the opinion: %+v", e.Lines)
	}
}

// TestFortyCasesAtOnceControl: without the choice, a judge that works off its cases as they come is
// late. It has a quarter of the cases and places.
func TestFortyCasesAtOnceControl(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w, m, tasks := full(t, fullCases/4, func(m *member) {
			m.cfg.Judge.Parallel = 64
			m.deps.Judge = clerk{slow{code(), fullTakes}, make(chan struct{}, fullPlaces/4)}
		})
		late := 0
		for _, task := range tasks {
			c := w.until(time.Hour, "over", task, func(c *program.Case) bool { return c.Status.Over() })
			if seatOf(t, c, m).Result == voting.Absent {
				late++
			}
		}
		t.Logf("%d of %d late; %+v", late, len(tasks), m.Status().Judging)
		if late == 0 {
			t.Error("a judge without a choice of its cases is late in none")
		}
	})
}
