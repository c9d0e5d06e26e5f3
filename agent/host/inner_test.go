package host

import (
	"fmt"
	"strings"
	"testing"
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
