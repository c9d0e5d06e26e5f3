package blob

import "fmt"

// Config is everything an operator can set. Start from DefaultConfig.
type Config struct {
	// Dir holds the content. It is made if it does not exist, readable by its owner alone.
	Dir string `koanf:"dir"`
	// Quota is how many bytes of content are kept.
	Quota uint64 `koanf:"quota_bytes"`
	// MaxBlob is the size in bytes of the largest content. The protocol has 1 MiB (section 9).
	MaxBlob int `koanf:"max_blob_bytes"`
	// MinFree is how many bytes have to stay free on the disk of Dir. Content is evicted for it as
	// for the quota.
	MinFree uint64 `koanf:"min_free_bytes"`
}

// DefaultConfig suits a judge's node. Dir has to be set.
func DefaultConfig() Config {
	return Config{Quota: 4 << 30, MaxBlob: 1 << 20, MinFree: 128 << 20}
}

// Validate names the first field that is out of its range.
func (c Config) Validate() error {
	switch {
	case c.Dir == "":
		return fmt.Errorf("blob: Config.Dir is empty, set it to a directory for content")
	case c.MaxBlob < 1 || c.MaxBlob > 64<<20:
		return fmt.Errorf("blob: Config.MaxBlob is %d, set it to 1..%d bytes", c.MaxBlob, 64<<20)
	case c.Quota < uint64(c.MaxBlob) || c.Quota > 1<<44:
		return fmt.Errorf("blob: Config.Quota is %d, set it to %d..%d bytes", c.Quota, c.MaxBlob, uint64(1)<<44)
	case c.MinFree > 1<<40:
		return fmt.Errorf("blob: Config.MinFree is %d, set it to at most %d bytes", c.MinFree, uint64(1)<<40)
	}
	return nil
}
