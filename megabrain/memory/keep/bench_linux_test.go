package keep

import (
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ojud/megabrain/memory"
)

const million = 1_000_000

// fill writes n promises at once, without artifacts.
func fill(b *testing.B, n *Node, count int) {
	b.Helper()
	for at := 0; at < count; {
		batch := make([]*addition, min(50_000, count-at))
		for i := range batch {
			p := memory.Promise{Size: 4096, From: 1, Until: 1 << 30}
			binary.BigEndian.PutUint64(p.Hash[:], uint64(at+i))
			batch[i] = &addition{promise: p}
		}
		if err := n.promises.write(batch); err != nil {
			b.Fatal(err)
		}
		for i, a := range batch {
			if err := n.index.add(int64(at+i), a.promise, 0); err != nil {
				b.Fatal(err)
			}
		}
		at += len(batch)
	}
}

// forgotten has the kernel forget what it remembers of files, so that reads come from the disk.
func forgotten(b *testing.B, files ...*os.File) {
	b.Helper()
	for _, f := range files {
		if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProve proves that an artifact is among 1,000,000, with files that the kernel remembers
// and with files that it was made to forget, beside the floor: two reads of the disk. It fails if
// the median is above 1 ms. Run it with
//
//	go test ./megabrain/memory/keep -run '^$' -bench Prove -benchtime 2000x
func BenchmarkProve(b *testing.B) {
	n, err := Open(b.TempDir(), newKey("node"), DefaultConditions(), func() int64 { return 1000 }, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = n.Close() }() // of the second opening
	began := time.Now()
	fill(b, n, million)
	b.Logf("%d promises written in %v", million, time.Since(began))
	measure := func(name string, cold bool, work func(at int64)) {
		b.Run(name, func(b *testing.B) {
			times := make([]time.Duration, 0, b.N)
			for range b.N {
				if cold {
					forgotten(b, n.promises.entries, n.promises.hashes)
				}
				at := rand.Int64N(million)
				start := time.Now()
				work(at)
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			median := times[len(times)/2]
			b.ReportMetric(float64(median.Nanoseconds())/1e3, "µs/median")
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "µs/p99")
			if median > time.Millisecond {
				b.Errorf("the median is %v; a proof takes 1 ms at most", median)
			}
		})
	}
	read := func(at int64) {
		raw := make([]byte, blockBytes)
		if _, err := n.promises.entries.ReadAt(raw[:memory.LeafSize], at*int64(memory.LeafSize)); err != nil {
			b.Fatal(err)
		}
		if _, err := n.promises.hashes.ReadAt(raw, at/2*32); err != nil {
			b.Fatal(err)
		}
	}
	prove := func(at int64) {
		var hash memory.Digest
		binary.BigEndian.PutUint64(hash[:], uint64(at))
		in, err := n.Prove(hash)
		if err != nil || in.Index != at {
			b.Fatalf("%v: %d", err, in.Index)
		}
	}
	measure("floor/remembered", false, read)
	measure("prove/remembered", false, prove)
	measure("floor/disk", true, read)
	measure("prove/disk", true, prove)
	if err := n.Close(); err != nil {
		b.Fatal(err)
	}
	began = time.Now()
	if n, err = Open(n.dir, newKey("node"), DefaultConditions(), n.now, n.log); err != nil {
		b.Fatal(err)
	}
	b.Logf("opened and verified in %v", time.Since(began))
}
