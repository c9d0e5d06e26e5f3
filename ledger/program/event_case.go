package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// CaseOpened: a draw is due. Also after a void round, and when draw moved seed_slot.
type CaseOpened struct {
	Task     solana.PublicKey
	Round    uint8
	SeedSlot uint64
	DrawBy   int64 // Unix seconds
	At       int64 // Unix seconds
}

// Drawn: a panel sits.
type Drawn struct {
	Task       solana.PublicKey
	Round      uint8
	Slot       uint64
	SlotHash   voting.Hash
	Weight     uint64      // of all seats
	CommitEnds int64       // Unix seconds
	Seats      []SeatIndex // in the order of the seats
}

// SeatIndex is the Roster entry of a seat.
type SeatIndex struct{ Index uint16 }

// Committed: a seat committed.
type Committed struct {
	Task       solana.PublicKey
	Round      uint8
	Seat       uint8
	Judge      solana.PublicKey
	Commitment voting.Hash
}

// Revealed: a seat's commitment was opened.
type Revealed struct {
	Task         solana.PublicKey
	Round        uint8
	Seat         uint8
	Judge        solana.PublicKey
	Choice       voting.Choice
	OpinionHash  voting.Hash
	ReceiptsRoot voting.Hash
	Salt         voting.Hash
}

// RoundSettled: a round ended.
type RoundSettled struct {
	Task    solana.PublicKey
	Round   uint8
	Verdict voting.Verdict // NoVerdict: void
	Accept  uint64
	Reject  uint64
	Abstain uint64
	Seated  uint64
	Pot     uint64 // shared now
	Bond    uint64 // of the loser
	At      int64  // Unix seconds
	Seats   []SeatSettled
}

// SeatSettled is what a round made of a seat.
type SeatSettled struct {
	Result  voting.Result
	Slashed uint64
	Earned  uint64
}

// Slashed: equivocation was shown. What settling slashes is in RoundSettled.
type Slashed struct {
	Task   solana.PublicKey
	Round  uint8
	Seat   uint8
	Judge  solana.PublicKey
	Amount uint64
}

var _ = []Event{(*CaseOpened)(nil), (*Drawn)(nil), (*Committed)(nil), (*Revealed)(nil), (*RoundSettled)(nil), (*Slashed)(nil)}

// Sizes of the items of vectors.
const (
	seatIndexSize   = 2
	seatSettledSize = 17
)

// EventName returns "CaseOpened".
func (*CaseOpened) EventName() string { return "CaseOpened" }

func (e *CaseOpened) walk(w *walk) {
	key(w, "task", &e.Task)
	round(w, &e.Round)
	u64(w, "seed_slot", &e.SeedSlot)
	i64(w, "draw_by", &e.DrawBy)
	i64(w, "at", &e.At)
}

// EventName returns "Drawn".
func (*Drawn) EventName() string { return "Drawn" }

func (e *Drawn) walk(w *walk) {
	key(w, "task", &e.Task)
	round(w, &e.Round)
	u64(w, "slot", &e.Slot)
	hash(w, "slot_hash", &e.SlotHash)
	u64(w, "weight", &e.Weight)
	i64(w, "commit_ends", &e.CommitEnds)
	vec(w, "seats", "u16", seatIndexSize, &e.Seats)
	seats(w, len(e.Seats))
}

func (s *SeatIndex) walk(w *walk) { u16(w, "index", &s.Index) }

// EventName returns "Committed".
func (*Committed) EventName() string { return "Committed" }

func (e *Committed) walk(w *walk) {
	key(w, "task", &e.Task)
	round(w, &e.Round)
	seat(w, &e.Seat)
	key(w, "judge", &e.Judge)
	hash(w, "commitment", &e.Commitment)
}

// EventName returns "Revealed".
func (*Revealed) EventName() string { return "Revealed" }

func (e *Revealed) walk(w *walk) {
	key(w, "task", &e.Task)
	round(w, &e.Round)
	seat(w, &e.Seat)
	key(w, "judge", &e.Judge)
	u8(w, "choice", &e.Choice)
	w.within("choice", uint64(e.Choice), uint64(voting.Accept), uint64(voting.Abstain))
	hash(w, "opinion_hash", &e.OpinionHash)
	hash(w, "receipts_root", &e.ReceiptsRoot)
	hash(w, "salt", &e.Salt)
}

// EventName returns "RoundSettled".
func (*RoundSettled) EventName() string { return "RoundSettled" }

func (e *RoundSettled) walk(w *walk) {
	key(w, "task", &e.Task)
	round(w, &e.Round)
	u8(w, "verdict", &e.Verdict)
	w.within("verdict", uint64(e.Verdict), 0, uint64(voting.Undecided))
	u64(w, "accept", &e.Accept)
	u64(w, "reject", &e.Reject)
	u64(w, "abstain", &e.Abstain)
	u64(w, "seated", &e.Seated)
	u64(w, "pot", &e.Pot)
	u64(w, "bond", &e.Bond)
	i64(w, "at", &e.At)
	vec(w, "seats", "SeatSettled", seatSettledSize, &e.Seats)
	seats(w, len(e.Seats))
}

func (s *SeatSettled) walk(w *walk) {
	u8(w, "result", &s.Result)
	w.within("result", uint64(s.Result), 0, uint64(voting.Voted))
	u64(w, "slashed", &s.Slashed)
	u64(w, "earned", &s.Earned)
}

// EventName returns "Slashed".
func (*Slashed) EventName() string { return "Slashed" }

func (e *Slashed) walk(w *walk) {
	key(w, "task", &e.Task)
	round(w, &e.Round)
	seat(w, &e.Seat)
	key(w, "judge", &e.Judge)
	u64(w, "amount", &e.Amount)
}

func round(w *walk, v *uint8) {
	u8(w, "round", v)
	w.within("round", uint64(*v), 1, voting.MaxRounds)
}

func seat(w *walk, v *uint8) {
	u8(w, "seat", v)
	w.within("seat", uint64(*v), 0, voting.MaxSeats-1)
}

func seats(w *walk, n int) { w.within("number of seats", uint64(n), 0, voting.MaxSeats) }
