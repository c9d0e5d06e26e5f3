package judge

import (
	"fmt"
	"time"

	"ojud/agent/judge/memory"
	"ojud/config/bounds"
	"ojud/voting"
)

// Config is what an operator can set about judging.
type Config struct {
	// Kind is which judge the node runs: KindCode, KindModel, or KindScripted for tests, which bring their own.
	Kind string `koanf:"kind"`
	// Persona is how a judge with a model looks at cases: the name of a shipped persona, or a file that ends in .toml; empty: in no special way.
	Persona string `koanf:"persona"`
	// Personas are further ones: of all that are named, a case is judged by the one that weighs its class of tasks the most, the first of those that weigh it
	// alike. At most 28.
	Personas []string `koanf:"personas"`
	// Parallel is how many cases are judged at once, 1 to 64. The others wait, and their deadlines run.
	Parallel int `koanf:"max_parallel_cases"`
	// Grace is how long Close waits for judges that were told to stop, at most a minute.
	Grace time.Duration `koanf:"close_timeout"`
	// Limits bound what code checks spend on one case.
	Limits Limits `koanf:"limits"`
	// Reasoning is how a judge with a model decides.
	Reasoning Reasoning `koanf:"reasoning"`
	// Recaller is what a judge with a model learns from its cases.
	Memory memory.Config `koanf:"memory"`
}

// The values of Config.Kind.
const (
	KindCode     = "code"
	KindModel    = "model"
	KindScripted = "scripted"
)

// maxPersonas is how many ways of judging a node has: as many as the largest panel has seats.
const maxPersonas = voting.MaxSeats

// Limits bound what hostile documents can make the code checks spend. A schema beyond them counts as one that code cannot
// read: it then decides nothing, for or against.
type Limits struct {
	// SchemaBytes bounds output_schema in canonical form.
	SchemaBytes int `koanf:"schema_bytes"`
	// SchemaValues bounds the JSON values in it, including the names of members.
	SchemaValues int `koanf:"schema_values"`
	// PatternBytes bounds one regular expression.
	PatternBytes int `koanf:"pattern_bytes"`
	// PatternSize bounds all regular expressions of a schema together, in RE2 instructions.
	PatternSize int `koanf:"pattern_size"`
	// Steps bounds a validation: one step is one schema applied to one value, or 64 instruction-bytes of a pattern.
	Steps int `koanf:"steps"`
	// Errors bounds the violations that a finding lists.
	Errors int `koanf:"max_errors"`
}

// DefaultConfig runs the code checks alone.
func DefaultConfig() Config {
	return Config{Kind: KindCode, Parallel: 4, Grace: 5 * time.Second, Limits: DefaultLimits(), Reasoning: DefaultReasoning(),
		Memory: memory.DefaultConfig()}
}

// DefaultLimits returns limits that keep the most expensive validation below a second of processor
// time. To measure it: go test ./schema -run xxx -bench Worst.
func DefaultLimits() Limits {
	return Limits{SchemaBytes: 64 << 10, SchemaValues: 8000, PatternBytes: 512, PatternSize: 20_000, Steps: 400_000, Errors: 8}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	if c.Kind != KindCode && c.Kind != KindModel && c.Kind != KindScripted {
		return fmt.Errorf("judge: kind is %q; set it to %q or %q (%q is for tests)", c.Kind, KindCode, KindModel, KindScripted)
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
		bounds.Of("limits.schema_bytes", c.Limits.SchemaBytes, 1<<10, 256<<10),
		bounds.Of("limits.schema_values", c.Limits.SchemaValues, 16, 40_000),
		bounds.Of("limits.pattern_bytes", c.Limits.PatternBytes, 1, 4096),
		bounds.Of("limits.pattern_size", c.Limits.PatternSize, 1, 200_000),
		bounds.Of("limits.steps", c.Limits.Steps, 1000, 10_000_000),
		bounds.Of("limits.max_errors", c.Limits.Errors, 1, 16),
	)
}

// New builds the judge that the configuration names, if it asks no model: package chair builds those. A scripted judge is brought by the
// test that needs it.
func New(c Config) (Judge, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Kind != KindCode {
		return nil, fmt.Errorf("judge: kind %q is not made here: package chair makes judges with a model, a test hands its judge to the node", c.Kind)
	}
	return NewCode(c.Limits), nil
}
