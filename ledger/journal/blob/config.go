package blob

import (
	"errors"

	"ojud/config/bounds"
)

// Config is everything an operator can set. Start from DefaultConfig.
type Config struct {
	// Dir holds the content. It is made if it does not exist, readable by its owner alone.
	Dir string `koanf:"dir"`
	// Quota is how many bytes of content are kept.
	Quota uint64 `koanf:"quota_bytes"`
	// MaxBlob is the size in bytes of the largest document. The protocol allows 1 MiB.
	MaxBlob int `koanf:"max_blob_bytes"`
	// MinFree is how many bytes should stay free on the disk of Dir. To keep them free, old
	// documents are removed, as for the quota.
	MinFree uint64 `koanf:"min_free_bytes"`
}

// DefaultConfig suits a judge's node. Dir has to be set.
func DefaultConfig() Config {
	return Config{Quota: 4 << 30, MaxBlob: 1 << 20, MinFree: 128 << 20}
}

// Validate names the first field that is out of its range.
func (c Config) Validate() error {
	if c.Dir == "" {
		return errors.New("blobs: dir is empty; set it to a directory for content")
	}
	return bounds.Check("blobs: ",
		bounds.Of("max_blob_bytes", c.MaxBlob, 1, 64<<20),
		bounds.Of("quota_bytes", c.Quota, uint64(c.MaxBlob), 1<<44),
		bounds.Of("min_free_bytes", c.MinFree, 0, 1<<40),
	)
}
