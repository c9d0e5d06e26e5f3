package program

import (
	"fmt"

	"ojud/voting"
)

// MaxJudges is the most entries that a Roster can have.
const MaxJudges = voting.MaxJudges

// Window is the number of slots for which a draw can use a seed slot. For as long, the Roster can
// tell what each judge had at stake in that slot (ADR 0020).
const Window = 512

// PageEntries is how many agents fit in a page of the registry: agent n is in page n / PageEntries.
const PageEntries = 128

// EngineOju is the only engine that this version of the program accepts.
const EngineOju uint8 = 0

// bound is a range of protocol section 4.
type bound struct {
	name            string
	value           uint64
	lowest, highest uint64
}

// Validate checks the ranges that the program checks (protocol section 4), so that a mistake is
// found before a fee is paid. The error names the parameter.
func (p Params) Validate() error {
	const month = 2_592_000
	for _, b := range []bound{
		{"max_rounds", uint64(p.MaxRounds), 1, voting.MaxRounds},
		{"panel_seats", uint64(p.PanelSeats), 1, voting.MaxSeats},
		{"min_seats", uint64(p.MinSeats), 1, uint64(p.PanelSeats)},
		{"max_seat_weight", p.MaxSeatWeight, 1, voting.MaxSeatWeight},
		{"min_stake", p.MinStake, 1, p.MaxSeatWeight},
		{"min_reward", p.MinReward, 1, 1<<64 - 1},
		{"commit_seconds", uint64(p.CommitSeconds), 1, 86_400},
		{"reveal_seconds", uint64(p.RevealSeconds), 1, 86_400},
		{"verify_seconds", uint64(p.VerifySeconds), 1, month},
		{"answer_seconds", uint64(p.AnswerSeconds), 1, month},
		{"draw_seconds", uint64(p.DrawSeconds), 1, 86_400},
		{"evidence_seconds", uint64(p.EvidenceSeconds), 0, month},
		{"cooldown_seconds", uint64(p.CooldownSeconds), p.leastCooldown(), 1<<32 - 1},
		{"bond_bps", uint64(p.BondBps), 0, 10_000},
		{"absent_bps", uint64(p.AbsentBps), 0, 10_000},
		{"minority_bps", uint64(p.MinorityBps), 0, 10_000},
		{"equivocation_bps", uint64(p.EquivocationBps), 0, 10_000},
		{"abstain_bps", uint64(p.AbstainBps), 0, 10_000},
		{"max_judges", uint64(p.MaxJudges), uint64(p.MinSeats), MaxJudges},
		{"draw_delay_slots", uint64(p.DrawDelaySlots), 1, 256},
		{"trade_bps", uint64(p.TradeBps), 0, 1_000},
		{"claim_bps", uint64(p.ClaimBps), 0, 2_000},
		{"min_work_seconds", uint64(p.MinWorkSeconds), 1, 86_400},
	} {
		if b.value < b.lowest || b.value > b.highest {
			return fmt.Errorf("program: parameter %s is %d, set it to %d..%d", b.name, b.value, b.lowest, b.highest)
		}
	}
	return nil
}

// leastCooldown is the time in which what a judge did can still be shown.
func (p Params) leastCooldown() uint64 {
	round := uint64(p.DrawSeconds) + uint64(p.CommitSeconds) + uint64(p.RevealSeconds)
	return uint64(p.EvidenceSeconds) + uint64(p.MaxRounds)*round
}

// DefaultParams are those of the main network (protocol section 4). Network has to be set.
func DefaultParams() Params {
	return Params{
		MinStake: 1_000_000_000, MaxSeatWeight: 10_000_000_000, MinBond: 1_000_000, MinReward: 1_000_000,
		CommitSeconds: 420, RevealSeconds: 180, VerifySeconds: 28_800, AnswerSeconds: 28_800,
		CooldownSeconds: 172_800, DrawSeconds: 1_800, EvidenceSeconds: 86_400, MinWorkSeconds: 60,
		BondBps: 500, AbsentBps: 50, MinorityBps: 100, EquivocationBps: 10_000, AbstainBps: 2_500, AbstainFree: 8,
		MaxJudges: voting.MaxJudges, DrawDelaySlots: 2, TradeBps: 50, ClaimBps: 200, MaxRounds: 3, PanelSeats: voting.MaxSeats, MinSeats: 7, MaxReworks: 3,
	}
}

// Rules are the parameters that a case copies when it opens.
func (p Params) Rules() voting.Rules {
	return voting.Rules{
		CommitSeconds: p.CommitSeconds, RevealSeconds: p.RevealSeconds, DrawSeconds: p.DrawSeconds, EvidenceSeconds: p.EvidenceSeconds,
		AbsentBps: p.AbsentBps, MinorityBps: p.MinorityBps, EquivocationBps: p.EquivocationBps,
		AbstainBps: p.AbstainBps, AbstainFree: p.AbstainFree,
		MaxRounds: p.MaxRounds, PanelSeats: p.PanelSeats, MinSeats: p.MinSeats, DrawDelaySlots: p.DrawDelaySlots,
	}
}
