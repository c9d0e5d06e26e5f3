package journal

import (
	"errors"
	"time"

	"ojud/config/bounds"
)

// Config is everything an operator can set. Start from DefaultConfig.
type Config struct {
	// Dir holds the journal. It is made if it does not exist, readable by its owner alone. Two
	// processes cannot share it.
	Dir string `koanf:"dir"`
	// MinFree is how many bytes have to be free on the disk of Dir for a write. Badger maps its
	// files into memory: a disk that fills up in the middle of a write kills the process (SIGBUS)
	// where an error could have stopped it in order.
	MinFree uint64 `koanf:"min_free_bytes"`
	// MemTable is the size in bytes of Badger's write buffer, of which two are kept. A write is at
	// most 15 % of it.
	MemTable int64 `koanf:"write_buffer_bytes"`
	// Cache is the size in bytes of Badger's block cache.
	Cache int64 `koanf:"cache_bytes"`
	// CollectEvery is how often what was deleted is looked for in the value log, to give its space
	// back.
	CollectEvery time.Duration `koanf:"collect_interval"`
	// Repair lets the node put a damaged database aside when it starts, and begin an empty one. Own
	// votes are restored from their second copy. It is off, because an operator should hear of a
	// damaged disk.
	Repair bool `koanf:"repair"`
	// Disk stands in for a disk that fails, in tests: it is asked before every write of the
	// database, with synced false, and when the write is on the disk, with synced true. Its error
	// becomes the write's. Nil: only the disk itself can fail.
	Disk func(synced bool) error `koanf:"-"`
	// unsynced turns synchronous writes off: the negative control of the power-cut test.
	unsynced bool
}

// DefaultConfig suits a judge's node. Dir has to be set.
func DefaultConfig() Config {
	return Config{
		MinFree:      64 << 20,
		MemTable:     8 << 20,
		Cache:        8 << 20,
		CollectEvery: 10 * time.Minute,
	}
}

// Validate names the first field that is out of its range.
func (c Config) Validate() error {
	if c.Dir == "" {
		return errors.New("journal: dir is empty; set it to a directory for the journal")
	}
	return bounds.Check("journal: ",
		bounds.Of("write_buffer_bytes", c.MemTable, 8<<20, 1<<30),
		bounds.Of("cache_bytes", c.Cache, 1<<20, 1<<30),
		bounds.Of("min_free_bytes", c.MinFree, 0, 1<<40),
		bounds.Of("collect_interval", c.CollectEvery, time.Second, 24*time.Hour),
	)
}
