package journal

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// tableOf is a file that ends as Badger's do.
func tableOf(t testing.TB, index []byte) []byte {
	t.Helper()
	sum, err := proto.Marshal(&pb.Checksum{Algo: pb.Checksum_CRC32C, Sum: y.CalculateChecksum(index, pb.Checksum_CRC32C)})
	if err != nil {
		t.Fatal(err)
	}
	out := binary.BigEndian.AppendUint32(append([]byte("blocks"), index...), uint32(len(index)))
	return binary.BigEndian.AppendUint32(append(out, sum...), uint32(len(sum)))
}

// FuzzTable: the end of a table is read within the file, and changed bytes of an index are noticed.
func FuzzTable(f *testing.F) {
	good := tableOf(f, []byte("an index"))
	f.Add(good, uint16(0))
	f.Add(good[:len(good)-1], uint16(0))
	f.Add(binary.BigEndian.AppendUint32(nil, 1<<31), uint16(0))
	f.Add(make([]byte, 64), uint16(0))
	f.Add([]byte("index"), uint16(2))
	path := filepath.Join(f.TempDir(), "000001.sst")
	f.Fuzz(func(t *testing.T, raw []byte, flip uint16) {
		check := func(b []byte) error {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			return checkTable(path)
		}
		if err := check(raw); err == nil && len(raw) < 9 {
			t.Fatalf("%x is a table", raw)
		}
		if len(raw) == 0 || len(raw) > 1<<10 {
			return
		}
		whole := tableOf(t, raw)
		if err := check(whole); err != nil {
			t.Fatal(err)
		}
		whole[len("blocks")+int(flip)%len(raw)] ^= 1 << (flip % 8)
		if err := check(whole); err == nil {
			t.Fatalf("a bit of %x was changed, and no check noticed it", raw)
		}
	})
}
