package host

import (
	"maps"
	"slices"
)

func (s Spawned) occur(c *Core, p *Consequence) {
	if r := c.MaySpawn(s.By, s.Lease.Delegate, s.Definition); r != nil {
		p.Acts = append(p.Acts, Settle{s.Ref, r})
		return
	}
	r := &resident{def: s.Definition, known: true, calls: map[string]bool{}, Agent: Agent{
		ID: s.Definition.ID, DID: s.DID, Life: Created, Text: s.Text, Created: s.Now, Changed: s.Now, Lease: s.Lease,
	}}
	if s.By != Operator {
		r.Parent = s.By
	}
	c.agents[r.ID] = r
	p.Agents = append(p.Agents, r.Agent)
	p.Acts = append(p.Acts, Settle{Ref: s.Ref})
	if r.def.Service {
		p.Agents = nil // openAgent saves it
		c.openAgent(r, p, s.Now)
	}
}

// MaySpawn returns why an agent may not be spawned, or nil. A spawned agent has at most the
// autonomy, the limits and the targets of the agent that spawned it. Each delegate has its own
// number of deployed ones.
func (c *Core) MaySpawn(by, delegate string, d Definition) *Refused {
	s := Spawned{By: by, Definition: d}
	if err := d.Validate(); err != nil {
		return refusal(Form, "%v", err)
	}
	if refused := c.May(s.By, actSpawn, ""); refused != nil {
		return refused
	}
	switch {
	case c.agents[s.Definition.ID] != nil:
		return refusal(Conflict, "this host has an agent %s already, or had one; take another id", s.Definition.ID)
	case len(c.agents) >= MaxAgents:
		return refusal(Busy, "this host has %d agents; the limit is %d", len(c.agents), MaxAgents)
	case s.By == Operator:
		return nil
	}
	parent, refused := c.living(s.By)
	if refused != nil {
		return refused
	}
	children := 0
	for _, r := range c.agents {
		if r.Parent == s.By && r.Lease.Delegate == delegate && r.Life != Terminated {
			children++
		}
	}
	beyond := s.Definition.Quota.Within(parent.def.Quota)
	switch {
	case children >= parent.def.Quota.Spawned:
		whom := ""
		if delegate != "" {
			whom = " for " + delegate
		}
		return refusal(Busy, "agent %s has spawned %d agents%s; its limit is %d (limits.spawned)", s.By, children, whom, parent.def.Quota.Spawned)
	case s.Definition.Autonomy > parent.def.Autonomy:
		return refusal(Denied, "autonomy is %d, and agent %s has %d; a spawned agent has at most as much", s.Definition.Autonomy, s.By, parent.def.Autonomy)
	case beyond != "":
		return refusal(Denied, "limits.%s is above that of agent %s; a spawned agent has at most as much", beyond, s.By)
	}
	for _, pattern := range s.Definition.Calls {
		if !anyMatches(parent.def.Calls, pattern) {
			return refusal(Denied, "calls has %q, which agent %s may not call itself", pattern, s.By)
		}
	}
	return nil
}

// action is something that an agent does to others.
type action string

// The actions that May decides about, besides demands.
const (
	actInvoke action = "invoke"
	actSpawn  action = "spawn"
	ActLook   action = "list"     // agents and their states
	ActRecall action = "memorise" // recall and learn
)

// May returns why a caller may not do something to an agent, or nil.
func (c *Core) May(by string, what action, to string) *Refused {
	if by == Operator {
		return nil
	}
	r, refused := c.living(by)
	if refused != nil {
		return refused
	}
	low := func(least int) *Refused {
		if r.def.Autonomy >= least {
			return nil
		}
		return refusal(Denied, "agent %s has autonomy %d; to %s it needs %d", by, r.def.Autonomy, what, least)
	}
	switch what {
	case ActLook:
		return low(LevelTools)
	case ActRecall:
		if to != by {
			return refusal(Denied, "agent %s may not read or write the memory of another agent", by)
		}
		return low(LevelTools)
	case actInvoke:
		return low(LevelCalls)
	case actSpawn:
		return low(LevelSpawns)
	}
	if refused := low(LevelSpawns); refused != nil {
		return refused
	}
	other := c.agents[to]
	switch {
	case other == nil || other.Parent == by:
		return nil
	case r.def.Autonomy < levelManages:
		return refusal(Denied, "agent %s may %s only agents that it spawned", by, what)
	case other.def.Autonomy >= r.def.Autonomy:
		return refusal(Denied, "agent %s has autonomy %d, and agent %s has %d; it may %s only agents with less", by, r.def.Autonomy, to, other.def.Autonomy, what)
	}
	return nil
}

func (a Asked) occur(c *Core, p *Consequence) {
	r, refused := c.living(a.Agent)
	if refused == nil {
		refused = c.May(a.By, action(a.What), a.Agent)
	}
	if refused == nil && a.What == Hibernate && len(r.calls) > 0 {
		refused = refusal(Busy, "agent %s has %d calls under way; wait for them, or terminate it", r.ID, len(r.calls))
	}
	p.Acts = append(p.Acts, Settle{a.Ref, refused})
	if refused != nil {
		return
	}
	switch a.What {
	case Hibernate:
		if r.failed = 0; r.Life != Dormant { // so that a service that failed is let alone
			c.hibernate(r, p, a.Now)
		}
	case Wake:
		c.openAgent(r, p, a.Now)
	case Terminate:
		c.terminate(r, p, a.Now)
	}
}

func (c *Core) hibernate(r *resident, p *Consequence, now int64) {
	if r.open {
		p.Acts = append(p.Acts, CloseAgent{r.ID})
	}
	r.open, r.failed = false, 0
	c.set(r, Dormant, p, now)
}

func (c *Core) terminate(r *resident, p *Consequence, now int64) {
	for _, id := range slices.Sorted(maps.Keys(r.calls)) {
		if call := c.calls[id]; call != nil {
			c.cancel(call, "the agent was terminated", p, now)
		}
	}
	if r.open {
		p.Acts = append(p.Acts, CloseAgent{r.ID})
	}
	r.open = false
	c.set(r, Terminated, p, now)
	p.Acts = append(p.Acts, Archive{r.ID})
}

// Leases returns the leases of living agents that were deployed under a delegation, by their ids.
func (c *Core) Leases() map[string]Lease {
	out := map[string]Lease{}
	for id, r := range c.agents {
		if r.Lease != (Lease{}) && r.Life != Terminated {
			out[id] = r.Lease
		}
	}
	return out
}

// Portrait is what is shown of an agent.
type Portrait struct {
	Agent
	Name         string       `json:"name,omitempty"`
	Description  string       `json:"description,omitempty"`
	Autonomy     int          `json:"autonomy"`
	Service      bool         `json:"service,omitempty"`
	Capabilities []Capability `json:"capabilities"`
	Required     []string     `json:"require_approval,omitempty"`
	Running      int          `json:"running_calls"`
	Missing      bool         `json:"file_missing,omitempty"`
	Down         int64        `json:"down_since,omitempty"` // since when a service does not answer
	Why          string       `json:"down_because,omitempty"`
	Constraints  Constraints  `json:"constraints"`
	// Endpoints are the addresses of its capabilities, those for callers of other machines last.
	Endpoints []string `json:"endpoints,omitempty"`
}

// Constraints are what the file of an agent bounds, besides its autonomy and the domains in which a
// person approves.
type Constraints struct {
	Concurrent  int      `json:"max_concurrent_tasks"`
	Time        int64    `json:"time_ms"`
	CPU         int64    `json:"cpu_ms"`
	Memory      int64    `json:"memory_bytes"`
	Tokens      int      `json:"tokens"`
	Micros      uint64   `json:"microdollars"`
	TotalTokens int      `json:"total_tokens,omitempty"`
	TotalMicros uint64   `json:"total_microdollars,omitempty"`
	InnerCalls  int      `json:"inner_calls,omitempty"`
	InnerTokens int      `json:"inner_tokens,omitempty"`
	InnerMicros uint64   `json:"inner_microdollars,omitempty"`
	InnerCPU    int64    `json:"inner_cpu_ms,omitempty"`
	InnerStored int64    `json:"inner_bytes,omitempty"`
	Memories    int      `json:"memories"`
	Spawned     int      `json:"spawned"`
	Calls       []string `json:"calls,omitempty"`   // patterns of agents that it may call
	Sources     []string `json:"sources,omitempty"` // that it may ask
	Remotes     []string `json:"remotes,omitempty"` // agents of other hosts that it may call
}

func (d Definition) constraints() Constraints {
	q := d.Quota
	return Constraints{
		Concurrent: q.Concurrent, Time: q.Time.Milliseconds(), CPU: q.CPU.Milliseconds(), Memory: q.Memory, Tokens: q.Tokens, Micros: q.Micros,
		TotalTokens: q.TotalTokens, TotalMicros: q.TotalMicros, InnerCalls: q.InnerCalls,
		InnerTokens: q.InnerTokens, InnerMicros: q.InnerMicros,
		InnerCPU: q.InnerCPU.Milliseconds(), InnerStored: q.InnerStored, Memories: q.Memories, Spawned: q.Spawned, Calls: d.Calls,
	}
}

func (r *resident) portrait() Portrait {
	v := Portrait{
		Agent: r.Agent, Name: r.def.Name, Description: r.def.Description, Autonomy: r.def.Autonomy, Service: r.def.Service,
		Capabilities: r.def.Capabilities, Required: r.def.Required, Running: len(r.calls), Missing: !r.known,
		Constraints: r.def.constraints(),
	}
	v.Text = ""
	return v
}

// Portraits returns all agents by their ids.
func (c *Core) Portraits() []Portrait {
	out := make([]Portrait, 0, len(c.agents))
	for _, id := range slices.Sorted(maps.Keys(c.agents)) {
		out = append(out, c.agents[id].portrait())
	}
	return out
}

// Look returns one agent, and its definition.
func (c *Core) Look(id string) (Portrait, Definition, *Refused) {
	r := c.agents[id]
	if r == nil {
		_, refused := c.living(id)
		return Portrait{}, Definition{}, refused
	}
	return r.portrait(), r.def, nil
}

// Text returns the saved text of an agent that was spawned; empty: it has a file.
func (c *Core) Text(id string) string {
	if r := c.agents[id]; r != nil {
		return r.Agent.Text
	}
	return ""
}

// Open returns a call that is not over.
func (c *Core) Open(id string) (Invocation, bool) {
	call := c.calls[id]
	if call == nil {
		return Invocation{}, false
	}
	return *call, true
}

// Of returns the calls of an agent that are not over.
func (c *Core) Of(agent string) (out []Invocation) {
	for _, call := range c.calls {
		if call.Target.Agent == agent {
			out = append(out, *call)
		}
	}
	return out
}

// Awake counts agents that have what they need to answer.
func (c *Core) Awake() (n int) {
	for _, r := range c.agents {
		if r.open {
			n++
		}
	}
	return n
}
