package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// MaxJudges is the most entries that a Roster can have.
const MaxJudges = voting.MaxJudges

// Window is for how many slots a seed slot can be drawn with, and so for how long the Roster can tell what a judge had then (ADR 0020).
const Window = 512

const (
	rosterHeadSize  = 64
	rosterEntrySize = 216
)

// Roster is the list of all judges and the account that holds what they have at stake: rent + TotalStake + TotalRewards +
// Carry + Pots. Amounts are lamports.
type Roster struct {
	Bump         uint8
	Active       uint32 // entries in state Active
	TotalStake   uint64
	TotalRewards uint64        // not yet claimed
	Carry        uint64        // won by nobody; joins the pot of the next round that has a majority
	Pots         uint64        // sum of the pots of open cases
	Entries      []RosterEntry // used or free, at most MaxJudges
}

// EntryState is the state of a Roster entry.
type EntryState uint8

// The states of an entry.
const (
	EntryFree EntryState = iota
	EntryActive
	EntryExiting
)

// String names s for people.
func (s EntryState) String() string { return name("state", uint8(s), "free", "active", "exiting") }

// RosterEntry is one judge.
type RosterEntry struct {
	Authority   solana.PublicKey
	Peer        voting.Key // node key
	Operator    solana.PublicKey
	Stake       uint64
	Rewards     uint64
	Locked      uint64 // sum of the weights of its live seats
	ExitAt      int64  // 0, or when the stake may leave
	JoinedAt    int64
	Seated      uint32 // rounds, settled
	Majority    uint32
	Minority    uint32
	Absent      uint32
	Abstained   uint32
	Equivocated uint32
	Live        uint16 // unsettled rounds in which it is seated
	State       EntryState
	Fresh       uint64 // lamports of the stake that were added in FreshSlot
	FreshSlot   uint64 // when the judge joined, or last topped up
	ExitSlot    uint64 // 0, or when it began to leave
	Lost        uint64 // lamports slashed in the window of LostSlot
	LostBefore  uint64 // lamports slashed in the window before that
	LostSlot    uint64 // 0, or when it was last slashed
}

// RosterSize is the size in bytes of a Roster with that many entries.
func RosterSize(entries int) int { return rosterHeadSize + rosterEntrySize*entries }

// AccountName returns "Roster".
func (*Roster) AccountName() string { return "Roster" }

// Encode returns the account's bytes.
func (r *Roster) Encode() []byte { return encode(r) }

// DecodeRoster decodes a Roster account; ErrAccount if the bytes are none.
func DecodeRoster(data []byte) (*Roster, error) { return decodeAs[Roster](data) }

func (r *Roster) walk(w *walk) {
	w.head("Roster", &r.Bump)
	count := uint32(len(r.Entries))
	u32(w.at(12), "count", &count)
	w.within("count", uint64(count), 0, MaxJudges)
	u32(w.at(16), "active", &r.Active)
	u64(w.at(24), "total_stake", &r.TotalStake)
	u64(w.at(32), "total_rewards", &r.TotalRewards)
	u64(w.at(40), "carry", &r.Carry)
	u64(w.at(48), "pots", &r.Pots)
	many(w.at(rosterHeadSize), "entries", "RosterEntry", int(count), rosterEntrySize, &r.Entries)
}

func (e *RosterEntry) walk(w *walk) {
	key(w, "authority", &e.Authority)
	key(w.at(32), "peer", &e.Peer)
	key(w.at(64), "operator", &e.Operator)
	u64(w.at(96), "stake", &e.Stake)
	u64(w.at(104), "rewards", &e.Rewards)
	u64(w.at(112), "locked", &e.Locked)
	i64(w.at(120), "exit_at", &e.ExitAt)
	i64(w.at(128), "joined_at", &e.JoinedAt)
	u32(w.at(136), "seated", &e.Seated)
	u32(w.at(140), "majority", &e.Majority)
	u32(w.at(144), "minority", &e.Minority)
	u32(w.at(148), "absent", &e.Absent)
	u32(w.at(152), "abstained", &e.Abstained)
	u32(w.at(156), "equivocated", &e.Equivocated)
	u16(w.at(160), "live", &e.Live)
	u8(w.at(162), "state", &e.State)
	w.within("state", uint64(e.State), 0, uint64(EntryExiting))
	u64(w.at(168), "fresh", &e.Fresh)
	u64(w.at(176), "fresh_slot", &e.FreshSlot)
	u64(w.at(184), "exit_slot", &e.ExitSlot)
	u64(w.at(192), "lost", &e.Lost)
	u64(w.at(200), "lost_before", &e.LostBefore)
	u64(w.at(208), "lost_slot", &e.LostSlot)
}
