package journal

import (
	"encoding/binary"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
)

const cursorSize = 8 + 64

// SetCursor keeps how far the watcher's occurrences were taken care of.
func (j *Journal) SetCursor(c ledger.Cursor) error {
	return j.write("cursor", item{[]byte{cursorKind}, append(binary.LittleEndian.AppendUint64(nil, c.Slot), c.Signature[:]...)})
}

// Cursor returns what SetCursor kept last; the zero Cursor when nothing was.
func (j *Journal) Cursor() (ledger.Cursor, error) {
	b, err := j.read([]byte{cursorKind})
	if err != nil || b == nil {
		return ledger.Cursor{}, err
	}
	c, err := decodeCursor(b)
	if err != nil {
		return ledger.Cursor{}, corrupt(j.cfg.Dir, err)
	}
	return c, nil
}

func decodeCursor(b []byte) (ledger.Cursor, error) {
	if len(b) != cursorSize {
		return ledger.Cursor{}, fmt.Errorf("cursor of %d bytes", len(b))
	}
	return ledger.Cursor{Slot: binary.LittleEndian.Uint64(b), Signature: onchain.Signature(b[8:])}, nil
}
