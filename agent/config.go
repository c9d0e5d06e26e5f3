package agent

import (
	"fmt"
	"time"

	"ojud/config/bounds"
	"ojud/schema"
)

// Config bounds what a run may take. A minion's run has bounds of its own, and the time of the run that called it.
type Config struct {
	// Steps is how many steps a run may have.
	Steps int `koanf:"steps"`
	// Calls is how many calls of tools and minions a run may make; those beyond are answered with an error.
	Calls int `koanf:"calls"`
	// StepCalls is how many calls a step may make; those beyond are answered with an error.
	StepCalls int `koanf:"step_calls"`
	// Repeats is how often the same call is made. The next time it is answered with an error, and the time after that ends the run.
	Repeats int `koanf:"repeats"`
	// Repairs is how many answers of a model may be unusable: it is told why and asked again; one more ends the run.
	Repairs int `koanf:"repairs"`
	// InputBytes bounds the input, the context, the parameters, an extra input, and a result of the run, each.
	InputBytes int `koanf:"input_bytes"`
	// ResultBytes bounds what a tool or a minion answers; a longer one counts as an error.
	ResultBytes int `koanf:"result_bytes"`
	// TotalBytes bounds what a run says and hears: texts, calls, results, extra inputs.
	TotalBytes int `koanf:"total_bytes"`
	// Offers is how many tools and minions a run may have.
	Offers int `koanf:"offers"`
	// Extras is how many extra inputs may wait for the agent.
	Extras int `koanf:"extras"`
	// Depth is how deep minions may have minions.
	Depth int `koanf:"depth"`
	// Time bounds a run.
	Time time.Duration `koanf:"time"`
	// Schema bounds the schemas of agents and tools, and what checks with them cost.
	Schema schema.Limits `koanf:"schema"`
}

// DefaultConfig leaves room for about ten looks into data, within the 420 seconds in which a judge can commit.
func DefaultConfig() Config {
	return Config{
		Steps: 16, Calls: 32, StepCalls: 8, Repeats: 2, Repairs: 3,
		InputBytes: 512 << 10, ResultBytes: 32 << 10, TotalBytes: 512 << 10, Offers: 32, Extras: 8, Depth: 3,
		Time: 5 * time.Minute, Schema: schema.DefaultLimits(),
	}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	if err := bounds.Check("agent: ",
		bounds.Of("steps", c.Steps, 1, 200),
		bounds.Of("calls", c.Calls, 0, 10_000),
		bounds.Of("step_calls", c.StepCalls, 1, 64),
		bounds.Of("repeats", c.Repeats, 1, 100),
		bounds.Of("repairs", c.Repairs, 0, 100),
		bounds.Of("input_bytes", c.InputBytes, 1<<10, 16<<20),
		bounds.Of("result_bytes", c.ResultBytes, 256, 16<<20),
		bounds.Of("total_bytes", c.TotalBytes, 1<<10, 64<<20),
		bounds.Of("offers", c.Offers, 0, 100),
		bounds.Of("extras", c.Extras, 1, 64),
		bounds.Of("depth", c.Depth, 0, 8),
		bounds.Of("time", c.Time, time.Second, 24*time.Hour),
	); err != nil {
		return err
	}
	if err := c.Schema.Validate(); err != nil {
		return fmt.Errorf("agent: schema: %w", err)
	}
	return nil
}
