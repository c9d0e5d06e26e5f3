package memory

import (
	"ojud/config/bounds"
)

// Config is what an operator can set about memory.
type Config struct {
	// On has a judge with a model learn from its cases and recall them. Off: nothing is read or written.
	On bool `koanf:"enabled"`
	// Recall is how many earlier cases a judge is shown at most, 0 to 8; 0: it learns and is shown none.
	Recall int `koanf:"max_recalled_cases"`
	// Keep is how many rounds are remembered, 1 to 10000; the oldest are forgotten.
	Keep int `koanf:"max_rounds"`
	// Least is the cosine of two tasks below which they have nothing to do with each other, 0 to 1.
	Least float64 `koanf:"min_similarity"`
}

// DefaultConfig recalls three cases. What the cosines of like and unlike tasks are: go test ./agent/judge/memory -run Alike -v.
func DefaultConfig() Config { return Config{On: true, Recall: 3, Keep: 1000, Least: 0.35} }

// Validate names the field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	return bounds.Check("memory: ", bounds.Of("max_recalled_cases", c.Recall, 0, 8), bounds.Of("max_rounds", c.Keep, 1, 10_000), bounds.Of("min_similarity", c.Least, 0, 1))
}
