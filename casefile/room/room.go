// Package room shares the room of a file among those who want to put content into it.
package room

import (
	"cmp"
	"encoding/base64"
	"maps"
	"slices"
)

// Room is room for content in base64. Content stands in it once.
type Room[H comparable] struct {
	Content map[H][]byte
	Missing []H   // what is not here, or has no room
	Err     error // the first one of get that does not say that content is absent

	left   int
	get    func(H) ([]byte, error)
	absent func(error) bool
	seen   map[H]bool
	queues map[string][]H
}

// New returns room for so many bytes. Content has to come from get.
func New[H comparable](bytes int, get func(H) ([]byte, error), absent func(error) bool) *Room[H] {
	var zero H
	return &Room[H]{Content: map[H][]byte{}, left: bytes, get: get, absent: absent, seen: map[H]bool{zero: true}, queues: map[string][]H{}}
}

// Take puts content of at most so many bytes into the room, and returns what it costs.
func (r *Room[H]) Take(hash H, most int) (cost int) {
	if r.seen[hash] || r.Err != nil {
		return 0
	}
	r.seen[hash] = true
	content, err := r.get(hash)
	cost = base64.StdEncoding.EncodedLen(len(content)) + 128
	switch {
	case err != nil && r.absent(err), err == nil && (len(content) > most || cost > r.left):
		r.Missing = append(r.Missing, hash)
		return 0
	case err != nil:
		r.Err = err
		return 0
	}
	r.left -= cost
	r.Content[hash] = content
	return cost
}

// Queue adds content that an owner wants to put in.
func (r *Room[H]) Queue(owner string, hashes ...H) {
	if len(hashes) > 0 {
		r.queues[owner] = append(r.queues[owner], hashes...)
	}
}

// Share gives what is left to the owners: the one with the least so far has the next turn. So no
// owner can take the room of the others.
func (r *Room[H]) Share(most int) {
	owners := slices.Sorted(maps.Keys(r.queues))
	used := map[string]int{}
	for len(owners) > 0 && r.Err == nil {
		next := slices.MinFunc(owners, func(a, b string) int { return cmp.Compare(used[a], used[b]) })
		used[next] += r.Take(r.queues[next][0], most)
		if r.queues[next] = r.queues[next][1:]; len(r.queues[next]) == 0 {
			owners = slices.DeleteFunc(owners, func(o string) bool { return o == next })
		}
	}
}
