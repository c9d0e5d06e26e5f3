package program

import (
	"crypto/sha256"
	"encoding/binary"

	"ojud/voting"
)

// factsPrefix begins what Facts hashes (protocol section 6).
const factsPrefix = "oju:facts:v1"

// Facts is the hash over what the chain knows of a case that is over: VerdictAccount.Facts.
func (p Program) Facts(t *Task, c *Case) voting.Hash {
	b := append([]byte(factsPrefix), p.id[:]...)
	b = append(b, c.Task[:]...)
	for _, h := range []voting.Hash{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash} {
		b = append(b, h[:]...)
	}
	b = binary.LittleEndian.AppendUint64(append(b, c.Round), c.DrawnSlot)
	b = append(append(b, c.SlotHash[:]...), byte(c.Verdict))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.SettledAt))
	b = appendSeats(append(b, byte(len(c.Seats))), c.Seats)
	if c.AppealSeats > 0 {
		first := sha256.Sum256(appendSeats(nil, c.First))
		b = append(append(b, c.FirstRound, byte(c.FirstVerdict), byte(len(c.First))), first[:]...)
	}
	return sha256.Sum256(b)
}

// appendSeats appends what Facts hashes of seats.
func appendSeats(b []byte, seats []Seat) []byte {
	for _, s := range seats {
		b = append(append(b, s.Judge[:]...), s.Commitment[:]...)
		b = append(binary.LittleEndian.AppendUint64(b, s.Weight), byte(s.Choice))
	}
	return b
}
