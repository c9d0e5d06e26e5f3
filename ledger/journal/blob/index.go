package blob

import (
	"container/list"

	"ojud/voting"
)

// index lists the content of the store, from the oldest to the newest.
type index struct {
	entries map[voting.Hash]*list.Element // of entry
	order   *list.List
	bytes   uint64
	pins    map[voting.Hash]map[voting.Key]bool // owners, also of content that is not here yet
}

type entry struct {
	hash voting.Hash
	size uint64
}

func newIndex() index {
	return index{entries: map[voting.Hash]*list.Element{}, order: list.New(), pins: map[voting.Hash]map[voting.Key]bool{}}
}

func (x *index) has(hash voting.Hash) bool { return x.entries[hash] != nil }

func (x *index) add(hash voting.Hash, size uint64) {
	x.remove(hash)
	x.entries[hash] = x.order.PushBack(entry{hash, size})
	x.bytes += size
}

func (x *index) remove(hash voting.Hash) {
	if e := x.entries[hash]; e != nil {
		x.bytes -= x.order.Remove(e).(entry).size
		delete(x.entries, hash)
	}
}

// renew makes an entry the newest.
func (x *index) renew(hash voting.Hash) bool {
	e := x.entries[hash]
	if e != nil {
		x.order.MoveToBack(e)
	}
	return e != nil
}

// oldest returns the first entry without a pin.
func (x *index) oldest() (entry, bool) {
	for e := x.order.Front(); e != nil; e = e.Next() {
		if found := e.Value.(entry); len(x.pins[found.hash]) == 0 {
			return found, true
		}
	}
	return entry{}, false
}

func (x *index) pin(owner voting.Key, hash voting.Hash) {
	if x.pins[hash] == nil {
		x.pins[hash] = map[voting.Key]bool{}
	}
	x.pins[hash][owner] = true
}

func (x *index) unpin(owner voting.Key, hash voting.Hash) {
	delete(x.pins[hash], owner)
	if len(x.pins[hash]) == 0 {
		delete(x.pins, hash)
	}
}
