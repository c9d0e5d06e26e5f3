package journal

import (
	"errors"
	"fmt"

	"ojud/ledger/journal/durable"
)

// checkSpace refuses to write when the disk is nearly full.
func (c Config) checkSpace() error {
	return c.need(c.MinFree, "free some space, then start the node again")
}

// roomToClose refuses to close Badger if its buffers may not fit on the disk. Badger maps the file
// that it writes them to, so a lack of room is a SIGBUS instead of an error.
func (c Config) roomToClose() error {
	return c.need(uint64(3*c.MemTable), "it was closed like after a power cut; nothing acknowledged is lost")
}

// need returns ErrDiskFull with a remark if the disk has fewer bytes.
func (c Config) need(bytes uint64, remark string) error {
	if c.MinFree == 0 {
		return nil
	}
	free, err := durable.Free(c.Dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return fmt.Errorf("free space of %s: %w", c.Dir, err)
	case free < bytes:
		return fmt.Errorf("%w: %d MiB are free on the disk of %s, the journal needs %d MiB; %s", ErrDiskFull, free>>20, c.Dir, bytes>>20, remark)
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
