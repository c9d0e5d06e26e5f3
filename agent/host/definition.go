package host

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ojud/config/bounds"
)

// Operator is the caller that owns the host. No agent can have this id.
const Operator = "operator"

// outside begins the name of a caller that is no agent of the host: its key as did:key.
const outside = "did:key:"

// reserved are ids that stand for something else in delegations: capabilities of the host, and
// tools.
var reserved = []string{Operator, "agent", "tool"}

// Describe is the capability that each agent has: it says what the agent is, and what the caller
// may call it for. No file has it, nor another that begins as the capabilities of the host do.
const Describe = "agent.status"

// hostly begins the names of the capabilities of the host.
const hostly = "agent."

// The levels of autonomy. A level permits all that lower ones do.
const (
	levelAlone   = 0 // no tools, and no other agents
	LevelTools   = 1 // its own tools and memory; it may list agents
	LevelCalls   = 2 // calls of the agents that its file names
	LevelSpawns  = 3 // new agents, and the lives of those that it spawned
	levelManages = 4 // the lives of all agents with a lower level
)

// Definition says what an agent is, as its file says it.
type Definition struct {
	ID           string
	Name         string
	Description  string
	Capabilities []Capability
	Autonomy     int
	Calls        []string      // patterns of the targets that it may call: "writer/*"
	Required     []string      // approval domains in which a person approves each call of others
	Service      bool          // it is opened with the host and never hibernates by itself
	Idle         time.Duration // after which it hibernates
	Quota        Quota
	Programs     bool // programs run in its calls, beside those of MCP servers
	Modelless    bool // no model answers, and it calls no other hosts, so its calls use no tokens and no dollars
}

// Capability is something that an agent can be called for.
type Capability struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input_schema,omitempty"`
	Output      json.RawMessage `json:"output_schema,omitempty"`
	Params      json.RawMessage `json:"params_schema,omitempty"` // nil: it has no parameters
	Approval    []string        `json:"approval,omitempty"`      // domains; a delegation or the agent may demand a person for them
}

// Quota bounds what an agent uses.
type Quota struct {
	Concurrent  int           // calls at once
	Time        time.Duration // of a call
	CPU         time.Duration // processor time of the programs of a call, and of each process of the agent
	Memory      int64         // bytes of each process of the agent
	Tokens      int           // of a call
	Micros      uint64        // of a call, in millionths of a US dollar
	TotalTokens int           // of all calls; 0: no limit
	TotalMicros uint64        // of all calls; 0: no limit
	InnerCalls  int           // that are made in a call, at any depth; 0: no limit
	InnerTokens int           // that these use together; 0: no limit
	InnerMicros uint64        // that these use together; 0: no limit
	InnerCPU    time.Duration // processor time of the programs of these together; 0: no limit
	InnerStored int64         // bytes that the host keeps of these together; 0: no limit
	Memories    int           // of each kind
	Spawned     int           // living agents that it spawned
}

// DefaultQuota is the quota of an agent whose file names none.
func DefaultQuota() Quota {
	return Quota{
		Concurrent: 4, Time: time.Minute, CPU: time.Minute, Memory: 1 << 30, Tokens: 200_000, Micros: 1_000_000,
		InnerCalls: 256, InnerTokens: 4_000_000, InnerMicros: 20_000_000, InnerCPU: time.Hour, InnerStored: 256 << 20, Memories: 200, Spawned: 8,
	}
}

// Within returns the first bound of q that exceeds that of another quota, or "".
func (q Quota) Within(most Quota) string {
	total := func(mine, theirs uint64) bool { return theirs != 0 && (mine == 0 || mine > theirs) }
	for _, c := range []struct {
		name   string
		beyond bool
	}{
		{"concurrent", q.Concurrent > most.Concurrent}, {"time", q.Time > most.Time}, {"cpu", q.CPU > most.CPU},
		{"memory", q.Memory > most.Memory}, {"tokens", q.Tokens > most.Tokens}, {"dollars", q.Micros > most.Micros},
		{"total_tokens", total(uint64(q.TotalTokens), uint64(most.TotalTokens))}, {"total_dollars", total(q.TotalMicros, most.TotalMicros)},
		{"inner_calls", total(uint64(q.InnerCalls), uint64(most.InnerCalls))}, {"inner_tokens", total(uint64(q.InnerTokens), uint64(most.InnerTokens))},
		{"inner_dollars", total(q.InnerMicros, most.InnerMicros)}, {"inner_cpu", total(uint64(q.InnerCPU), uint64(most.InnerCPU))},
		{"inner_mb", total(uint64(q.InnerStored), uint64(most.InnerStored))},
		{"memories", q.Memories > most.Memories}, {"spawned", q.Spawned > most.Spawned},
	} {
		if c.beyond {
			return c.name
		}
	}
	return ""
}

// The limits of a definition.
const (
	maxCapabilities = 64
	maxPatterns     = 64
	maxDomains      = 16
	maxWords        = 2_000 // bytes of a description
	maxMicros       = 1_000_000_000_000
)

var (
	idForm         = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	capabilityForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)
	domainForm     = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)
	patternForm    = regexp.MustCompile(`^(\*|[a-z0-9][a-z0-9-]{0,63}/(\*|[a-z0-9][a-z0-9_.-]{0,63}))$`)
)

// ValidID returns why a text cannot be the id of an agent, or nil.
func ValidID(id string) error {
	if !idForm.MatchString(id) || slices.Contains(reserved, id) {
		return fmt.Errorf("is %.80q; write 1 to 64 of a-z, 0-9 and -, beginning with a letter or digit, and none of %q", id, reserved)
	}
	return nil
}

// Wrong is an error about one field of a definition.
type Wrong struct{ Field, Problem string }

// Error names the field.
func (w *Wrong) Error() string { return w.Field + " " + w.Problem }

// Validate returns a *Wrong that names the field, its limits and the fix.
func (d Definition) Validate() error {
	if err := ValidID(d.ID); err != nil {
		return &Wrong{"id", err.Error()}
	}
	for field, text := range map[string]string{"name": d.Name, "description": d.Description} {
		if len(text) > maxWords {
			return &Wrong{field, fmt.Sprintf("has %d bytes; write at most %d", len(text), maxWords)}
		}
	}
	if n := len(d.Capabilities); n < 1 || n > maxCapabilities {
		return &Wrong{"capabilities", fmt.Sprintf("has %d entries; write 1 to %d", n, maxCapabilities)}
	}
	for i, c := range d.Capabilities {
		at := fmt.Sprintf("capabilities[%d].", i)
		switch {
		case !capabilityForm.MatchString(c.Name):
			return &Wrong{at + "name", fmt.Sprintf("is %.80q; write 1 to 64 of a-z, 0-9, _ . and -", c.Name)}
		case strings.HasPrefix(c.Name, hostly):
			return &Wrong{at + "name", fmt.Sprintf("is %.80q; names that begin with %q are capabilities of the host, so take another", c.Name, hostly)}
		case slices.ContainsFunc(d.Capabilities[:i], func(o Capability) bool { return o.Name == c.Name }):
			return &Wrong{at + "name", fmt.Sprintf("is %q as that of another; give each its own", c.Name)}
		case len(c.Approval) > maxDomains || slices.ContainsFunc(c.Approval, func(d string) bool { return !domainForm.MatchString(d) }):
			return &Wrong{at + "approval", fmt.Sprintf("is %.200q; write at most %d domains such as finance, each of 1 to 32 of a-z, 0-9, _ and -", c.Approval, maxDomains)}
		case len(c.Description) > maxWords:
			return &Wrong{at + "description", fmt.Sprintf("has %d bytes; write at most %d", len(c.Description), maxWords)}
		}
	}
	for i, domain := range d.Required {
		if !slices.ContainsFunc(d.Capabilities, func(c Capability) bool { return slices.Contains(c.Approval, domain) }) {
			return &Wrong{fmt.Sprintf("require_approval[%d]", i), fmt.Sprintf("is %.40q, and no capability is in that domain; write it into approval of one, or take it out", domain)}
		}
		if slices.Contains(d.Required[:i], domain) {
			return &Wrong{fmt.Sprintf("require_approval[%d]", i), fmt.Sprintf("is %.40q again; write each domain once", domain)}
		}
	}
	if len(d.Calls) > maxPatterns {
		return &Wrong{"calls", fmt.Sprintf("has %d entries; write at most %d", len(d.Calls), maxPatterns)}
	}
	for i, p := range d.Calls {
		if !patternForm.MatchString(p) {
			return &Wrong{fmt.Sprintf("calls[%d]", i), fmt.Sprintf(`is %.140q; write an agent and a capability, such as "writer/draft", "writer/*" or "*"`, p)}
		}
	}
	return d.ranges()
}

// Domains returns the approval domains of a capability, and those of them in which the agent itself
// wants a person's approval.
func (d Definition) Domains(capability string) (all, required []string) {
	for _, c := range d.Capabilities {
		if c.Name == capability {
			all = c.Approval
		}
	}
	for _, domain := range all {
		if slices.Contains(d.Required, domain) {
			required = append(required, domain)
		}
	}
	return all, required
}

func (d Definition) ranges() error {
	q := d.Quota
	for _, err := range []error{
		bounds.Check("", bounds.Of("autonomy", d.Autonomy, levelAlone, levelManages), bounds.Of("idle", d.Idle, time.Second, 24*time.Hour)),
		bounds.Check("limits.",
			bounds.Of("concurrent", q.Concurrent, 1, 1_000),
			bounds.Of("time", q.Time, time.Second, time.Hour),
			bounds.Of("cpu", q.CPU, time.Second, time.Hour),
			bounds.Of("memory_mb", q.Memory>>20, 16, 1<<20),
			bounds.Of("tokens", q.Tokens, 1, 100_000_000),
			bounds.Of("dollars", float64(q.Micros)/1e6, 0, maxMicros/1e6),
			bounds.Of("total_tokens", q.TotalTokens, 0, 1_000_000_000_000),
			bounds.Of("total_dollars", float64(q.TotalMicros)/1e6, 0, maxMicros/1e6),
			bounds.Of("inner_calls", q.InnerCalls, 0, 1_000_000),
			bounds.Of("inner_tokens", q.InnerTokens, 0, 1_000_000_000_000),
			bounds.Of("inner_dollars", float64(q.InnerMicros)/1e6, 0, maxMicros/1e6),
			bounds.Of("inner_cpu", q.InnerCPU, 0, 1000*time.Hour),
			bounds.Of("inner_mb", q.InnerStored>>20, 0, 1<<30),
			bounds.Of("memories", q.Memories, 1, 10_000),
			bounds.Of("spawned", q.Spawned, 0, 1_000),
		),
	} {
		var wrong *bounds.Error
		if asBounds(err, &wrong) {
			return &Wrong{wrong.Name, wrong.Problem}
		}
	}
	return nil
}

// capability finds a capability by its name.
func (d Definition) capability(name string) bool {
	return slices.ContainsFunc(d.Capabilities, func(c Capability) bool { return c.Name == name })
}

// MayCall reports whether the file names a target in calls.
func (d Definition) MayCall(t Target) bool { return anyMatches(d.Calls, t.Name()) }

// Target is a capability of an agent: agent://writer/draft.
type Target struct {
	Agent      string `json:"agent"`
	Capability string `json:"capability"`
}

// scheme begins the address of a capability.
const scheme = "agent://"

// ParseTarget reads an address of a capability on this host: agent://ID/capability, or
// ID/capability.
func ParseTarget(text string) (Target, error) {
	id, capability, found := strings.Cut(strings.TrimPrefix(text, scheme), "/")
	switch {
	case strings.Contains(id, ":") || strings.Contains(id, "."):
		return Target{}, fmt.Errorf("%.200q is an address on another host, and here one of this host is needed: agent://ID/CAPABILITY", text)
	case !found || ValidID(id) != nil || !capabilityForm.MatchString(capability):
		return Target{}, fmt.Errorf("%.200q is no address of a capability; write agent://ID/CAPABILITY", text)
	}
	return Target{id, capability}, nil
}

// String returns the address.
func (t Target) String() string { return scheme + t.Name() }

// Name returns what patterns match.
func (t Target) Name() string { return t.Agent + "/" + t.Capability }

// matches reports whether a pattern covers a name: "*" all, "writer/*" all of the writer.
func matches(pattern, name string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, head)
	}
	return pattern == name
}

func anyMatches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}
