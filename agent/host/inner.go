package host

import "cmp"

// inner are the calls that were made in one call from outside, at any depth. They share limits, so
// that calls inside calls do not multiply what the outermost one may use.
type inner struct {
	calls int // that were made
	sum       // what those which are over used, and those under way may use
}

// sum is what calls use together.
type sum struct{ tokens, micros, cpu, stored uint64 }

func (s *sum) add(t sum) {
	s.tokens, s.micros, s.cpu, s.stored = s.tokens+t.tokens, s.micros+t.micros, s.cpu+t.cpu, s.stored+t.stored
}

func (s *sum) sub(t sum) {
	s.tokens, s.micros, s.cpu, s.stored = s.tokens-t.tokens, s.micros-t.micros, s.cpu-t.cpu, s.stored-t.stored
}

// uses returns what a call uses, or may use if that is in s.
func (c Invocation) uses(s Spent) sum {
	return sum{uint64(s.Tokens), s.Micros, uint64(s.CPU), c.stored()}
}

// most is what a call may spend at most.
func (c Invocation) most(d Definition) (s Spent) {
	if d.Programs {
		s.CPU = d.Quota.CPU.Milliseconds()
	}
	switch {
	case d.Modelless:
	case c.Admitted:
		s.Tokens, s.Micros = c.MayTokens, c.MayMicros
	default:
		s.Tokens, s.Micros = d.Quota.Tokens, d.Quota.Micros
	}
	return s
}

// most counts all that a call may spend, since it is not known what it spent.
func (e *Ended) most(call *Invocation, d Definition) {
	s := call.most(d)
	e.Tokens, e.Micros, e.CPU = s.Tokens, s.Micros, s.CPU
}

// held is what a call inside another may use, and the call from outside that it counts for.
type held struct {
	outer string
	sum
}

// outermost returns the call from outside in which a call is made; empty: it is one itself.
func (c *Core) outermost(call *Invocation) string {
	if call.Parent == "" {
		return ""
	}
	return cmp.Or(c.outer[call.Parent].outer, call.Parent)
}

// nested refuses a call inside another if all calls in the outermost one would use more than its
// agent's file allows.
func (c *Core) nested(call *Invocation, d Definition) *Refused {
	outer := c.calls[c.outermost(call)]
	if _, counted := c.outer[call.ID]; outer == nil || counted { // it waited for a person
		return nil
	}
	r := c.agents[outer.Target.Agent]
	if r == nil {
		return nil // its end stops this one, too
	}
	all, most := inner{}, r.def.Quota
	if known := c.inside[outer.ID]; known != nil {
		all = *known
	}
	further := call.uses(call.most(d))
	switch {
	case most.InnerCalls > 0 && all.calls >= most.InnerCalls:
		return refusal(Budget, "%d calls were made in one call of agent %s, and its limit is %d (limits.inner_calls)", all.calls, r.ID, most.InnerCalls)
	case most.InnerTokens > 0 && all.tokens+further.tokens > uint64(most.InnerTokens):
		return refusal(Budget, "the calls in one call of agent %s may use %d of %d tokens, and a further one %d (limits.inner_tokens)", r.ID, all.tokens, most.InnerTokens, further.tokens)
	case most.InnerMicros > 0 && all.micros+further.micros > most.InnerMicros:
		return refusal(Budget, "the calls in one call of agent %s may cost %.6f of %.6f dollars, and a further one %.6f (limits.inner_dollars)",
			r.ID, float64(all.micros)/1e6, float64(most.InnerMicros)/1e6, float64(further.micros)/1e6)
	case most.InnerCPU > 0 && further.cpu > 0 && all.cpu+further.cpu > uint64(most.InnerCPU.Milliseconds()):
		return refusal(Budget, "the programs of the calls in one call of agent %s may use %.3f of %.3f seconds of processor time, and those of a further one %.3f (limits.inner_cpu)",
			r.ID, float64(all.cpu)/1e3, most.InnerCPU.Seconds(), float64(further.cpu)/1e3)
	case most.InnerStored > 0 && all.stored+further.stored > uint64(most.InnerStored):
		return refusal(Budget, "the host may keep %d of %d bytes of the calls in one call of agent %s, and %d of a further one (limits.inner_mb)",
			all.stored, most.InnerStored, r.ID, further.stored)
	}
	return nil
}

// nest counts a call that was accepted, or waits for a person, with all that it may use.
func (c *Core) nest(call *Invocation, d Definition) {
	outer := c.outermost(call)
	if _, counted := c.outer[call.ID]; c.calls[outer] == nil || counted {
		return
	}
	if c.inside[outer] == nil {
		c.inside[outer] = &inner{}
	}
	all, may := c.inside[outer], call.uses(call.most(d))
	all.calls++
	all.add(may)
	c.outer[call.ID] = held{outer, may}
}

// unnest counts what a call has used in place of what it may use, and forgets the calls inside it
// if it is from outside.
func (c *Core) unnest(call *Invocation) {
	delete(c.inside, call.ID)
	held := c.outer[call.ID]
	if all := c.inside[held.outer]; all != nil {
		all.sub(held.sum)
		all.add(call.uses(call.Spent))
	}
	delete(c.outer, call.ID)
}
