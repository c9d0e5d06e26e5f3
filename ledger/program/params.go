package program

import (
	"fmt"

	"ojud/voting"
)

// bound is a range of protocol section 4.
type bound struct {
	name            string
	value           uint64
	lowest, highest uint64
}

// Validate checks the ranges that the program checks (protocol section 4), so that a mistake is found before a fee is paid.
// The error names the parameter.
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
