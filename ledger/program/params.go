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

// FirstRules is the number of the version of the rules that init_config makes.
const FirstRules uint32 = 1

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
		{"cooldown_seconds", uint64(p.CooldownSeconds), p.leastCooldown(), month},
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
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

func (b bound) check() error {
	if b.value < b.lowest || b.value > b.highest {
		return fmt.Errorf("program: parameter %s is %d, set it to %d..%d", b.name, b.value, b.lowest, b.highest)
	}
	return nil
}

// A version may shorten a time to leastSeconds and raise a loss to mostLoss, and not further
// (protocol section 4).
const (
	leastSeconds uint32 = 60
	mostLoss     uint16 = 1_000
)

// After returns the parameters that may follow old and are nearest to these.
func (p Params) After(old Params) Params {
	for _, t := range []struct {
		value  *uint32
		before uint32
	}{
		{&p.CommitSeconds, old.CommitSeconds}, {&p.RevealSeconds, old.RevealSeconds}, {&p.VerifySeconds, old.VerifySeconds},
		{&p.AnswerSeconds, old.AnswerSeconds}, {&p.DrawSeconds, old.DrawSeconds}, {&p.EvidenceSeconds, old.EvidenceSeconds},
	} {
		*t.value = max(*t.value, min(leastSeconds, t.before))
	}
	p.CooldownSeconds = max(p.CooldownSeconds, old.CooldownSeconds, uint32(p.leastCooldown()))
	p.AbsentBps, p.MinorityBps = min(p.AbsentBps, max(mostLoss, old.AbsentBps)), min(p.MinorityBps, max(mostLoss, old.MinorityBps))
	return p
}

// Follows checks the ranges of a version after the first, relative to the version before it
// (protocol section 4).
func (p Params) Follows(old Params) error {
	time := func(name string, value, before uint32) bound {
		return bound{name, uint64(value), uint64(min(leastSeconds, before)), 1<<32 - 1}
	}
	share := func(name string, value, before uint16) bound {
		return bound{name, uint64(value), 0, uint64(max(mostLoss, before))}
	}
	for _, b := range []bound{
		time("commit_seconds", p.CommitSeconds, old.CommitSeconds),
		time("reveal_seconds", p.RevealSeconds, old.RevealSeconds),
		time("verify_seconds", p.VerifySeconds, old.VerifySeconds),
		time("answer_seconds", p.AnswerSeconds, old.AnswerSeconds),
		time("draw_seconds", p.DrawSeconds, old.DrawSeconds),
		time("evidence_seconds", p.EvidenceSeconds, old.EvidenceSeconds),
		{"cooldown_seconds", uint64(p.CooldownSeconds), uint64(old.CooldownSeconds), 1<<32 - 1},
		share("absent_bps", p.AbsentBps, old.AbsentBps),
		share("minority_bps", p.MinorityBps, old.MinorityBps),
	} {
		if err := b.check(); err != nil {
			return fmt.Errorf("%w after the rules that are in force now", err)
		}
	}
	return p.Validate()
}

// InForce reports whether this version is in force at a time of the chain.
func (r *Rules) InForce(now int64) bool { return r.From <= now && (r.Until == 0 || now < r.Until) }

// leastCooldown is the time in which what a judge did can still be shown.
func (p Params) leastCooldown() uint64 {
	round := uint64(p.DrawSeconds) + uint64(p.CommitSeconds) + uint64(p.RevealSeconds)
	return uint64(p.EvidenceSeconds) + uint64(p.MaxRounds)*round
}

// DefaultParams are those of the main network (protocol section 4).
func DefaultParams() Params {
	return Params{
		MinStake: 1_000_000_000, MaxSeatWeight: 10_000_000_000, MinBond: 1_000_000, MinReward: 1_000_000,
		CommitSeconds: 420, RevealSeconds: 180, VerifySeconds: 28_800, AnswerSeconds: 28_800,
		CooldownSeconds: 172_800, DrawSeconds: 1_800, EvidenceSeconds: 86_400, MinWorkSeconds: 60,
		BondBps: 500, AbsentBps: 50, MinorityBps: 100, EquivocationBps: 10_000, AbstainBps: 2_500, AbstainFree: 8,
		MaxJudges: voting.MaxJudges, DrawDelaySlots: 2, TradeBps: 50, ClaimBps: 200, MaxRounds: 3, PanelSeats: voting.MaxSeats, MinSeats: 7, MaxReworks: 3,
	}
}

// Rules are those of the parameters that a case copies when it opens and that its votes go by.
func (p Params) Rules() voting.Rules {
	return voting.Rules{
		CommitSeconds: p.CommitSeconds, RevealSeconds: p.RevealSeconds, DrawSeconds: p.DrawSeconds, EvidenceSeconds: p.EvidenceSeconds,
		AbsentBps: p.AbsentBps, MinorityBps: p.MinorityBps, EquivocationBps: p.EquivocationBps,
		AbstainBps: p.AbstainBps, AbstainFree: p.AbstainFree,
		MaxRounds: p.MaxRounds, PanelSeats: p.PanelSeats, MinSeats: p.MinSeats, DrawDelaySlots: p.DrawDelaySlots,
	}
}
