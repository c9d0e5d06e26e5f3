package sim

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// coverage counts the planned events, those that began, those that had an effect, and the ends of
// the cases.
type coverage struct {
	mu sync.Mutex
	Planned, Begun,
	Effects, // packets, requests, transactions, starts, notices that were touched
	Ends map[string]int
}

func newCoverage() *coverage {
	return &coverage{Planned: map[string]int{}, Begun: map[string]int{}, Effects: map[string]int{}, Ends: map[string]int{}}
}

func (c *coverage) begun(what string)  { c.count(c.Begun, what, 1) }
func (c *coverage) effect(what string) { c.count(c.Effects, what, 1) }
func (c *coverage) ended(what string)  { c.count(c.Ends, what, 1) }

func (c *coverage) count(in map[string]int, what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in[what] += n
}

// add adds the counts of o.
func (c *coverage) add(o *coverage) {
	for _, m := range []struct{ to, from map[string]int }{{c.Planned, o.Planned}, {c.Begun, o.Begun}, {c.Effects, o.Effects}, {c.Ends, o.Ends}} {
		for k, n := range m.from {
			c.count(m.to, k, n)
		}
	}
}

// plan counts the content of a plan.
func (c *coverage) plan(p plan) {
	for _, e := range p.events {
		c.count(c.Planned, string(e.kind), 1)
	}
	for _, who := range p.who {
		if who != honest {
			c.count(c.Planned, string(who), 1)
		}
	}
}

// print writes a table: a line for every fault and adversary, then how cases ended.
func (c *coverage) print(w io.Writer) (err error) {
	line := func(format string, args ...any) {
		if _, e := fmt.Fprintf(w, format, args...); err == nil {
			err = e
		}
	}
	line("%-24s %8s %8s %10s\n", "fault or adversary", "planned", "begun", "effects")
	for _, k := range everything() {
		line("%-24s %8d %8d %10d\n", k, c.Planned[k], c.Begun[k], c.Effects[k])
	}
	for _, k := range slices.Sorted(maps.Keys(c.Ends)) {
		line("%-24s %8d\n", k, c.Ends[k])
	}
	return err
}

// idle returns the faults and adversaries without any effect.
func (c *coverage) idle() (out []string) {
	for _, k := range everything() {
		if c.Effects[k] == 0 {
			out = append(out, k)
		}
	}
	return out
}

// everything returns the names of all faults and adversaries.
func everything() (out []string) {
	for _, f := range faults {
		out = append(out, string(f))
	}
	for _, a := range adversaries {
		out = append(out, string(a))
	}
	return out
}
