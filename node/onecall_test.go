package node

import (
	"context"
	"encoding/json"
	"flag"
	"sync/atomic"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// flagSeats is the number of judges in tests whose result does not depend on it. make siege runs
// them with 28, too.
var flagSeats = flag.Int("panel", 6, "judges of TestOneCall, and of each court of TestModelFaults")

// site is the upstream of a source. It counts calls and takes its time.
type site struct {
	takes time.Duration
	calls atomic.Int32
}

func (s *site) Answer(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	s.calls.Add(1)
	select {
	case <-time.After(s.takes):
		return json.RawMessage(`{"content":{"text":"hello world"}}`), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (*site) Close() error { return nil }

// unhurried is a judge that waits a while before it looks into a case.
type unhurried struct {
	judge.Judge
	after time.Duration
}

func (j unhurried) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	select {
	case <-time.After(j.after):
		return j.Judge.Evaluate(ctx, b)
	case <-ctx.Done():
		return casefile.Opinion{}, ctx.Err()
	}
}

// TestOneCall: if many judges of a round need one answer, each holder's upstream is called once,
// whether they need it at once or one after the other, by the default terms.
// (exchange.TestTwentyEight, without a network, and datasource.TestOneCall show that concurrent
// calls become one under any terms.)
func TestOneCall(t *testing.T) {
	for name, c := range map[string]struct {
		apart time.Duration // from judge to judge
	}{
		"at once":             {},
		"one after the other": {time.Second},
	} {
		t.Run(name, func(t *testing.T) { p2ptest.Run(t, func(t *testing.T) { oneCall(t, c.apart) }) })
	}
}

func oneCall(t *testing.T, apart time.Duration) {
	w := newWorld(t, nil)
	sites := []*site{{takes: time.Millisecond}, {takes: time.Millisecond}}
	for i := range *flagSeats {
		w.joinWith(func(m *member) {
			m.deps.Judge = unhurried{code(), time.Duration(i) * apart}
			if k := i - *flagSeats + len(sites); k >= 0 {
				perishable(t, m)
				m.deps.Upstream = func(datasource.Source) (kind.Upstream, error) { return sites[k], nil }
			}
		})
	}
	task := w.dispute(posted())
	c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
	if c.Verdict != voting.ForWorker || int(c.Revealed) != *flagSeats {
		t.Fatalf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
	}
	for i, s := range sites {
		if n := s.calls.Load(); n != 1 {
			t.Errorf("holder %d: %d calls of the upstream", i, n)
		}
	}
}

// perishable gives a node a source with the default terms.
func perishable(t *testing.T, m *member) {
	t.Helper()
	s, err := datasource.Parse([]byte(`{"name":"site.post","description":"posts","inputSchema":{"type":"object"},
"terms":{"access":["content"]},"upstream":{"kind":"files","dir":".","allow":["*.json"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := datasource.Write(m.home.Path("sources"), s); err != nil {
		t.Fatal(err)
	}
}
