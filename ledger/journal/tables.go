package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// checkTables looks at the end of every table that the MANIFEST names. Badger panics in a goroutine
// of its own over a table that was cut, and no caller can catch that. No crash cuts a table,
// because tables are synced before they are named.
func checkTables(o badger.Options) error {
	f, err := os.Open(filepath.Join(o.Dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a new journal
	}
	if err != nil {
		return err
	}
	defer f.Close()
	m, _, err := badger.ReplayManifestFile(f, o.ExternalMagicVersion, o)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	for id := range m.Tables {
		if err := checkTable(table.NewFilename(id, o.Dir)); err != nil {
			return err
		}
	}
	return nil
}

// maxTableIndex bounds how many bytes are read of a table: tables have about 2 MiB, their indices a
// few kilobytes.
const maxTableIndex = 64 << 20

// checkTable reads the index of a table against its checksum. The file ends with index, u32 length
// of it, checksum, u32 length of that, both big endian.
func checkTable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end := tail{f, info.Size()}
	sum, err := end.counted()
	if err != nil {
		return fmt.Errorf("table %s is cut: %w", path, err)
	}
	want := &pb.Checksum{}
	if err := proto.Unmarshal(sum, want); err != nil {
		return fmt.Errorf("table %s: checksum: %w", path, err)
	}
	index, err := end.counted()
	if err != nil {
		return fmt.Errorf("table %s is cut: %w", path, err)
	}
	if err := y.VerifyChecksum(index, want); err != nil {
		return fmt.Errorf("table %s: %w", path, err)
	}
	return nil
}

// tail reads a file from its end.
type tail struct {
	file io.ReaderAt
	left int64
}

func (t *tail) take(n int64) ([]byte, error) {
	if n > t.left || n > maxTableIndex {
		return nil, fmt.Errorf("%d bytes are announced, %d are there", n, t.left)
	}
	t.left -= n // a length of 0 is that of a file whose end reads as zeros
	if n == 0 {
		return nil, errors.New("its end is empty")
	}
	b := make([]byte, n)
	_, err := t.file.ReadAt(b, t.left)
	return b, err
}

// counted takes what lies before its length.
func (t *tail) counted() ([]byte, error) {
	n, err := t.take(4)
	if err != nil {
		return nil, err
	}
	return t.take(int64(binary.BigEndian.Uint32(n)))
}
