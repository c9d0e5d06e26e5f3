package datasource

import (
	"errors"
	"time"

	"ojud/config/bounds"
)

// Config holds the operator's settings for sources.
type Config struct {
	// Dir is the folder of source files. A relative path begins at the node's home.
	Dir string `koanf:"dir"`
	// PollInterval is how often the folder is read, 100ms to 1h.
	PollInterval time.Duration `koanf:"poll_interval"`
	// CacheBytes bounds the memory for answers that are returned again, 0 (none) to 1 GiB.
	CacheBytes int `koanf:"cache_bytes"`
}

// DefaultConfig reads "sources" every second and keeps 32 MiB of answers.
func DefaultConfig() Config {
	return Config{Dir: "sources", PollInterval: time.Second, CacheBytes: 32 << 20}
}

// Validate names the wrong setting, its limits, and the fix.
func (c Config) Validate() error {
	if c.Dir == "" {
		return errors.New("datasource: dir is empty; set it to the folder of source files, such as \"sources\"")
	}
	return bounds.Check("datasource: ",
		bounds.Of("poll_interval", c.PollInterval, 100*time.Millisecond, time.Hour),
		bounds.Of("cache_bytes", c.CacheBytes, 0, 1<<30),
	)
}
