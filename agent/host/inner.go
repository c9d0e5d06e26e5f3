package host

import "cmp"

// inner are the calls that were made in one call from outside, at any depth. They share limits, so
// that calls inside calls do not multiply what the outermost one may use.
type inner struct {
	calls  int    // that were made
	tokens uint64 // that those which are over used, and those under way may use
	micros uint64
}

// held is what a call inside another may use, and the call from outside that it counts for.
type held struct {
	outer          string
	tokens, micros uint64
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
	if outer == nil {
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
	tokens, micros := call.most(d)
	switch {
	case most.InnerCalls > 0 && all.calls >= most.InnerCalls:
		return refusal(Budget, "%d calls were made in one call of agent %s, and its limit is %d (limits.inner_calls)", all.calls, r.ID, most.InnerCalls)
	case most.InnerTokens > 0 && all.tokens+uint64(tokens) > uint64(most.InnerTokens):
		return refusal(Budget, "the calls in one call of agent %s may use %d of %d tokens, and a further one %d (limits.inner_tokens)", r.ID, all.tokens, most.InnerTokens, tokens)
	case most.InnerMicros > 0 && all.micros+micros > most.InnerMicros:
		return refusal(Budget, "the calls in one call of agent %s may cost %.6f of %.6f dollars, and a further one %.6f (limits.inner_dollars)",
			r.ID, float64(all.micros)/1e6, float64(most.InnerMicros)/1e6, float64(micros)/1e6)
	}
	return nil
}

// nest counts a call that was accepted, with all that it may use.
func (c *Core) nest(call *Invocation, d Definition) {
	outer := c.outermost(call)
	if c.calls[outer] == nil {
		return
	}
	if c.inside[outer] == nil {
		c.inside[outer] = &inner{}
	}
	tokens, micros := call.most(d)
	all := c.inside[outer]
	all.calls, all.tokens, all.micros = all.calls+1, all.tokens+uint64(tokens), all.micros+micros
	c.outer[call.ID] = held{outer, uint64(tokens), micros}
}

// unnest counts what a call has used in place of what it may use, and forgets the calls inside it
// if it is from outside.
func (c *Core) unnest(call *Invocation) {
	delete(c.inside, call.ID)
	held := c.outer[call.ID]
	if all := c.inside[held.outer]; all != nil {
		all.tokens, all.micros = all.tokens-held.tokens+uint64(call.Tokens), all.micros-held.micros+call.Micros
	}
	delete(c.outer, call.ID)
}
