package trader

import (
	"cmp"
	"time"

	"ojud/agent/host"
)

// dutySettings say what does a work: a command, an agent of a host, or without both a model.
type dutySettings struct {
	Command      []string `toml:"command"`
	Instructions string   `toml:"instructions"`
	Time         string   `toml:"time"`
	CPU          string   `toml:"cpu"`
	MemoryMB     int      `toml:"memory_mb"`
	Attempts     int      `toml:"attempts"`
	agentSettings
}

// agentSettings name an agent of a host, and what one call of it may spend.
type agentSettings struct {
	Agent   string  `toml:"agent"`
	Home    string  `toml:"agent_home"`
	Tokens  int64   `toml:"agent_tokens"`
	Dollars float64 `toml:"agent_dollars"`
}

// Duty is what a maker of a skill needs besides the task.
type Duty struct {
	Command      []string
	Instructions string
	Agent        Employed
	Time         time.Duration
	CPU          time.Duration // of each process of a command
	Memory       int64         // bytes of each process of a command
}

// Employed is an agent of a host. The zero value is none.
type Employed struct {
	Address string // agent://ID/CAPABILITY
	Home    string // of the host; empty: the home of the settings
	Tokens  int64  // that one call may use; 0: what the file of the agent says
	Micros  uint64 // dollars, likewise
}

// attempts reads how often a result is made until one passes.
func (p *problem) attempts(field func(string) string, n int) int {
	n = cmp.Or(n, 2)
	p.number(field("attempts"), n, 1, 20)
	return n
}

// duty reads what does the work: a command, an agent, or a model with instructions.
func (p *problem) duty(field func(string) string, s dutySettings) Duty {
	command, instructions := s.Command, s.Instructions
	switch {
	case len(command) > 0 && s.Agent != "":
		p.at(field("agent"), "does the work, and so does a command; leave one of them out")
	case s.Agent != "" && instructions != "":
		p.at(field("instructions"), "is for a model, and the agent has those of its own file; leave one of them out")
	case len(command) > 0 && command[0] == "":
		p.at(field("command"), "names no program; give such as [\"./median\", \"--fast\"]")
	case len(instructions) > maxGuide:
		p.at(field("instructions"), "has %d bytes; give at most %d", len(instructions), maxGuide)
	case len(command) > 0 && instructions != "":
		p.at(field("instructions"), "is for a model, and there is a command; leave one of them out")
	}
	memory := cmp.Or(s.MemoryMB, 4096)
	p.number(field("memory_mb"), memory, 16, 1<<20)
	whole := p.span(field("time"), s.Time, 2*time.Minute, time.Second, 24*time.Hour)
	return Duty{command, instructions, p.employed(field, s.agentSettings), whole, p.span(field("cpu"), s.CPU, whole, time.Second, 24*time.Hour), int64(memory) << 20}
}

// employed reads which agent of a host does something.
func (p *problem) employed(field func(string) string, s agentSettings) Employed {
	if s.Agent == "" {
		if s.Home != "" || s.Tokens != 0 || s.Dollars != 0 {
			p.at(field("agent"), "is missing; name the agent that agent_home, agent_tokens and agent_dollars are for, such as \"agent://writer/draft\"")
		}
		return Employed{}
	}
	if _, err := host.ParseTarget(s.Agent); err != nil {
		p.at(field("agent"), "is %.120q; give agent://ID/CAPABILITY of a host of this machine", s.Agent)
	}
	if s.Tokens < 0 || s.Tokens > 1<<40 {
		p.at(field("agent_tokens"), "is %d; give 0 to %d", s.Tokens, int64(1)<<40)
	}
	if !(s.Dollars >= 0 && s.Dollars <= 1000) {
		p.at(field("agent_dollars"), "is %v; give 0 to 1000", s.Dollars)
	}
	return Employed{s.Agent, s.Home, s.Tokens, uint64(max(s.Dollars, 0) * 1e6)}
}
