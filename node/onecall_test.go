package node

import (
	"context"
	"encoding/json"
	"fmt"
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

// site is what stands behind a source: it counts who calls, and takes its time.
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

// unhurried is a judge that takes a while before it looks into a case.
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

// TestOneCall: however many judges of a round need one answer, each holder's upstream is called once: when they need it at once, which the
// holder sees as long as the upstream takes longer than they differ, and when they need it one after the other, as long as the terms let an
// answer be given again. (In exchange.TestTwentyEight there is no network, and in datasource.TestOneCall there are no holders.)
func TestOneCall(t *testing.T) {
	for name, c := range map[string]struct {
		takes     time.Duration // of the upstream
		apart     time.Duration // from judge to judge
		freshness int           // seconds
	}{
		"at once":             {takes: 5 * time.Second},
		"one after the other": {takes: time.Millisecond, apart: time.Second, freshness: 60},
		"at once, and fast":   {takes: time.Millisecond, freshness: 60}, // 60 is the default
	} {
		t.Run(name, func(t *testing.T) { p2ptest.Run(t, func(t *testing.T) { oneCall(t, c.takes, c.apart, c.freshness) }) })
	}
}

func oneCall(t *testing.T, takes, apart time.Duration, freshness int) {
	w := newWorld(t, nil)
	sites := []*site{{takes: takes}, {takes: takes}}
	for i := range p2ptest.Panel {
		w.joinWith(func(m *member) {
			m.deps.Judge = unhurried{code(), time.Duration(i) * apart}
			if k := i - p2ptest.Panel + len(sites); k >= 0 {
				perishable(t, m, freshness)
				m.deps.Upstream = func(datasource.Source) (kind.Upstream, error) { return sites[k], nil }
			}
		})
	}
	task := w.dispute(posted())
	c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
	if c.Verdict != voting.ForWorker || int(c.Revealed) != p2ptest.Panel {
		t.Fatalf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
	}
	for i, s := range sites {
		if n := s.calls.Load(); n != 1 {
			t.Errorf("holder %d: %d calls of the upstream", i, n)
		}
	}
}

// perishable gives a node a source whose answers may be given again for so many seconds.
func perishable(t *testing.T, m *member, seconds int) {
	t.Helper()
	s, err := datasource.Parse(fmt.Appendf(nil, `{"name":"site.post","description":"posts","inputSchema":{"type":"object"},
"terms":{"access":["content"],"promises":{"freshness_seconds":%d}},"upstream":{"kind":"files","dir":".","allow":["*.json"]}}`, seconds))
	if err != nil {
		t.Fatal(err)
	}
	if err := datasource.Write(m.home.Path("sources"), s); err != nil {
		t.Fatal(err)
	}
}
