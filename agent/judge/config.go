package judge

import (
	"fmt"
	"time"

	"ojud/agent/judge/memory"
	"ojud/config/bounds"
	"ojud/voting"
)

// Config has the settings of judging.
type Config struct {
	// Kind selects the judge: "code" decides what code can decide, and abstains otherwise; "model"
	// also asks the models.
	Kind string `koanf:"kind"`
	// Persona is the persona of a judge with a model: the name of a shipped one, or a file that
	// ends in .toml. If it is empty, the judge has none.
	Persona string `koanf:"persona"`
	// Personas are further personas, at most as many as a panel has seats. A case is judged by the
	// one that gives its class of tasks the most weight, and if several do, by the first of them.
	Personas []string `koanf:"personas"`
	// Parallel is the number of cases that are judged at once, 1 to 64. The others wait. The judge
	// abstains in the least worthwhile ones that it cannot judge in time.
	Parallel int `koanf:"max_parallel_cases"`
	// SOL is the price of one SOL in US dollars, 0 to 1000000, for a judge with more cases than
	// time: the worth of a case is the pay of its seat less the expected cost of the models. The
	// default is a guess. With 0 the worth is the pay alone.
	SOL float64 `koanf:"sol_price_usd"`
	// Grace is how long a node that ends waits for judges at work to stop, 0s to 1m.
	Grace time.Duration `koanf:"close_timeout"`
	// Limits bound the code checks of one case.
	Limits Limits `koanf:"limits"`
	// Reasoning has the settings of a judge with a model.
	Reasoning Reasoning `koanf:"reasoning"`
	// Memory has the settings of a judge's memory of its cases.
	Memory memory.Config `koanf:"memory"`
}

// The values of Config.Kind.
const (
	KindCode     = "code"
	KindModel    = "model"
	KindScripted = "scripted"
)

// maxPersonas is the number of personas of a node: one for each seat of the largest panel.
const maxPersonas = voting.MaxSeats

// Limits bound the cost of hostile documents. If a schema exceeds them, code cannot read it, and it
// decides nothing for or against a result.
type Limits struct {
	// SchemaBytes bounds output_schema in canonical form.
	SchemaBytes int `koanf:"schema_bytes"`
	// SchemaValues bounds the JSON values in output_schema, including the names of members.
	SchemaValues int `koanf:"schema_values"`
	// PatternBytes bounds one regular expression.
	PatternBytes int `koanf:"pattern_bytes"`
	// PatternSize bounds all regular expressions of a schema together, in RE2 instructions.
	PatternSize int `koanf:"pattern_size"`
	// Steps bounds the work of checking one value against a schema. A step takes about a
	// microsecond.
	Steps int `koanf:"steps"`
	// Errors bounds the violations that a finding lists.
	Errors int `koanf:"max_errors"`
}

// DefaultConfig returns the settings of a judge that runs code checks alone.
func DefaultConfig() Config {
	return Config{Kind: KindCode, Parallel: 4, SOL: 100, Grace: 5 * time.Second, Limits: DefaultLimits(), Reasoning: DefaultReasoning(),
		Memory: memory.DefaultConfig()}
}

// DefaultLimits returns limits that keep the most expensive validation below a second of processor
// time. To measure it: go test ./schema -run xxx -bench Worst.
func DefaultLimits() Limits {
	return Limits{SchemaBytes: 64 << 10, SchemaValues: 8000, PatternBytes: 512, PatternSize: 20_000, Steps: 400_000, Errors: 8}
}

// Validate returns an error that names the wrong field, its limits and the fix.
func (c Config) Validate() error {
	if c.Kind != KindScripted { // which is for tests
		if err := bounds.Check("judge: ", bounds.OneOf("kind", c.Kind, KindCode, KindModel)); err != nil {
			return err
		}
	}
	if err := c.Reasoning.Validate(); err != nil {
		return err
	}
	if err := c.Memory.Validate(); err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	if len(c.Personas) > maxPersonas {
		return fmt.Errorf("judge: personas has %d names; name at most %d", len(c.Personas), maxPersonas)
	}
	return bounds.Check("judge: ",
		bounds.Of("close_timeout", c.Grace, 0, time.Minute),
		bounds.Of("max_parallel_cases", c.Parallel, 1, 64),
		bounds.Of("sol_price_usd", c.SOL, 0, 1_000_000),
		bounds.Of("limits.schema_bytes", c.Limits.SchemaBytes, 1<<10, 256<<10),
		bounds.Of("limits.schema_values", c.Limits.SchemaValues, 16, 40_000),
		bounds.Of("limits.pattern_bytes", c.Limits.PatternBytes, 1, 4096),
		bounds.Of("limits.pattern_size", c.Limits.PatternSize, 1, 200_000),
		bounds.Of("limits.steps", c.Limits.Steps, 1000, 10_000_000),
		bounds.Of("limits.max_errors", c.Limits.Errors, 1, 16),
	)
}

// New returns a judge without models. Package chair makes those with a model.
func New(c Config) (Judge, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Kind != KindCode {
		return nil, fmt.Errorf("judge: package judge cannot make kind %q; package chair makes judges with a model, and tests bring their own", c.Kind)
	}
	return NewCode(c.Limits), nil
}
