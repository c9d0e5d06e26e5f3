// Package turn says in which order nodes try work that any of them may do.
package turn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// Outsiders is how many places there are behind the judges for nodes without one.
const Outsiders = 16

// tag begins what the places of nodes are drawn from.
const tag = "oju:crank:v1"

// Work is a piece of work: an operation on the seat target of a round of a case, or on any subject.
type Work[K ~[32]byte] struct {
	Subject           K
	Round, Op, Target uint8
}

// Of returns the place of a node in the order of the nodes that try the work, from 0. The judges
// come first, in an order of their own for every piece of work, so that the work and its fees are
// shared and an absent node delays only some of it. Others follow, at places that may coincide.
func (w Work[K]) Of(judges []K, judge K) int {
	self := w.place(judge)
	before, listed := 0, false
	for _, j := range judges {
		if j == judge {
			listed = true
			continue
		}
		other := w.place(j)
		if bytes.Compare(other[:], self[:]) < 0 {
			before++
		}
	}
	if listed {
		return before
	}
	return len(judges) + int(binary.LittleEndian.Uint32(self[:4])%Outsiders)
}

// place is the number that a judge drew for one piece of work.
func (w Work[K]) place(judge K) [32]byte {
	b := make([]byte, 0, 96)
	b = append(b, tag...)
	b = append(b, w.Subject[:]...)
	b = append(b, w.Round, w.Op, w.Target)
	return sha256.Sum256(append(b, judge[:]...))
}
