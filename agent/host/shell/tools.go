package shell

import (
	"context"
	"encoding/json"
	"slices"

	"ojud/agent"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/manifest"
	"ojud/agent/host/mind"
	"ojud/casefile"
)

// skill is one of the capabilities of the host, as a tool of agents and a route of the API.
type skill struct {
	name, words, input string
	level              int // of autonomy
	do                 func(ctx context.Context, h *Host, by Caller, input json.RawMessage) (any, error)
}

// Returned is what agent.invoke and agent.delegate return.
type Returned struct {
	Status      string          `json:"status"`
	Result      json.RawMessage `json:"result,omitempty"`
	Error       string          `json:"error,omitempty"`
	Source      string          `json:"source"` // agent://ID
	Correlation string          `json:"correlation_id"`
	Call        string          `json:"call"`
	Agent       string          `json:"did"`                  // whose key the attestation has
	Chain       json.RawMessage `json:"delegation,omitempty"` // the file of the chain
	Attestation json.RawMessage `json:"attestation,omitempty"`
}

// Invocation returns the parts of an answer that an attestation covers.
func (a Returned) Invocation() host.Invocation {
	return host.Invocation{ID: a.Call, Status: a.Status, Result: a.Result, Problem: a.Error, Allowance: host.Allowance{Chain: a.Chain}, Attestation: a.Attestation}
}

// order is the input of agent.invoke and agent.delegate.
type order struct {
	Target      string          `json:"target"`
	Payload     json.RawMessage `json:"payload"`
	Timeout     int64           `json:"timeout_ms"`
	Correlation string          `json:"correlation_id"`
	Allow       []string        `json:"allow"`
	Deny        []string        `json:"deny"`
	Approval    []string        `json:"approval"`
	Tokens      *int64          `json:"tokens"`
	Micros      *int64          `json:"microdollars"`
	Invocation  json.RawMessage `json:"invocation"` // the file of a call that the caller signed
	Onward      json.RawMessage `json:"onward"`     // the file of the chain for what the agent does in it
	Context     json.RawMessage `json:"context"`    // that the agent sees besides
	Params      json.RawMessage `json:"params"`
	beside      json.RawMessage // what its client gives beside the payload
}

func orderOf(o attest.Commission, signed, onward, beside json.RawMessage) order {
	return order{Target: o.Target, Payload: o.Payload, Timeout: o.Timeout, Invocation: signed, Onward: onward, beside: beside}
}

// about is the input of the capabilities that concern one agent.
type about struct {
	Agent string `json:"agent"`
	Kind  string `json:"kind"`
	Query string `json:"query"`
	Limit int    `json:"limit"`
	When  string `json:"when"`
	Then  string `json:"then"`
}

// carriage is the input of agent.export and agent.import.
type carriage struct {
	Agent string `json:"agent"`
	Path  string `json:"path"`
	To    string `json:"to"`
}

// nobody is a level of autonomy that no agent has: what only the operator does.
const nobody = 1 << 10

// done is the answer of capabilities that only do something.
type done struct {
	Agent string `json:"agent"`
	Done  bool   `json:"done"`
}

const (
	narrow = `,"allow":{"type":"array","items":{"type":"string"}},"deny":{"type":"array","items":{"type":"string"}},` +
		`"approval":{"type":"array","items":{"type":"string"}},"tokens":{"type":"integer","minimum":0},"microdollars":{"type":"integer","minimum":0}`
	oneAgent = `{"type":"object","properties":{"agent":{"type":"string"}},"required":["agent"],"additionalProperties":false}`
	calling  = `{"type":"object","properties":{"target":{"type":"string","description":"agent://ID/CAPABILITY, or agent://HOST:PORT/ID/CAPABILITY"},"payload":{},` +
		`"timeout_ms":{"type":"integer","minimum":1},"correlation_id":{"type":"string","description":"for an agent of this host: your own name of the call; for one of another host, only after the status away: the correlation_id of that answer, to wait for that call"},"context":{"description":"what the agent may know besides; default the context of this call"},"params":{"description":"parameters, as its params_schema says"}%s},"required":["target"],"additionalProperties":false}`
)

// skills are the ten capabilities of seed 004, questions to data sources, and files of agents.
func skills() []skill {
	life := func(what host.Demand) func(context.Context, *Host, Caller, json.RawMessage) (any, error) {
		return func(ctx context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
			a, err := decoded[about](input)
			if err == nil {
				err = h.Ask(ctx, by, a.Agent, what)
			}
			return done{a.Agent, true}, err
		}
	}
	return []skill{
		{"agent.list", "List the agents of this host and what they can be called for.", `{"type":"object","additionalProperties":false}`, host.LevelTools,
			func(_ context.Context, h *Host, by Caller, _ json.RawMessage) (any, error) { return h.List(by) }},
		{host.Describe, "Show one agent: its state and capabilities with their schemas, and of this host what it used.", oneAgent, host.LevelTools,
			func(ctx context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
				a, err := decoded[about](input)
				if err != nil {
					return nil, err
				}
				if host.IsRemote(a.Agent) {
					return describeFar(ctx, h, by, a.Agent)
				}
				return h.Look(by, a.Agent)
			}},
		{"agent.recall", "Recall memories that resemble a text, or the latest ones.",
			`{"type":"object","properties":{"agent":{"type":"string"},"query":{"type":"string"},"kind":{"enum":["working","pattern"]},"limit":{"type":"integer","minimum":1,"maximum":100}},"additionalProperties":false}`, host.LevelTools,
			func(_ context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
				a, err := decoded[about](input)
				if err != nil {
					return nil, err
				}
				if a.Limit == 0 {
					a.Limit = 10
				}
				return h.Recall(by, a.of(by), a.Kind, a.Query, a.Limit)
			}},
		{"agent.learn", "Remember what to do in a situation.",
			`{"type":"object","properties":{"agent":{"type":"string"},"when":{"type":"string"},"then":{"type":"string"}},"required":["when","then"],"additionalProperties":false}`, host.LevelTools,
			func(_ context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
				a, err := decoded[about](input)
				if err != nil {
					return nil, err
				}
				return done{a.of(by), true}, h.Learn(by, a.of(by), a.When, a.Then)
			}},
		{"agent.invoke", "Call a capability of another agent and wait for its result.", sprint(calling, ""), host.LevelCalls, invoke},
		{"agent.delegate", "Call a capability of another agent, which then may only use what allow names and deny does not.", sprint(calling, narrow), host.LevelCalls, invoke},
		{"agent.spawn", "Make a new agent that is a copy of an agent of this host, perhaps with less autonomy, fewer capabilities and lower limits.",
			`{"type":"object","properties":{"id":{"type":"string"},"like":{"type":"string"},"text":{"type":"string"},"autonomy":{"type":"integer","minimum":0},"capabilities":{"type":"array","items":{"type":"string"}},"limits":{"type":"object"}},"required":["id"],"additionalProperties":false}`, host.LevelSpawns,
			func(_ context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
				s, err := decoded[Seed](input)
				if err == nil {
					err = h.Spawn(by, s)
				}
				return done{s.ID, true}, err
			}},
		{"agent.hibernate", "Free the processes and the memory of an agent; a call wakes it.", oneAgent, host.LevelSpawns, life(host.Hibernate)},
		{"agent.wake", "Open an agent, so that its next call starts at once.", oneAgent, host.LevelSpawns, life(host.Wake)},
		{"agent.terminate", "End an agent for ever and archive its identity.", oneAgent, host.LevelSpawns, life(host.Terminate)},
		{"agent.forget", "End the calls of a guest that are under way, and erase them, those that ended, and what an agent, or all, remember of the guest.",
			`{"type":"object","properties":{"agent":{"type":"string"},"of":{"type":"string"}},"required":["of"],"additionalProperties":false}`, nobody,
			func(_ context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
				f, err := decoded[forgetting](input)
				if err != nil {
					return nil, err
				}
				return forget(h, by, f)
			}},
		{"agent.export", "Write an agent into a file for another host.",
			`{"type":"object","properties":{"agent":{"type":"string"},"path":{"type":"string"},"to":{"type":"string"}},"required":["agent","path"],"additionalProperties":false}`, nobody,
			func(_ context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
				a, err := decoded[carriage](input)
				if err == nil {
					err = exportAgent(h, by, a.Agent, a.Path, a.To)
				}
				return done{a.Agent, true}, err
			}},
		{"agent.import", "Take in an agent from a file that another host wrote.",
			`{"type":"object","properties":{"agent":{"type":"string"},"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`, nobody,
			func(_ context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
				a, err := decoded[carriage](input)
				if err != nil {
					return nil, err
				}
				id, err := importAgent(h, by, a.Path, a.Agent)
				return done{id, true}, err
			}},
		{"host.spent", "Say what calls did spend under links of delegations, and what those that run may still spend.",
			`{"type":"object","properties":{"links":{"type":"array","items":{"type":"string"},"maxItems":16}},"required":["links"],"additionalProperties":false}`, nobody, spent},
		{"agent.ask", "Ask holders of a data source of the court by your own key. Each answer has a signed receipt, which proves in a dispute what the holder said.", asks, host.LevelTools, ask},
	}
}

// of is the agent that is meant: the caller itself if none is named.
func (a about) of(by Caller) string {
	if a.Agent == "" {
		return by.ID
	}
	return a.Agent
}

// invoke makes a call and checks the attestation of its end, on behalf of an agent.
func invoke(ctx context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
	o, err := decoded[order](input)
	if err != nil {
		return nil, err
	}
	asked := attest.Commission{
		Caller: by.ID, Target: o.Target, Correlation: o.Correlation, Payload: o.Payload, Timeout: o.Timeout, Allow: o.Allow, Deny: o.Deny,
		Approval: o.Approval, Tokens: o.Tokens, Micros: o.Micros,
	}
	if host.IsRemote(o.Target) && len(o.Invocation) == 0 {
		return reach(ctx, h, by, asked, mind.Talk{Context: o.Context, Params: o.Params})
	}
	if len(o.Invocation) > 0 && len(o.Context)+len(o.Params) > 0 {
		return nil, &host.Refused{Code: host.Form, Words: "context and params of a signed call come over its channel; leave them out here"}
	}
	var c host.Invocation
	if len(o.Invocation) > 0 {
		c, err = h.visit(ctx, o)
	} else {
		c, err = h.invokeWith(ctx, by, asked, mind.Talk{Context: o.Context, Params: o.Params})
	}
	if err != nil {
		return nil, err
	}
	a := h.returned(c)
	if by.ID == host.Operator || len(o.Invocation) > 0 || len(a.Attestation) == 0 {
		return a, nil // the client checks it itself; an end that the host reports is not signed
	}
	did, err := casefile.ParseDID(a.Agent)
	if err != nil {
		return nil, err
	}
	asked.Target, asked.Correlation, asked.Payload = c.Target.String(), c.Correlation, c.Payload
	return a, attest.Check(c, asked, did)
}

// returned is what the caller gets of a call.
func (h *Host) returned(c host.Invocation) Returned {
	a := Returned{
		Status: c.Status, Result: c.Result, Error: c.Problem, Source: "agent://" + c.Target.Agent, Correlation: c.Correlation, Call: c.ID,
		Chain: c.Chain, Attestation: c.Attestation,
	}
	if v, err := h.Look(Caller{ID: host.Operator}, c.Target.Agent); err == nil {
		a.Agent = v.DID
	}
	return a
}

// tools are the capabilities of the host that an agent may use in a call.
func (h *Host) tools(by Caller, of host.Invocation, m manifest.Manifest) (out []agent.Tool) {
	for _, s := range skills() {
		if m.Autonomy < s.level || h.allows(of, s) != nil || s.name == "agent.ask" && (len(m.Sources) == 0 || h.parts.Ask == nil) {
			continue
		}
		if slices.Contains([]string{"agent.invoke", host.Describe}, s.name) {
			s.words += elsewhere(m)
		}
		r := agent.Repr{Name: s.name, Description: s.words, InputSchema: json.RawMessage(s.input)}
		out = append(out, agent.NewTool(r, func(ctx context.Context, c agent.Call) (agent.Answer, error) {
			raw, err := h.Use(ctx, by, s.name, withContext(s.name, c))
			if err != nil {
				return agent.Answer{}, agent.Failure(err.Error())
			}
			return agent.Answer{Output: raw}, nil
		}))
	}
	return out
}

// elsewhere tells a mind of the agents of other hosts that its file names.
func elsewhere(m manifest.Manifest) string {
	const most = 8 // of up to 32, so that the tools of a model stay short
	words := ""
	for _, d := range m.Remotes[:min(most, len(m.Remotes))] {
		words += " " + d.String()
	}
	if words == "" {
		return ""
	}
	return " Agents of other hosts that you may name:" + words + "; agent.status of agent://HOST:PORT/ID says what one can be called for."
}

// withContext adds the client's context of a call to the input of a call that the agent makes of
// another agent of this host. To another host it goes only if the agent says so.
func withContext(name string, c agent.Call) json.RawMessage {
	client := mind.Outward(c.Context)
	if name != "agent.invoke" && name != "agent.delegate" || len(client) == 0 {
		return c.Input
	}
	var members map[string]json.RawMessage
	var target string
	if json.Unmarshal(c.Input, &members) != nil || members["context"] != nil || json.Unmarshal(members["target"], &target) != nil || host.IsRemote(target) {
		return c.Input
	}
	members["context"] = client
	raw, err := json.Marshal(members)
	if err != nil {
		return c.Input
	}
	return raw
}

func (h *Host) under(call string) (host.Invocation, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.core.Open(call)
}

// inside refuses a capability that the call of an agent does not allow.
func (h *Host) inside(by Caller, s skill) error {
	c, open := h.under(by.Call)
	if !open {
		return &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
	}
	return h.allows(c, s)
}

// Use uses a capability of the host by its name.
func (h *Host) Use(ctx context.Context, by Caller, name string, input json.RawMessage) (json.RawMessage, error) {
	for _, s := range skills() {
		if s.name != name {
			continue
		}
		if by.ID == "" { // nobody but a signature says who asks
			o, err := decoded[order](input)
			if err != nil || name != "agent.invoke" || len(o.Invocation) == 0 {
				return nil, &host.Refused{Code: host.Denied, Words: "without a token only agent.invoke with a signed call is possible"}
			}
		} else if by.ID != host.Operator {
			if err := h.inside(by, s); err != nil {
				return nil, err
			}
		}
		v, err := s.do(ctx, h, by, input)
		if err != nil {
			return nil, err
		}
		return json.Marshal(v)
	}
	return nil, &host.Refused{Code: host.Unknown, Words: "the host has no capability of this name"}
}
