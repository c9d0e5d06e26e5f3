package voting

import "ojud/voting/turn"

// rankOf returns the place of a node in the order of the nodes that try op, from 0.
func rankOf(seats []Seat, judge Key, task Key, round uint8, op Op, target uint8) int {
	judges := make([]Key, len(seats))
	for i := range seats {
		judges[i] = seats[i].Judge
	}
	return turn.Work[Key]{Subject: task, Round: round, Op: uint8(op), Target: target}.Of(judges, judge)
}

// Rank is the same for work outside of rounds. A node without a judge comes behind all judges.
func Rank(judges []Key, self, subject Key) int {
	return turn.Work[Key]{Subject: subject}.Of(judges, self)
}
