package voting

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// outsiders is how many places there are behind the seats for nodes without one.
const outsiders = 16

// rankOf returns the place of a node in the order of the nodes that try op, from 0. The seats come
// first, in an order of their own for every case, round, op and target seat, so that the work and
// its fees are shared and an absent node delays only some of it. Nodes without a seat follow, at
// places that may coincide.
func rankOf(seats []Seat, judge Key, task Key, round uint8, op Op, target uint8) int {
	self := place(judge, task, round, op, target)
	rank, seated := 0, false
	for i := range seats {
		if seats[i].Judge == judge {
			seated = true
			continue
		}
		other := place(seats[i].Judge, task, round, op, target)
		if bytes.Compare(other[:], self[:]) < 0 {
			rank++
		}
	}
	if seated {
		return rank
	}
	return len(seats) + int(binary.LittleEndian.Uint32(self[:4])%outsiders)
}

// place is the number that judge drew for one piece of work.
func place(judge Key, task Key, round uint8, op Op, target uint8) Hash {
	b := make([]byte, 0, 96)
	b = append(b, tagCrank...)
	b = append(b, task[:]...)
	b = append(b, round, byte(op), target)
	return sha256.Sum256(append(b, judge[:]...))
}
