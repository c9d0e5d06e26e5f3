package journal

import (
	"errors"
	"fmt"

	"ojud/ledger/journal/durable"
)

// checkSpace refuses to write when the disk is nearly full.
func (c Config) checkSpace() error {
	if c.MinFree == 0 {
		return nil
	}
	free, err := durable.Free(c.Dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return fmt.Errorf("free space of %s: %w", c.Dir, err)
	case free < c.MinFree:
		return fmt.Errorf("%w: %d MiB are free on the disk of %s, the journal wants %d MiB; make room, then start again",
			ErrDiskFull, free>>20, c.Dir, c.MinFree>>20)
	}
	return nil
}

// asked asks Disk whether it fails.
func (c Config) asked(synced bool) error {
	if c.Disk == nil {
		return nil
	}
	return c.Disk(synced)
}
