package memory

import (
	"ojud/config/bounds"
)

// Config has the settings of a judge's memory.
type Config struct {
	// On lets a judge with a model learn from its cases and recall them. If it is false, nothing is
	// read or written.
	On bool `koanf:"enabled"`
	// Recall bounds the earlier cases that a judge sees, 0 to 8. With 0 it learns and sees none.
	Recall int `koanf:"max_recalled_cases"`
	// Keep bounds the remembered rounds, 1 to 10000. The oldest ones are forgotten.
	Keep int `koanf:"max_rounds"`
	// Least is the smallest similarity of two tasks at which the one reminds of the other: 0 is
	// nothing in common, 1 is the same words.
	Least float64 `koanf:"min_similarity"`
}

// DefaultConfig recalls three cases. go test ./agent/judge/memory -run Alike -v shows cosines.
func DefaultConfig() Config { return Config{On: true, Recall: 3, Keep: 1000, Least: 0.35} }

// Validate returns an error that names the wrong field, its limits and the fix.
func (c Config) Validate() error {
	return bounds.Check("memory: ", bounds.Of("max_recalled_cases", c.Recall, 0, 8), bounds.Of("max_rounds", c.Keep, 1, 10_000), bounds.Of("min_similarity", c.Least, 0, 1))
}
