package trader

import (
	"fmt"
	"time"

	"ojud/agent/work"
	"ojud/ledger/onchain"
	"ojud/node/library"
)

// BrainFile is the name of the settings file of an agent of MegaBrain.
const BrainFile = "brain.toml"

// The roles of agents of MegaBrain.
const (
	BrainWorker    = "megabrain-worker"
	BrainEvaluator = "megabrain-evaluator"
)

// brainSettings are the settings of an agent of MegaBrain.
type brainSettings struct {
	Role     string          `toml:"role"`
	AtOnce   int             `toml:"at_once"`
	Withdraw string          `toml:"withdraw"`
	Dispute  bool            `toml:"dispute"`
	Appeal   string          `toml:"appeal"`
	Missing  bool            `toml:"missing_is_no_effort"`
	Memory   []string        `toml:"memory"`
	Poll     string          `toml:"poll"`
	Budget   bounds          `toml:"budget"`
	Classes  []classSettings `toml:"class"`
}

// classSettings are the settings of a class that an agent serves.
type classSettings struct {
	Address string `toml:"address"`
	Stake   string `toml:"stake"`
	Least   string `toml:"least"`
	dutySettings
}

// BrainPlan is what the settings of an agent of MegaBrain say.
type BrainPlan struct {
	Role     string
	AtOnce   int
	Withdraw uint64 // earnings from which on they are taken
	Dispute  bool   // false outcomes, if that pays
	Appeal   uint64 // the most that an appeal against a golden task may cost; 0: none
	Missing  bool   // post outcomes in which a result that nobody shows is no effort
	Memory   []string
	Budget   work.Budget
	Classes  []BrainClass
	Poll     time.Duration
}

// BrainClass is a class that an agent serves.
type BrainClass struct {
	At       onchain.Address
	Stake    uint64
	Least    uint64 // budget of a task under which the agent hands in nothing
	Attempts int
	Duty     Duty
}

// ReadBrain reads the settings of an agent of MegaBrain, as ReadWork does.
func ReadBrain(path string) (BrainPlan, error) {
	raw, err := library.ReadFile(path, maxSettings)
	if err != nil {
		return BrainPlan{}, err
	}
	return parseBrain(path, raw)
}

// parseBrain is ReadBrain for the bytes of a file.
func parseBrain(name string, raw []byte) (plan BrainPlan, err error) {
	s := brainSettings{AtOnce: 1, Withdraw: "0.01sol", Dispute: true, Appeal: "0sol"}
	if err := decode(name, raw, &s, "role, at_once, withdraw, dispute, appeal, missing_is_no_effort, memory, poll, the table budget (loss, tokens, dollars) and tables class (address, stake, least, command, agent, agent_home, agent_tokens, agent_dollars, instructions, time, cpu, memory_mb, attempts)"); err != nil {
		return plan, err
	}
	p := &problem{name: name, raw: raw}
	p.number("at_once", s.AtOnce, 1, maxAtOnce)
	if s.Role != BrainWorker && s.Role != BrainEvaluator {
		p.at("role", "is %.40q; give %q or %q", s.Role, BrainWorker, BrainEvaluator)
	}
	if len(s.Memory) > maxSkills {
		p.at("memory", "has %d nodes; name at most %d", len(s.Memory), maxSkills)
	}
	if s.Budget.Stake != "" {
		p.at("budget.stake", "is %.40q; each class says what is staked, so leave it out", s.Budget.Stake)
	}
	if len(s.Classes) == 0 || len(s.Classes) > maxSkills {
		p.at("class", "is there %d times; write 1 to %d tables [[class]]", len(s.Classes), maxSkills)
	}
	plan = BrainPlan{
		Role: s.Role, AtOnce: s.AtOnce, Withdraw: max(1, p.amount("withdraw", s.Withdraw)), Dispute: s.Dispute, Appeal: p.amount("appeal", s.Appeal), Missing: s.Missing, Memory: s.Memory,
		Budget: p.budget(s.Budget), Poll: p.span("poll", s.Poll, poll, 100*time.Millisecond, time.Hour),
	}
	for n, c := range s.Classes {
		field := func(name string) string { return fmt.Sprintf("class[%d].%s", n, name) }
		at, bad := onchain.ParseAddress(c.Address)
		stake := p.amount(field("stake"), c.Stake)
		switch {
		case bad != nil:
			p.at(field("address"), "is %.60q; give the address of a class, such as \"ojud brain class create\" prints it", c.Address)
		case stake == 0:
			p.at(field("stake"), "is missing; say what the agent stakes, such as stake = \"1sol\"")
		}
		for _, other := range plan.Classes {
			if other.At == at {
				p.at(field("address"), "is that of an earlier class; name each once")
			}
		}
		plan.Classes = append(plan.Classes, BrainClass{At: at, Stake: stake, Least: p.amount(field("least"), c.Least), Attempts: p.attempts(field, c.Attempts), Duty: p.duty(field, c.dutySettings)})
	}
	return plan, p.err
}
