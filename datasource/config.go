package datasource

import (
	"errors"
	"time"

	"ojud/config/bounds"
)

// Config is what an operator can set about sources.
type Config struct {
	// Dir is the folder of source files, relative to the node's home.
	Dir string `koanf:"dir"`
	// Poll is how often the folder is looked at, 100ms to 1h.
	Poll time.Duration `koanf:"poll"`
	// CacheBytes bounds the memory for answers that may be given again, 0 (none) to 1 GiB.
	CacheBytes int `koanf:"cache_bytes"`
}

// DefaultConfig looks at "sources" every second and keeps 32 MiB of answers.
func DefaultConfig() Config {
	return Config{Dir: "sources", Poll: time.Second, CacheBytes: 32 << 20}
}

// Validate names the field that is wrong, its limits, and what to do.
func (c Config) Validate() error {
	if c.Dir == "" {
		return errors.New("datasource: dir is empty; set it to the folder of source files, such as \"sources\"")
	}
	return bounds.Check("datasource: ",
		bounds.Of("poll", c.Poll, 100*time.Millisecond, time.Hour),
		bounds.Of("cache_bytes", c.CacheBytes, 0, 1<<30),
	)
}
