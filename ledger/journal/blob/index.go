package blob

import (
	"container/list"

	"ojud/voting"
)

// index lists the content of the store, from the oldest to the newest, and its owners.
type index struct {
	entries map[voting.Hash]*list.Element // of *entry
	order   *list.List
	bytes   uint64
	pins    map[voting.Hash]map[voting.Key]bool // owners, also of content that is not here yet
	owners  map[voting.Key]*owner
	ranked  [ranks]uint64    // bytes of each rank
	payers  map[payer]uint64 // bytes of their owners
}

type entry struct {
	hash voting.Hash
	size uint64
	worth
}

type owner struct {
	Merit
	bytes  uint64 // of its content that is here
	hashes map[voting.Hash]bool
}

// payer is somebody who answers for content of a rank.
type payer struct {
	key  voting.Key
	rank Rank
}

func newIndex() index {
	return index{
		entries: map[voting.Hash]*list.Element{}, order: list.New(), pins: map[voting.Hash]map[voting.Key]bool{},
		owners: map[voting.Key]*owner{}, payers: map[payer]uint64{},
	}
}

func (x *index) has(hash voting.Hash) bool { return x.entries[hash] != nil }

func (x *index) entry(hash voting.Hash) *entry {
	if e := x.entries[hash]; e != nil {
		return e.Value.(*entry)
	}
	return nil
}

func (x *index) add(hash voting.Hash, size uint64) {
	x.remove(hash)
	e := &entry{hash: hash, size: size}
	x.entries[hash] = x.order.PushBack(e)
	x.bytes += size
	x.ranked[free] += size
	for key := range x.pins[hash] {
		x.count(x.owners[key], size, true)
	}
	x.weigh(hash)
}

func (x *index) remove(hash voting.Hash) {
	e := x.entries[hash]
	if e == nil {
		return
	}
	gone := x.order.Remove(e).(*entry)
	delete(x.entries, hash)
	x.bytes -= gone.size
	x.ranked[gone.rank] -= gone.size
	for key := range x.pins[hash] {
		x.count(x.owners[key], gone.size, false)
	}
}

// count notes that content of an owner has come or gone.
func (x *index) count(o *owner, size uint64, come bool) {
	p := payer{o.Payer, o.Rank}
	if come {
		o.bytes += size
		x.payers[p] += size
		return
	}
	o.bytes -= size
	if x.payers[p] -= size; x.payers[p] == 0 {
		delete(x.payers, p)
	}
}

// weigh finds the worth of content: that of its best owner.
func (x *index) weigh(hash voting.Hash) {
	e := x.entry(hash)
	if e == nil {
		return
	}
	best := worth{}
	for key := range x.pins[hash] {
		if w := x.owners[key].worth(); best.less(w) {
			best = w
		}
	}
	x.ranked[e.rank] -= e.size
	x.ranked[best.rank] += e.size
	e.worth = best
}

// renew makes an entry the newest.
func (x *index) renew(hash voting.Hash) bool {
	e := x.entries[hash]
	if e != nil {
		x.order.MoveToBack(e)
	}
	return e != nil
}

// least returns the least worthy entry that is worth less than w, the oldest of them, of those that
// may go; nil if there is none.
func (x *index) least(w worth, may func(*entry) bool) *entry {
	var found *entry
	for e := x.order.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*entry); c.less(w) && may(c) {
			if found, w = c, c.worth; c.worth == (worth{}) {
				break
			}
		}
	}
	return found
}

// owner returns the owner of that key, who is a stray if it is not known.
func (x *index) owner(key voting.Key) *owner {
	o := x.owners[key]
	if o == nil {
		o = &owner{Merit: Merit{Rank: Stray}, hashes: map[voting.Hash]bool{}}
		x.owners[key] = o
	}
	return o
}

func (x *index) rate(key voting.Key, s Merit) {
	o := x.owner(key)
	if o.Merit == s {
		return
	}
	size := o.bytes
	x.count(o, size, false)
	o.Merit = s
	x.count(o, size, true)
	for hash := range o.hashes {
		x.weigh(hash)
	}
}

func (x *index) pin(key voting.Key, hash voting.Hash) {
	if x.pins[hash][key] {
		return
	}
	if x.pins[hash] == nil {
		x.pins[hash] = map[voting.Key]bool{}
	}
	x.pins[hash][key] = true
	o := x.owner(key)
	o.hashes[hash] = true
	if e := x.entry(hash); e != nil {
		x.count(o, e.size, true)
		x.weigh(hash)
	}
}

// unpin forgets an owner and its pins.
func (x *index) unpin(key voting.Key) {
	o := x.owners[key]
	if o == nil {
		return
	}
	for hash := range o.hashes {
		if delete(x.pins[hash], key); len(x.pins[hash]) == 0 {
			delete(x.pins, hash)
		}
		if e := x.entry(hash); e != nil {
			x.count(o, e.size, false)
			x.weigh(hash)
		}
	}
	delete(x.owners, key)
}
