package keep

import (
	"container/heap"
	"hash/maphash"

	"ojud/megabrain/memory"
)

// index knows at which place of the log an artifact has its longest promise. Its caller holds a
// lock.
type index struct {
	seed  maphash.Seed
	short map[uint64]uint32        // by a hash that strangers do not know
	long  map[memory.Digest]uint32 // those whose short hash is taken by another
	read  func(int64) (memory.Promise, error)
	terms terms
	bytes int64           // of artifacts that are kept
	room  int64           // that they count as
	kept  int64           // how many
	gone  []memory.Digest // to be erased
}

func newIndex(read func(int64) (memory.Promise, error)) *index {
	return &index{seed: maphash.MakeSeed(), short: map[uint64]uint32{}, long: map[memory.Digest]uint32{}, read: read}
}

// minRoom is what the smallest artifact counts as: a block of the disk, and its part of folders, of
// the log and of what a file system knows of a file.
const minRoom = 8 << 10

// room is what an artifact of size bytes counts as in the quota.
func room(size int64) int64 { return max(size, minRoom) }

func (x *index) key(hash memory.Digest) uint64 { return maphash.Bytes(x.seed, hash[:]) }

// find returns the longest promise of an artifact.
func (x *index) find(hash memory.Digest) (at int64, p memory.Promise, ok bool, err error) {
	if n, there := x.long[hash]; there {
		p, err = x.read(int64(n))
		return int64(n), p, err == nil, err
	}
	n, there := x.short[x.key(hash)]
	if !there {
		return 0, p, false, nil
	}
	p, err = x.read(int64(n))
	return int64(n), p, err == nil && p.Hash == hash, err
}

// add takes a promise of the log. The artifact is kept until its longest promise is over; promises
// that were over before horizon are taken out first.
func (x *index) add(at int64, p memory.Promise, horizon int64) error {
	if err := x.expire(horizon); err != nil {
		return err
	}
	old, before, known, err := x.find(p.Hash)
	if err != nil {
		return err
	}
	if known && before.Until >= p.Until {
		return nil
	}
	short := x.key(p.Hash)
	if n, taken := x.short[short]; taken && (!known || int64(n) != old) {
		x.long[p.Hash] = uint32(at)
	} else {
		x.short[short] = uint32(at)
	}
	if known && before.Until >= horizon { // its longer promise counts
		x.bytes -= before.Size
		x.room -= room(before.Size)
		x.kept--
	}
	if p.Until >= horizon {
		x.bytes += p.Size
		x.room += room(p.Size)
		x.kept++
		heap.Push(&x.terms, term{p.Until, uint32(at)})
	}
	return nil
}

// expire takes out promises that were over before horizon. Artifacts that no longer promise covers
// are in gone.
func (x *index) expire(horizon int64) error {
	for len(x.terms) > 0 && x.terms[0].until < horizon {
		at := int64(x.terms[0].at)
		p, err := x.read(at)
		if err != nil {
			return err
		}
		now, _, _, err := x.find(p.Hash)
		if err != nil {
			return err
		}
		heap.Pop(&x.terms)
		if now == at {
			x.bytes -= p.Size
			x.room -= room(p.Size)
			x.kept--
			x.gone = append(x.gone, p.Hash)
		}
	}
	return nil
}

// term is when a promise is over.
type term struct {
	until int64
	at    uint32
}

// terms is a heap, the first that is over on top.
type terms []term

func (t terms) Len() int           { return len(t) }
func (t terms) Less(i, j int) bool { return t[i].until < t[j].until }
func (t terms) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// Push implements heap.Interface.
func (t *terms) Push(v any) { *t = append(*t, v.(term)) }

// Pop implements heap.Interface.
func (t *terms) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}
