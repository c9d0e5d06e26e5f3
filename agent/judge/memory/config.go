package memory

import "fmt"

// Config is what an operator can set about memory.
type Config struct {
	// On has a judge with a model learn from its cases and recall them. Off: nothing is read or written.
	On bool `koanf:"on"`
	// Recall is how many earlier cases a judge is shown at most, 0 to 8; 0: it learns and is shown none.
	Recall int `koanf:"recall"`
	// Keep is how many rounds are remembered, 1 to 10000; the oldest are forgotten.
	Keep int `koanf:"keep"`
	// Least is the cosine of two tasks below which they have nothing to do with each other, 0 to 1.
	Least float64 `koanf:"least"`
}

// DefaultConfig recalls three cases. What the cosines of like and unlike tasks are: go test ./agent/judge/memory -run Alike -v.
func DefaultConfig() Config { return Config{On: true, Recall: 3, Keep: 1000, Least: 0.35} }

// Validate names the field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	switch {
	case c.Recall < 0 || c.Recall > 8:
		return fmt.Errorf("memory: recall is %d; set it to 0 to 8", c.Recall)
	case c.Keep < 1 || c.Keep > 10_000:
		return fmt.Errorf("memory: keep is %d; set it to 1 to 10000", c.Keep)
	case !(c.Least >= 0 && c.Least <= 1): // also NaN
		return fmt.Errorf("memory: least is %g; set it to 0 to 1", c.Least)
	}
	return nil
}
