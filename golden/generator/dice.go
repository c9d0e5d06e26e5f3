package generator

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// dice draws numbers from a seed, for ever the same: SHA-256 over the seed, a label and a counter.
// It uses integers only.
type dice struct {
	seed  [32]byte
	label string
	count uint64
	words [4]uint64
	left  int
}

// roll returns the dice of one purpose. Dice with another label are independent of it.
func roll(seed [32]byte, label string) *dice { return &dice{seed: seed, label: label} }

// word draws 64 bits.
func (d *dice) word() uint64 {
	if d.left == 0 {
		raw := append([]byte("oju:dice:v1"), d.seed[:]...)
		raw = binary.LittleEndian.AppendUint64(raw, d.count)
		sum := sha256.Sum256(append(raw, d.label...))
		for i := range d.words {
			d.words[i] = binary.LittleEndian.Uint64(sum[8*i:])
		}
		d.count, d.left = d.count+1, len(d.words)
	}
	d.left--
	return d.words[d.left]
}

// below draws a number from 0 to n-1.
func (d *dice) below(n int) int {
	if n <= 0 {
		panic("generator: nothing to draw from")
	}
	high, _ := bits.Mul64(d.word(), uint64(n))
	return int(high)
}

// from draws a number from least to most.
func (d *dice) from(least, most int) int { return least + d.below(most-least+1) }

// chance is true in so many of 100 draws.
func (d *dice) chance(percent int) bool { return d.below(100) < percent }

// pick draws one of several.
func pick[T any](d *dice, of ...T) T { return of[d.below(len(of))] }

// some draws n different elements in random order.
func some[T any](d *dice, of []T, n int) []T {
	all := append([]T(nil), of...)
	for i := range n {
		k := i + d.below(len(all)-i)
		all[i], all[k] = all[k], all[i]
	}
	return all[:n]
}

// two draws two different indexes, the lower one first.
func (d *dice) two(n int) (int, int) {
	a, b := d.below(n), d.below(n-1)
	if b >= a {
		b++
	}
	return min(a, b), max(a, b)
}
