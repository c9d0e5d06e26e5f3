package schema

import "ojud/config/bounds"

// Limits bound the cost of a schema and of a check.
type Limits struct {
	// SchemaBytes bounds the text of a schema.
	SchemaBytes int `koanf:"schema_bytes"`
	// SchemaValues bounds the JSON values in a schema, including the names of members.
	SchemaValues int `koanf:"schema_values"`
	// ValueBytes bounds the text of a value.
	ValueBytes int `koanf:"value_bytes"`
	// Depth bounds how deep arrays and objects of a text are nested.
	Depth int `koanf:"depth"`
	// Values bounds the JSON values in a value, including the names of members.
	Values int `koanf:"values"`
	// PatternBytes bounds one regular expression.
	PatternBytes int `koanf:"pattern_bytes"`
	// PatternSize bounds all regular expressions of a schema together, in RE2 instructions.
	PatternSize int `koanf:"pattern_size"`
	// Steps bounds a check. A step is one schema applied to one value, or eight values compared, or
	// 64 instruction-bytes of a pattern: about a microsecond.
	Steps int `koanf:"steps"`
	// Violations bounds how many violations are listed.
	Violations int `koanf:"violations"`
}

// DefaultLimits returns limits that keep the most expensive check below a second of processor
// time. To measure it: go test ./schema -run xxx -bench Worst.
func DefaultLimits() Limits {
	return Limits{
		SchemaBytes: 64 << 10, SchemaValues: 8000, ValueBytes: 1 << 20, Depth: 64, Values: 100_000,
		PatternBytes: 512, PatternSize: 20_000, Steps: 200_000, Violations: 8,
	}
}

// Validate returns an error that names the wrong field, its limits and the fix.
func (l Limits) Validate() error {
	return bounds.Check("schema: ",
		bounds.Of("schema_bytes", l.SchemaBytes, 1<<10, 1<<20),
		bounds.Of("schema_values", l.SchemaValues, 16, 40_000),
		bounds.Of("value_bytes", l.ValueBytes, 1<<10, 16<<20),
		bounds.Of("depth", l.Depth, 4, 256),
		bounds.Of("values", l.Values, 16, 1_000_000),
		bounds.Of("pattern_bytes", l.PatternBytes, 1, 4096),
		bounds.Of("pattern_size", l.PatternSize, 1, 200_000),
		bounds.Of("steps", l.Steps, 1000, 10_000_000),
		bounds.Of("violations", l.Violations, 1, 64),
	)
}
