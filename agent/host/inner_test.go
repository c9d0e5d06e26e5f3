package host

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// fan lets an agent call itself in each of its calls, again and again, down to the last level. It
// returns how many calls inside the first one were taken, and what they used at most.
func fan(d Definition, each, levels int) (taken int, tokens uint64, why string) {
	c, _ := New(0, known(d), nil, nil)
	c.Step(invoke("1", Operator, d.ID, 1))
	c.Step(Opened{Agent: d.ID, Now: 1})
	var down func(parent string, level int)
	down = func(parent string, level int) {
		for range each {
			o := invoke(fmt.Sprintf("call %d", taken+2), d.ID, d.ID, 2)
			o.Parent, o.Depth = parent, level
			for _, a := range c.Step(o).Acts {
				if s, ok := a.(Settle); ok && s.Refusal != nil {
					why = s.Refusal.Words
					return
				}
			}
			taken++
			if level < levels {
				down(o.ID, level+1)
			}
			c.Step(Ended{Call: o.ID, Status: OK, Tokens: d.Quota.Tokens, Micros: d.Quota.Micros, Now: 2})
			tokens += uint64(d.Quota.Tokens)
		}
	}
	down("1", 1)
	return taken, tokens, why
}

// TestAttackFanOut: text that a tool returns talks an agent into calling itself, again and again in
// each call, level by level. Each call had a budget of its own, so that one call from outside cost
// as many budgets as there were calls. They share limits now. Control: without them all are made.
func TestAttackFanOut(t *testing.T) {
	t.Parallel()
	d := def("a", func(d *Definition) { d.Quota.Concurrent = 100 })
	for _, c := range []struct {
		change func(*Quota)
		taken  int
		says   string
	}{
		{func(q *Quota) { q.InnerCalls, q.InnerTokens, q.InnerMicros = 0, 0, 0 }, 5 + 25 + 125 + 625, ""},
		{func(*Quota) {}, 20, "limits.inner_tokens"}, // of 200,000 tokens each
		{func(q *Quota) { q.Tokens, q.Micros = 1, 1 }, 256, "limits.inner_calls"},
		{func(q *Quota) { q.Tokens, q.InnerMicros = 1, 3_000_000 }, 3, "limits.inner_dollars"},
	} {
		d := d
		c.change(&d.Quota)
		taken, tokens, why := fan(d, 5, 4)
		if taken != c.taken || !strings.Contains(why, c.says) || c.says != "" && tokens > uint64(d.Quota.InnerTokens) {
			t.Errorf("%d calls and %d tokens, want %d: %s", taken, tokens, c.taken, why)
		}
	}
}

// TestInner: calls inside a call count with what they used when they are over, and those of another
// call from outside do not count.
func TestInner(t *testing.T) {
	t.Parallel()
	d := def("a", func(d *Definition) { d.Quota.Concurrent, d.Quota.Tokens, d.Quota.InnerTokens = 9, 10, 20 })
	c, _ := New(0, known(d), nil, nil)
	c.Step(invoke("1", Operator, "a", 1))
	c.Step(invoke("2", Operator, "a", 1))
	c.Step(Opened{Agent: "a", Now: 1})
	inside := func(id, parent string) Invoked {
		o := invoke(id, "a", "a", 2)
		o.Parent, o.Depth = parent, 1
		return o
	}
	expect(t, c.Step(inside("11", "1")), "settle 11 yes; start 11")
	expect(t, c.Step(inside("12", "11")), "settle 12 yes; start 12")
	expect(t, c.Step(inside("13", "1")), "settle 13 budget")
	expect(t, c.Step(inside("21", "2")), "settle 21 yes; start 21")
	c.Step(Ended{Call: "12", Status: OK, Tokens: 3, Now: 3})
	expect(t, c.Step(inside("14", "11")), "settle 14 budget")
	c.Step(Ended{Call: "11", Status: OK, Tokens: 7, Now: 3})
	expect(t, c.Step(inside("15", "1")), "settle 15 yes; start 15")
	expect(t, c.Step(inside("16", "1")), "settle 16 budget")
	expect(t, c.Step(Ended{Call: "1", Status: OK, Now: 4}), "tell 1 ok; stop 15; tell 15 cancelled")
	c.Step(Ended{Call: "2", Status: OK, Now: 4})
	if len(c.inside)+len(c.outer) != 0 {
		t.Errorf("the core remembers %d and %d", len(c.inside), len(c.outer))
	}
}

// tree is a root, 50 delegates, and what their programs really do.
type tree struct {
	*Core
	*rand.Rand
	used    map[string]int64 // processor time of a call inside the root's, in milliseconds
	kept    map[string]int   // bytes
	running []string
	refused int
	killed  int
}

// grow lets delegates call each other at random. Some end, and some are killed.
func grow(t *testing.T, change func(*Quota)) *tree {
	t.Helper()
	root := def("root", func(d *Definition) {
		d.Quota.InnerCalls = 0
		change(&d.Quota)
	})
	all := []Definition{root}
	for n := range 50 {
		all = append(all, def(fmt.Sprintf("d%d", n), func(d *Definition) {
			d.Programs, d.Modelless, d.Quota.CPU, d.Quota.Concurrent = true, true, 2*time.Second, 9
		}))
	}
	w := &tree{Rand: rand.New(rand.NewPCG(1, 2)), used: map[string]int64{}, kept: map[string]int{}}
	w.Core, _ = New(0, known(all...), nil, nil)
	w.Step(invoke("0", Operator, "root", 1))
	w.Step(Opened{Agent: "root", Now: 1})
	for n := range 3000 {
		w.act(fmt.Sprint(n + 1))
	}
	return w
}

func (w *tree) act(id string) {
	if k := w.IntN(10); k < 5 || len(w.running) == 0 {
		parent := "0"
		if len(w.running) > 0 && w.IntN(4) > 0 {
			parent = w.running[w.IntN(len(w.running))]
		}
		by, _ := w.Open(parent)
		o := invoke(id, by.Target.Agent, fmt.Sprintf("d%d", w.IntN(50)), 2)
		o.Parent, o.Depth, o.Payload = parent, by.Depth+1, make([]byte, w.IntN(30<<10))
		w.does(o)
		w.does(Opened{Agent: o.Target.Agent, Now: 2})
	} else {
		at := w.running[w.IntN(len(w.running))]
		call, _ := w.Open(at)
		w.used[at] += w.Int64N(2000 - w.used[at] + 1)
		switch {
		case k < 6: // it goes on
		case k < 8: // its agent, or who called it, is killed
			w.killed++
			w.does(Withdrawn{By: call.Caller, Call: at, Ref: "x", Now: 3})
		default:
			w.does(Ended{Call: at, Status: OK, CPU: w.used[at], Result: make([]byte, w.IntN(200<<10)), Now: 3})
		}
	}
}

// does steps, and sees what the host saves.
func (w *tree) does(o Occurrence) {
	p := w.Step(o)
	for _, c := range p.Calls {
		if c.ID != "0" {
			w.kept[c.ID] = len(c.Payload) + len(c.Result)
		}
	}
	for _, a := range p.Acts {
		if s, ok := a.(Settle); ok && s.Refusal != nil && s.Refusal.Code == Budget {
			w.refused++
		}
	}
	w.running = nil
	for id := range w.calls {
		if id != "0" {
			w.running = append(w.running, id)
		}
	}
	slices.Sort(w.running)
}

// TestTreeRunsAndStores: 50 delegates of a root call each other, and some are killed at random.
// What their programs use, and what the host keeps of them, is within the limits of the root.
// Control: without limits there is more of both.
func TestTreeRunsAndStores(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]struct {
		cpu    time.Duration
		stored int64
	}{"both": {40 * time.Second, 4 << 20}, "time": {40 * time.Second, 0}, "bytes": {0, 4 << 20}, "control": {0, 0}} {
		w := grow(t, func(q *Quota) { q.InnerCPU, q.InnerStored = limit.cpu, limit.stored })
		var used int64
		kept := 0
		for id, n := range w.kept {
			used, kept = used+w.used[id], kept+n
		}
		t.Logf("%s: %d ms, %d bytes, %d refused, %d killed", name, used, kept, w.refused, w.killed)
		if used <= 40_000 != (limit.cpu > 0) && name != "bytes" || kept <= 4<<20 != (limit.stored > 0) && name != "time" || w.killed < 5 || (w.refused == 0) != (name == "control") {
			t.Errorf("%s: %d ms, %d bytes, %d refused, %d killed", name, used, kept, w.refused, w.killed)
		}
	}
}

// TestAttackWaiting: a delegate asks again and again for what a person has to approve, and
// withdraws each call. Those that wait counted for nothing, so that the host kept 200 of them for a
// root that may have 20. One that is approved counts once.
func TestAttackWaiting(t *testing.T) {
	t.Parallel()
	root := def("root", func(d *Definition) { d.Quota.InnerCalls, d.Quota.InnerStored = 20, 16<<20 })
	asks := def("asks", func(d *Definition) { d.Quota.Concurrent = 300 })
	c, _ := New(0, known(root, asks), nil, nil)
	c.Step(invoke("0", Operator, "root", 1))
	c.Step(Opened{Agent: "root", Now: 1})
	taken := 0
	for n := range 200 {
		o := invoke(fmt.Sprint("w", n), "root", "asks", 2)
		o.Parent, o.Depth, o.Payload, o.Waits = "0", 1, make([]byte, 200<<10), true
		if s, ok := c.Step(o).Acts[0].(Settle); ok && s.Refusal == nil {
			taken++
		}
		if n%2 == 0 {
			c.Step(Withdrawn{By: "root", Call: o.ID, Ref: "x", Now: 3})
		}
	}
	all := *c.inside["0"]
	if taken != 20 || all.calls != 20 || all.stored < 20*200<<10 || all.stored > 16<<20 {
		t.Errorf("%d were taken: %+v", taken, all)
	}
	expect(t, c.Step(Answered{Call: "w1", Now: 4}), "open asks")
	if now := *c.inside["0"]; now != all {
		t.Errorf("%+v before, %+v after it was approved", all, now)
	}
	c.Step(Opened{Agent: "asks", Now: 4})
	c.Step(Ended{Call: "w1", Status: OK, Now: 5})
	if now := *c.inside["0"]; now.calls != 20 || now.stored >= all.stored {
		t.Errorf("%+v before, %+v after it ended", all, now)
	}
	c.Step(Ended{Call: "0", Status: OK, Now: 6})
	if len(c.inside)+len(c.outer) != 0 {
		t.Errorf("the core remembers %d and %d", len(c.inside), len(c.outer))
	}
}
