package schema

import "fmt"

// Limits bound what a schema and a value can make a check spend.
type Limits struct {
	// SchemaBytes bounds the text of a schema.
	SchemaBytes int `koanf:"schema_bytes"`
	// ValueBytes bounds the text of a value.
	ValueBytes int `koanf:"value_bytes"`
	// Depth bounds how many arrays and objects of a text are inside each other.
	Depth int `koanf:"depth"`
	// Values bounds the JSON values in a text, names of members included.
	Values int `koanf:"values"`
	// PatternBytes bounds one regular expression.
	PatternBytes int `koanf:"pattern_bytes"`
	// PatternSize bounds all regular expressions of a schema together, in RE2 instructions.
	PatternSize int `koanf:"pattern_size"`
	// Steps bounds a check: one step is one schema applied to one value, or 64 instruction-bytes of a pattern.
	Steps int `koanf:"steps"`
	// Violations bounds how many are listed.
	Violations int `koanf:"violations"`
}

// DefaultLimits kept the worst check tried to half a second on two cores that a dozen other processes used:
// go test ./agent/schema -run xxx -bench Worst.
func DefaultLimits() Limits {
	return Limits{
		SchemaBytes: 64 << 10, ValueBytes: 1 << 20, Depth: 64, Values: 100_000,
		PatternBytes: 512, PatternSize: 20_000, Steps: 200_000, Violations: 8,
	}
}

// Validate names the field that is wrong, its limits, and what to do.
func (l Limits) Validate() error {
	for _, f := range []struct {
		name               string
		value, least, most int
	}{
		{"schema_bytes", l.SchemaBytes, 1 << 10, 1 << 20},
		{"value_bytes", l.ValueBytes, 1 << 10, 16 << 20},
		{"depth", l.Depth, 4, 256},
		{"values", l.Values, 16, 1_000_000},
		{"pattern_bytes", l.PatternBytes, 1, 4096},
		{"pattern_size", l.PatternSize, 1, 200_000},
		{"steps", l.Steps, 1000, 10_000_000},
		{"violations", l.Violations, 1, 64},
	} {
		if f.value < f.least || f.value > f.most {
			return fmt.Errorf("schema: %s is %d; set it to %d to %d", f.name, f.value, f.least, f.most)
		}
	}
	return nil
}
