package host

import (
	"maps"
	"slices"
	"strings"
)

// The limits of a host.
const (
	MaxAgents    = 10_000 // with the terminated ones
	maxDepth     = 8      // of calls inside calls
	maxAgentOpen = 100_000
)

// resident is an agent of the host.
type resident struct {
	Agent
	def     Definition
	known   bool // its file is there
	open    bool
	opening bool
	used    int64           // when it was last called or opened
	failed  int             // how often it could not be opened since it was open
	again   int64           // of a service that could not be opened: when it is tried again
	calls   map[string]bool // open calls of it
}

// Core is the state of an agent host. It belongs to one goroutine at a time.
type Core struct {
	agents map[string]*resident
	calls  map[string]*Invocation // those that are not over
	inside map[string]*inner      // the calls inside those from outside
	outer  map[string]held        // of each call inside
}

// Known is an agent that a file or a saved text defines.
type Known struct {
	Definition
	DID string
}

// New begins with what was saved, and the files that are there now. Calls that had started are
// reported as interrupted, and count as if they had spent all that they may.
func New(now int64, files []Known, agents []Agent, calls []Invocation) (*Core, Consequence) {
	c, p := &Core{agents: map[string]*resident{}, calls: map[string]*Invocation{}, inside: map[string]*inner{}, outer: map[string]held{}}, &Consequence{}
	for _, a := range agents {
		c.agents[a.ID] = &resident{Agent: a, calls: map[string]bool{}}
	}
	for _, f := range files {
		r := c.agents[f.ID]
		if r == nil {
			r = &resident{Agent: Agent{ID: f.ID, DID: f.DID, Life: Created, Created: now, Changed: now}, calls: map[string]bool{}}
			c.agents[f.ID] = r
			p.Agents = append(p.Agents, r.Agent)
		}
		r.def, r.known = f.Definition, true
	}
	for _, id := range slices.Sorted(maps.Keys(c.agents)) {
		r := c.agents[id]
		switch {
		case r.Life == Terminated:
		case r.known && r.def.Service:
			c.openAgent(r, p, now)
		case r.Life == Running:
			c.set(r, Dormant, p, now)
		}
	}
	for _, call := range calls {
		c.restore(call, p, now)
	}
	return c, *p
}

// restore goes on with a call that was saved.
func (c *Core) restore(call Invocation, p *Consequence, now int64) {
	r := c.agents[call.Target.Agent]
	c.calls[call.ID] = &call
	if r != nil && call.Stage != Waits {
		r.calls[call.ID] = true
	}
	call.lost = call.Attended
	switch {
	case call.Stage == Waits: // Answered ends that
	case call.Stage == Started:
		end := Ended{Call: call.ID, Status: Interrupted, Problem: "the agent host stopped while the call ran; it is not known what the call did, and it is not made again", Now: now}
		if r != nil && r.known {
			end.most(&call, r.def)
		}
		end.occur(c, p)
	case r == nil || !r.known || r.Life == Terminated:
		Ended{Call: call.ID, Status: Failed, Problem: "the agent is gone", Now: now}.occur(c, p)
	case call.lost:
		Ended{Call: call.ID, Status: Interrupted, Problem: lostWords, Now: now}.occur(c, p)
	case call.Deadline().UnixMilli() <= now:
		Ended{Call: call.ID, Status: TimedOut, Problem: "the time of the call ended while the agent host was down", Now: now}.occur(c, p)
	default:
		c.openAgent(r, p, now)
	}
}

// lostWords is why a call is not made whose client gave more than the payload.
const lostWords = "the agent host stopped before the call began, and the context, parameters or tools that its client gave are lost; the call was not made"

// Step takes what occurred.
func (c *Core) Step(o Occurrence) Consequence {
	p := &Consequence{}
	o.occur(c, p)
	return *p
}

// set changes the state of an agent.
func (c *Core) set(r *resident, l Life, p *Consequence, now int64) {
	r.Life, r.Changed = l, now
	p.Agents = append(p.Agents, r.Agent)
}

// openAgent begins to open an agent, if it is not open.
func (c *Core) openAgent(r *resident, p *Consequence, now int64) {
	r.used = now
	if r.Life != Running {
		c.set(r, Running, p, now)
	}
	if !r.open && !r.opening {
		r.opening = true
		p.Acts = append(p.Acts, OpenAgent{r.ID})
	}
}

func (v Invoked) occur(c *Core, p *Consequence) {
	call := v.Invocation
	if e := v.Earlier; e != nil {
		switch {
		case e.Task != call.Task:
			p.Acts = append(p.Acts, Settle{call.ID, refusal(Conflict, "the correlation id %.80q stands for another call of %s already; take a new one", call.Correlation, call.Target)})
		case e.Stage == Over:
			p.Acts = append(p.Acts, Join{call.ID, e.ID}, Tell{*e})
		default:
			p.Acts = append(p.Acts, Join{call.ID, e.ID})
		}
		return
	}
	if r := c.admit(&call); r != nil {
		p.Acts = append(p.Acts, Settle{call.ID, r})
		return
	}
	r := c.agents[call.Target.Agent]
	p.Acts = append(p.Acts, Settle{Ref: call.ID})
	if v.Waits {
		call.Accepted, call.Stage = v.Now, Waits
		c.calls[call.ID] = &call
		c.nest(&call, r.def)
		p.Calls = append(p.Calls, call)
		return
	}
	c.accept(r, &call, p, v.Now)
}

// accept takes a call that is made now, or when its agent is open.
func (c *Core) accept(r *resident, call *Invocation, p *Consequence, now int64) {
	call.Accepted, call.Stage = now, Accepted
	c.calls[call.ID], r.calls[call.ID] = call, true
	c.nest(call, r.def)
	if r.open {
		c.start(call, p, now)
		return
	}
	p.Calls = append(p.Calls, *call)
	c.openAgent(r, p, now)
}

func (a Answered) occur(c *Core, p *Consequence) {
	call := c.calls[a.Call]
	if call == nil || call.Stage != Waits {
		return
	}
	if a.Problem == "" && call.lost {
		Ended{Call: a.Call, Status: Interrupted, Problem: lostWords, Now: a.Now}.occur(c, p)
		return
	}
	if a.Problem == "" { // other calls came meanwhile, or the agent went
		delete(c.calls, a.Call)
		refused := c.admit(call)
		c.calls[a.Call] = call
		if refused == nil {
			c.accept(c.agents[call.Target.Agent], call, p, a.Now)
			return
		}
		a.Problem = refused.Words
	}
	Ended{Call: a.Call, Status: Failed, Problem: a.Problem, Now: a.Now}.occur(c, p)
}

// start starts a call. The save comes first, so a crash after it can only report the call.
func (c *Core) start(call *Invocation, p *Consequence, now int64) {
	call.Stage, call.Started = Started, now
	c.agents[call.Target.Agent].used = now
	p.Calls = append(p.Calls, *call)
	p.Acts = append(p.Acts, StartCall{*call})
}

// admit decides whether a call may be made, and completes it.
func (c *Core) admit(call *Invocation) *Refused {
	r, refused := c.living(call.Target.Agent)
	if refused != nil {
		return refused
	}
	q := r.def.Quota
	if call.Timeout == 0 {
		call.Timeout = q.Time.Milliseconds()
	}
	switch {
	case !r.def.capability(call.Target.Capability):
		return refusal(Unknown, "agent %s has no capability %q; ojud agents status %s lists what it has", r.ID, call.Target.Capability, r.ID)
	case call.Timeout < 0 || call.Timeout > q.Time.Milliseconds():
		return refusal(Form, "timeout_ms is %d; agent %s takes 1 to %d (limits.time)", call.Timeout, r.ID, q.Time.Milliseconds())
	case call.Parent != "" && c.calls[call.Parent] == nil:
		return refusal(Gone, "the call in which this call was made is over")
	case call.Depth > maxDepth:
		return refusal(Denied, "calls inside calls are %d deep; the limit is %d", call.Depth, maxDepth)
	}
	if refused := c.May(call.Caller, actInvoke, call.Target.Agent); refused != nil && !call.visits() {
		return refused
	}
	if caller := c.agents[call.Caller]; caller != nil && !caller.def.MayCall(call.Target) {
		return refusal(Denied, "agent %s may not call %s; its file would have to name it in calls", caller.ID, call.Target.Name())
	}
	switch {
	case len(r.calls) >= q.Concurrent:
		return refusal(Busy, "agent %s has %d calls under way, and its limit is %d (limits.concurrent); try again later", r.ID, len(r.calls), q.Concurrent)
	case call.Guest != "" && c.of(r, call.Delegate) >= (q.Concurrent+1)/2:
		return refusal(Busy, "agent %s has %d calls of the delegate %s under way, and one delegate has at most half of %d (limits.concurrent); try again later", r.ID, c.of(r, call.Delegate), call.Delegate, q.Concurrent)
	case len(c.calls) >= maxAgentOpen:
		return refusal(Busy, "the host has %d calls under way; try again later", len(c.calls))
	}
	reserved := uint64(len(r.calls) + 1)
	switch {
	case r.def.Modelless: // what an earlier version counted for it was not spent
	case q.TotalTokens > 0 && uint64(r.Tokens)+reserved*uint64(q.Tokens) > uint64(q.TotalTokens):
		return refusal(Budget, "agent %s has used %d of %d tokens, and a call may use %d (limits.total_tokens)", r.ID, r.Tokens, q.TotalTokens, q.Tokens)
	case q.TotalMicros > 0 && r.Micros+reserved*q.Micros > q.TotalMicros:
		return refusal(Budget, "agent %s has spent %.6f of %.6f dollars, and a call may spend %.6f (limits.total_dollars)", r.ID, float64(r.Micros)/1e6, float64(q.TotalMicros)/1e6, float64(q.Micros)/1e6)
	}
	return c.nested(call, r.def)
}

// of counts the calls of an agent that are under way for a delegate.
func (c *Core) of(r *resident, delegate string) (n int) {
	for id := range r.calls {
		if call := c.calls[id]; call != nil && call.Delegate == delegate {
			n++
		}
	}
	return n
}

// visits reports whether somebody outside of the host signed the call.
func (c Invocation) visits() bool {
	return c.Admitted && strings.HasPrefix(c.Caller, outside)
}

// Living returns why an agent is not there any more, or nil.
func (c *Core) Living(id string) *Refused {
	_, refused := c.living(id)
	return refused
}

// living finds an agent that is not terminated.
func (c *Core) living(id string) (*resident, *Refused) {
	r := c.agents[id]
	switch {
	case r == nil:
		return nil, refusal(Unknown, "this host has no agent %.80q; ojud agents list shows those that it has", id)
	case r.Life == Terminated:
		return nil, refusal(Gone, "agent %s is terminated; its identity is archived", id)
	case !r.known:
		return nil, refusal(Gone, "the file of agent %s is not there any more", id)
	}
	return r, nil
}

func (o Opened) occur(c *Core, p *Consequence) {
	r := c.agents[o.Agent]
	if r == nil || !r.opening {
		return
	}
	r.opening = false
	if r.Life != Running { // something ended its life meanwhile
		if o.Problem == "" {
			p.Acts = append(p.Acts, CloseAgent{r.ID})
		}
		return
	}
	r.open, r.used = o.Problem == "", o.Now
	if r.open {
		r.failed = 0
	}
	for _, id := range slices.Sorted(maps.Keys(r.calls)) {
		call := c.calls[id]
		switch {
		case call.Stage != Accepted:
		case o.Problem != "":
			why := "the agent cannot be woken: " + o.Problem
			if call.Guest != "" { // it names files and programs of the host
				why = "the agent cannot be woken; the log of its host says why"
			}
			Ended{Call: id, Status: Failed, Problem: why, Now: o.Now}.occur(c, p)
		default:
			c.start(call, p, o.Now)
		}
	}
	if o.Problem != "" {
		c.set(r, Dormant, p, o.Now)
		r.missed(o.Now)
	}
}

func (e Ended) occur(c *Core, p *Consequence) {
	call := c.calls[e.Call]
	if call == nil {
		return // it was cancelled meanwhile
	}
	delete(c.calls, e.Call)
	call.Stage, call.Status, call.Problem, call.Result, call.Attestation = Over, e.Status, e.Problem, e.Result, e.Attestation
	call.Ended, call.Spent = e.Now, Spent{e.Tokens, e.Micros, e.CPU}
	c.unnest(call)
	if r := c.agents[call.Target.Agent]; r != nil {
		delete(r.calls, e.Call)
		r.Calls, r.Tokens, r.Micros, r.used = r.Calls+1, r.Tokens+e.Tokens, r.Micros+e.Micros, e.Now
		p.Agents = append(p.Agents, r.Agent)
	}
	p.Calls = append(p.Calls, *call)
	p.Acts = append(p.Acts, Tell{*call})
	for _, id := range slices.Sorted(maps.Keys(c.calls)) { // the calls that it made
		if inner := c.calls[id]; inner != nil && inner.Parent == e.Call {
			c.cancel(inner, "the call in which it was made is over", p, e.Now)
		}
	}
}

// cancel ends a call before its time.
func (c *Core) cancel(call *Invocation, why string, p *Consequence, now int64) {
	if call.Stage == Started {
		p.Acts = append(p.Acts, StopCall{call.ID})
	}
	end := Ended{Call: call.ID, Status: Cancelled, Problem: why, Now: now}
	if r := c.agents[call.Target.Agent]; r != nil && call.Stage == Started { // it is not known yet what it spent
		end.most(call, r.def)
	}
	end.occur(c, p)
}

func (w Withdrawn) occur(c *Core, p *Consequence) {
	call := c.calls[w.Call]
	if call == nil || call.Caller != w.By {
		p.Acts = append(p.Acts, Settle{w.Ref, refusal(Unknown, "no such call of the caller is under way")})
		return
	}
	p.Acts = append(p.Acts, Settle{Ref: w.Ref})
	c.cancel(call, "its caller withdrew it", p, w.Now)
}

func (t TakenBack) occur(c *Core, p *Consequence) {
	if call := c.calls[t.Call]; call != nil {
		c.cancel(call, t.Why, p, t.Now)
	}
}

func (t Ticked) occur(c *Core, p *Consequence) {
	for _, id := range slices.Sorted(maps.Keys(c.calls)) {
		if call := c.calls[id]; call != nil && call.Stage == Accepted && call.Deadline().UnixMilli() <= t.Now {
			Ended{Call: id, Status: TimedOut, Problem: "the agent did not wake in the time of the call", Now: t.Now}.occur(c, p)
		}
	}
	for id, r := range c.agents {
		if c.Failing(id) && !r.opening && r.again <= t.Now {
			c.openAgent(r, p, t.Now)
		}
		if r.open && !r.def.Service && len(r.calls) == 0 && t.Now-r.used >= r.def.Idle.Milliseconds() {
			c.hibernate(r, p, t.Now)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.Leases())) {
		if r := c.agents[id]; r.Until > 0 && r.Until <= t.Now {
			c.terminate(r, p, t.Now)
		}
	}
}
