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
	judges := make([]Key, len(seats))
	for i := range seats {
		judges[i] = seats[i].Judge
	}
	return turnOf(judges, judge, task, round, op, target)
}

// Rank returns the place of a node in the order of the nodes of all judges that try work outside of
// rounds, from 0. The order is another one for every subject. A node without a judge comes behind
// them.
func Rank(judges []Key, self, subject Key) int { return turnOf(judges, self, subject, 0, 0, 0) }

func turnOf(judges []Key, judge Key, subject Key, round uint8, op Op, target uint8) int {
	self := place(judge, subject, round, op, target)
	before, listed := 0, false
	for _, j := range judges {
		if j == judge {
			listed = true
			continue
		}
		other := place(j, subject, round, op, target)
		if bytes.Compare(other[:], self[:]) < 0 {
			before++
		}
	}
	if listed {
		return before
	}
	return len(judges) + int(binary.LittleEndian.Uint32(self[:4])%outsiders)
}

// place is the number that judge drew for one piece of work.
func place(judge Key, task Key, round uint8, op Op, target uint8) Hash {
	b := make([]byte, 0, 96)
	b = append(b, tagCrank...)
	b = append(b, task[:]...)
	b = append(b, round, byte(op), target)
	return sha256.Sum256(append(b, judge[:]...))
}
