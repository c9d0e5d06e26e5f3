package blob

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"ojud/ledger/journal/durable"
	"ojud/voting"
)

// BenchmarkPut measures the cost of keeping 1 KiB, beside its floor: a durable file in a directory
// that is there. Run it with
//
//	go test ./ledger/journal/blob -run '^$' -bench Put -benchtime 2000x
func BenchmarkPut(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "file")
		for b.Loop() {
			if err := durable.WriteFile(path, make([]byte, 1<<10)); err != nil {
				b.Fatal(err)
			}
		}
	})
	s, err := Open(Config{Dir: b.TempDir(), Quota: 1 << 30, MaxBlob: 1 << 20, MinFree: 1 << 20}, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	serial, content := uint64(0), make([]byte, 1<<10)
	next := func() []byte {
		serial++
		binary.LittleEndian.PutUint64(content, serial)
		return content
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Put(next()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("there", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Put(content); err != nil {
				b.Fatal(err)
			}
		}
	})
	owner := voting.Key{1}
	b.Run("pin", func(b *testing.B) {
		for b.Loop() {
			serial++
			var hash voting.Hash
			binary.LittleEndian.PutUint64(hash[:], serial)
			if err := s.Pin(owner, hash); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pinned", func(b *testing.B) {
		if err := s.Pin(owner, voting.Hash{1}); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := s.Pin(owner, voting.Hash{1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
