package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// CaseSize is the size in bytes of a Case account.
const CaseSize = 2_960

const (
	caseHeadSize = 272
	seatSize     = 96
)

// Case is one dispute. Times are Unix seconds of the chain's clock, amounts lamports.
type Case struct {
	Bump          uint8
	Status        voting.Status
	Round         uint8
	Verdict       voting.Verdict
	Committed     uint8 // how many of Seats
	Revealed      uint8
	Rules         voting.Rules // copied from Config when the case opened
	Task          solana.PublicKey
	Payer         solana.PublicKey // gets the rent back
	OpenedAt      int64
	SeedSlot      uint64 // the draw uses the first SlotHashes entry of this slot or later
	DrawnSlot     uint64
	SlotHash      voting.Hash // of DrawnSlot
	DrawBy        int64
	CommitEnds    int64
	RevealEnds    int64
	SettledAt     int64 // 0 before the case is decided
	SeatedWeight  uint64
	AcceptWeight  uint64
	RejectWeight  uint64
	AbstainWeight uint64
	Pot           uint64 // slashed in this case and not yet distributed; the lamports are in the Roster
	Seats         []Seat // drawn in this round, at most 28; in Draw after a void round those of the round before
}

// Seat is a judge drawn into a round.
type Seat struct {
	Judge      solana.PublicKey
	Commitment voting.Hash
	Weight     uint64 // snapshot at the draw
	Slashed    uint64 // set by settlement
	Earned     uint64 // set by settlement
	Index      uint16 // of the Roster entry
	Choice     voting.Choice
	Flags      SeatFlags
	Result     voting.Result
}

// SeatFlags say what a seat did; a set of bits.
type SeatFlags uint8

// What a seat did.
const (
	SeatCommitted SeatFlags = 1 << iota
	SeatRevealed
	SeatEquivocated
)

// AccountName returns "Case".
func (*Case) AccountName() string { return "Case" }

// Encode returns the account's bytes.
func (c *Case) Encode() []byte { return encode(c) }

// DecodeCase decodes a Case account; ErrAccount if the bytes are none.
func DecodeCase(data []byte) (*Case, error) { return decodeAs[Case](data) }

func (c *Case) walk(w *walk) {
	w.head("Case", &c.Bump)
	seats := uint8(len(c.Seats))
	c.state(w, &seats)
	key(w.at(24), "task", &c.Task)
	key(w.at(56), "payer", &c.Payer)
	i64(w.at(88), "opened_at", &c.OpenedAt)
	u64(w.at(96), "seed_slot", &c.SeedSlot)
	u64(w.at(104), "drawn_slot", &c.DrawnSlot)
	hash(w.at(112), "slot_hash", &c.SlotHash)
	i64(w.at(144), "draw_by", &c.DrawBy)
	i64(w.at(152), "commit_ends", &c.CommitEnds)
	i64(w.at(160), "reveal_ends", &c.RevealEnds)
	i64(w.at(168), "settled_at", &c.SettledAt)
	u64(w.at(176), "seated_weight", &c.SeatedWeight)
	u64(w.at(184), "accept_weight", &c.AcceptWeight)
	u64(w.at(192), "reject_weight", &c.RejectWeight)
	u64(w.at(200), "abstain_weight", &c.AbstainWeight)
	u64(w.at(208), "pot", &c.Pot)
	c.terms(w)
	places(w.at(caseHeadSize), "panel", "Seat", int(seats), voting.MaxSeats, seatSize, &c.Seats)
}

func (c *Case) state(w *walk, seats *uint8) {
	u8(w.at(10), "status", &c.Status)
	w.within("status", uint64(c.Status), uint64(voting.AwaitingDraw), uint64(voting.EndedUndecided))
	u8(w.at(11), "round", &c.Round)
	w.within("round", uint64(c.Round), 1, voting.MaxRounds)
	u8(w.at(12), "verdict", &c.Verdict)
	w.within("verdict", uint64(c.Verdict), 0, uint64(voting.Undecided))
	u8(w.at(13), "seats", seats)
	w.within("seats", uint64(*seats), 0, voting.MaxSeats)
	u8(w.at(14), "committed", &c.Committed)
	w.within("committed", uint64(c.Committed), 0, uint64(*seats))
	u8(w.at(15), "revealed", &c.Revealed)
	w.within("revealed", uint64(c.Revealed), 0, uint64(*seats))
	u8(w.at(16), "max_rounds", &c.Rules.MaxRounds)
	w.within("max_rounds", uint64(c.Rules.MaxRounds), 1, voting.MaxRounds)
	u8(w.at(17), "panel_seats", &c.Rules.PanelSeats)
	w.within("panel_seats", uint64(c.Rules.PanelSeats), 1, voting.MaxSeats)
	u8(w.at(18), "min_seats", &c.Rules.MinSeats)
	u16(w.at(20), "draw_delay_slots", &c.Rules.DrawDelaySlots)
}

func (c *Case) terms(w *walk) {
	u32(w.at(216), "commit_seconds", &c.Rules.CommitSeconds)
	u32(w.at(220), "reveal_seconds", &c.Rules.RevealSeconds)
	u32(w.at(224), "evidence_seconds", &c.Rules.EvidenceSeconds)
	u32(w.at(228), "draw_seconds", &c.Rules.DrawSeconds)
	u16(w.at(232), "absent_bps", &c.Rules.AbsentBps)
	u16(w.at(234), "minority_bps", &c.Rules.MinorityBps)
	u16(w.at(236), "equivocation_bps", &c.Rules.EquivocationBps)
	u16(w.at(238), "abstain_bps", &c.Rules.AbstainBps)
	u16(w.at(240), "abstain_free", &c.Rules.AbstainFree)
}

func (s *Seat) walk(w *walk) {
	key(w, "judge", &s.Judge)
	hash(w.at(32), "commitment", &s.Commitment)
	u64(w.at(64), "weight", &s.Weight)
	u64(w.at(72), "slashed", &s.Slashed)
	u64(w.at(80), "earned", &s.Earned)
	u16(w.at(88), "index", &s.Index)
	u8(w.at(90), "choice", &s.Choice)
	w.within("choice", uint64(s.Choice), 0, uint64(voting.Abstain))
	u8(w.at(91), "flags", &s.Flags)
	w.within("flags", uint64(s.Flags), 0, uint64(SeatCommitted|SeatRevealed|SeatEquivocated))
	u8(w.at(92), "result", &s.Result)
	w.within("result", uint64(s.Result), 0, uint64(voting.Voted))
}
