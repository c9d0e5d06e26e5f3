package agent

import (
	"fmt"
	"time"

	"ojud/config/bounds"
	"ojud/schema"
)

// Config bounds a run. A minion's run has its own bounds, and the time of the run that called it.
type Config struct {
	// Steps bounds the steps of a run.
	Steps int `koanf:"steps"`
	// Calls bounds the calls of tools and minions in a run. Further calls are answered with an
	// error.
	Calls int `koanf:"calls"`
	// StepCalls bounds the calls of a step. Further calls are answered with an error.
	StepCalls int `koanf:"step_calls"`
	// Repeats bounds how often the same call is made. The next one is answered with an error, and
	// the one after it ends the run.
	Repeats int `koanf:"repeats"`
	// Repairs bounds the unusable answers of a model. After each the model is told the reason and
	// asked again; one more ends the run.
	Repairs int `koanf:"repairs"`
	// InputBytes bounds the input, the context, the parameters, an extra input, and a result of the
	// run, each.
	InputBytes int `koanf:"input_bytes"`
	// ResultBytes bounds an answer of a tool or a minion. A longer one counts as an error.
	ResultBytes int `koanf:"result_bytes"`
	// TotalBytes bounds all texts, calls, results and extra inputs of a run together.
	TotalBytes int `koanf:"total_bytes"`
	// Offers bounds the tools and minions of a run.
	Offers int `koanf:"offers"`
	// Extras bounds the extra inputs that wait for the agent.
	Extras int `koanf:"extras"`
	// Depth bounds the nesting of minions.
	Depth int `koanf:"depth"`
	// Time bounds a run.
	Time time.Duration `koanf:"time"`
	// Schema bounds the schemas of agents and tools, and the cost of checks with them.
	Schema schema.Limits `koanf:"schema"`
}

// DefaultConfig has room for about ten data requests, within the 420 seconds before a judge must
// commit.
func DefaultConfig() Config {
	return Config{
		Steps: 16, Calls: 32, StepCalls: 8, Repeats: 2, Repairs: 3,
		InputBytes: 512 << 10, ResultBytes: 32 << 10, TotalBytes: 512 << 10, Offers: 32, Extras: 8, Depth: 3,
		Time: 5 * time.Minute, Schema: schema.DefaultLimits(),
	}
}

// Validate returns an error that names the wrong field, its limits and the fix.
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
