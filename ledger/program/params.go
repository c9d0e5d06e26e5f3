package program

import (
	"fmt"

	"ojud/voting"
	"ojud/voting/rules"
)

// MaxJudges is the most entries that a Roster can have. UsualJudges is the default of max_judges:
// up to so many candidates, the facts of a draw name all of them themselves (ADR 0236).
const (
	MaxJudges   = voting.MaxJudges
	UsualJudges = 1_024
)

// window is the number of slots for which a draw can use a seed slot. For as long, the Roster can
// tell the weights that each judge had in that slot (ADR 0033).
const window = 512

// PageEntries is how many agents fit in a page of the registry: agent n is in page n / PageEntries.
const PageEntries = 128

// FirstRules is the number of the version of the rules that init_config makes.
const FirstRules uint32 = 1

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
		{"appeal_seconds", uint64(p.AppealSeconds), 0, month},
		{"cooldown_seconds", uint64(p.CooldownSeconds), p.LeastCooldown(), month},
		{"fee_min", p.FeeMin, 0, 1 << 50},
		{"fee_bps", uint64(p.FeeBps), 0, 10_000},
		{"creator_bps", uint64(p.CreatorBps), 0, 10_000},
		{"worker_bps", uint64(p.WorkerBps), 0, 10_000},
		{"risk_bps", uint64(p.RiskBps), 0, 10_000},
		{"golden_gain", uint64(p.GoldenGain), 1, 1<<16 - 1},
		{"golden_loss", uint64(p.GoldenLoss), 1, 1<<16 - 1},
		{"absence", uint64(p.Absence), 0, p.withheld()},
		{"minority", uint64(p.Minority), 0, p.withheld() - 1},
		{"reversal", uint64(p.Reversal), 0, p.withheld() - 1},
		{"preset", uint64(p.Preset), uint64(rules.PayTruth), uint64(rules.PayMajority)},
		{"max_judges", uint64(p.MaxJudges), uint64(p.MinSeats), MaxJudges},
		{"draw_delay_slots", uint64(p.DrawDelaySlots), 1, 256},
		{"trade_bps", uint64(p.TradeBps), 0, 1_000},
		{"claim_bps", uint64(p.ClaimBps), 0, 2_000},
		{"season_seconds", uint64(p.SeasonSeconds), 1, 604_800},
		{"cover_bps", uint64(p.CoverBps), 0, 10_000},
		{"min_work_seconds", uint64(p.MinWorkSeconds), 1, 86_400},
		{"batch_seconds", uint64(p.BatchSeconds), 0, 43_200},
		{"leaf_fee", p.LeafFee, 0, p.mostLeafFee()},
		{"golden_bps", uint64(p.GoldenBps), 0, 5_000},
		{"credential", uint64(p.Credential), 0, CredentialApart},
		p.challenge(),
	} {
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

func (b bound) check() error {
	if b.value < b.lowest || b.value > b.highest {
		return &BoundError{Name: b.name, Value: b.value, Lowest: b.lowest, Highest: b.highest}
	}
	return nil
}

// A version may shorten a time to leastSeconds. It may raise risk_bps, which bounds every loss but
// that of equivocation, and cover_bps to mostLoss, and not further. It may raise the least reward
// and stake, the least fee and the cooldown to those of mostReward, mostStake, mostFee and
// mostCooldown, or to twice what they were, and lower min_seats to leastSeats and cover_bps to
// leastCover (protocol section 4).
const (
	leastSeconds uint32 = 60
	leastSeason  uint32 = 600
	mostLoss     uint16 = 1_000
	mostReward   uint64 = 10_000_000
	mostStake    uint64 = 1_000_000_000
	mostCooldown uint32 = 604_800
	mostFee      uint64 = 10_000_000
	leastSeats   uint8  = 7
	leastCover   uint16 = 100
)

// drawTime is the seconds in which a draw is possible: two fifths for each slot that it waits for,
// and half a minute to spare.
func (p Params) drawTime() uint32 { return uint32(p.DrawDelaySlots)*2/5 + 30 }

// doubled returns the highest value that may follow one: most, or twice as much.
func doubled[T uint32 | uint64](old, most T) T {
	if old > ^T(0)/2 {
		return ^T(0)
	}
	return max(most, 2*old)
}

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
	longest := doubled(old.CooldownSeconds, mostCooldown)
	if old.AppealSeconds > 0 {
		p.AppealSeconds = max(p.AppealSeconds, min(leastSeconds, old.AppealSeconds))
	}
	p.SeasonSeconds = min(max(p.SeasonSeconds, min(leastSeason, old.SeasonSeconds)), old.longestSeason())
	p.CooldownSeconds = min(max(p.CooldownSeconds, old.CooldownSeconds, uint32(p.LeastCooldown())), longest)
	p.DrawSeconds = max(p.DrawSeconds, min(old.DrawSeconds, p.drawTime()))
	p.MinReward = min(p.MinReward, doubled(old.MinReward, mostReward))
	p.FeeMin = min(p.FeeMin, doubled(old.FeeMin, mostFee))
	p.MaxSeatWeight = min(max(p.MaxSeatWeight, old.MaxSeatWeight/2), 2*old.MaxSeatWeight)
	p.MinStake = min(p.MinStake, doubled(old.MinStake, mostStake))
	p.MinSeats = max(p.MinSeats, min(leastSeats, old.MinSeats))
	p.PanelSeats = max(p.PanelSeats, p.MinSeats)
	p.RiskBps = min(p.RiskBps, max(mostLoss, old.RiskBps))
	if most := max(mostLoss, old.CoverBps); old.CoverBps > 0 && (p.CoverBps == 0 || p.CoverBps > most) {
		p.CoverBps = most
	} else if old.CoverBps > 0 {
		p.CoverBps = max(p.CoverBps, min(leastCover, old.CoverBps))
	}
	p.LeafFee = min(p.LeafFee, p.mostLeafFee())
	if p.challenge().check() != nil {
		p.BatchSeconds = 0 // these times leave none for golden cases
	}
	return p
}

// Follows checks the ranges of a version after the first, relative to the version before it
// (protocol section 4).
func (p Params) Follows(old Params) error {
	time := func(name string, value, before uint32) bound {
		return bound{name, uint64(value), uint64(min(leastSeconds, before)), 1<<32 - 1}
	}
	for _, b := range []bound{
		time("commit_seconds", p.CommitSeconds, old.CommitSeconds),
		time("reveal_seconds", p.RevealSeconds, old.RevealSeconds),
		time("verify_seconds", p.VerifySeconds, old.VerifySeconds),
		time("answer_seconds", p.AnswerSeconds, old.AnswerSeconds),
		time("draw_seconds", p.DrawSeconds, old.DrawSeconds),
		{"draw_seconds", uint64(p.DrawSeconds), uint64(min(old.DrawSeconds, p.drawTime())), 1<<32 - 1},
		time("evidence_seconds", p.EvidenceSeconds, old.EvidenceSeconds),
		time("appeal_seconds", p.AppealSeconds, old.AppealSeconds),
		{"season_seconds", uint64(p.SeasonSeconds), uint64(min(leastSeason, old.SeasonSeconds)), uint64(old.longestSeason())},
		{"cooldown_seconds", uint64(p.CooldownSeconds), uint64(old.CooldownSeconds), uint64(doubled(old.CooldownSeconds, mostCooldown))},
		{"min_reward", p.MinReward, 0, doubled(old.MinReward, mostReward)},
		{"min_stake", p.MinStake, 0, doubled(old.MinStake, mostStake)},
		{"fee_min", p.FeeMin, 0, doubled(old.FeeMin, mostFee)},
		{"max_seat_weight", p.MaxSeatWeight, old.MaxSeatWeight / 2, 2 * old.MaxSeatWeight},
		{"min_seats", uint64(p.MinSeats), uint64(min(leastSeats, old.MinSeats)), voting.MaxSeats},
		{"risk_bps", uint64(p.RiskBps), 0, uint64(max(mostLoss, old.RiskBps))},
	} {
		if err := b.check(); err != nil {
			return fmt.Errorf("%w after the rules that are in force now", err)
		}
	}
	cover := bound{"cover_bps", uint64(p.CoverBps), uint64(min(leastCover, old.CoverBps)), uint64(max(mostLoss, old.CoverBps))}
	if err := cover.check(); err != nil && old.CoverBps > 0 {
		return fmt.Errorf("%w after the rules that are in force now", err)
	}
	return p.Validate()
}

// InForce reports whether this version is in force at a time of the chain.
func (r *Rules) InForce(now int64) bool { return r.From <= now && (r.Until == 0 || now < r.Until) }

// mostLeafFee is half of the least bond that a golden case costs its proctor.
func (p Params) mostLeafFee() uint64 {
	if p.BatchSeconds == 0 {
		return 1<<64 - 1
	}
	return voting.MaxSeats * p.FeeMin
}

// challenge bounds the time to challenge a batch: a case fits into it, and a batch ends, is
// challenged and is applied while its cases exist.
func (p Params) challenge() bound {
	if p.BatchSeconds == 0 {
		return bound{"challenge_seconds", uint64(p.ChallengeSeconds), 0, 1<<32 - 1}
	}
	left := p.EvidenceSeconds - min(p.EvidenceSeconds, p.BatchSeconds)
	return bound{"challenge_seconds", uint64(p.ChallengeSeconds), p.LongestCase(), uint64(left / 2)}
}

// LeastCooldown is the time in which what a judge did can still be shown, and in which two seasons
// that may have its weight end.
func (p Params) LeastCooldown() uint64 {
	return max(uint64(p.EvidenceSeconds)+p.LongestCase(), 2*uint64(p.SeasonSeconds))
}

// longestSeason is the longest season of the next version: so long that a judge that leaves before
// it is in force has its stake after the cooldown.
func (p Params) longestSeason() uint32 { return max(p.SeasonSeconds, p.CooldownSeconds/2) }

// LongestCase is the time of a case with all its rounds.
func (p Params) LongestCase() uint64 {
	round := uint64(p.DrawSeconds) + uint64(p.CommitSeconds) + uint64(p.RevealSeconds)
	levels := uint64(1)
	if p.AppealSeconds > 0 {
		levels = 2
	}
	return uint64(p.AppealSeconds) + levels*uint64(p.MaxRounds)*round
}

// DefaultParams are those of the main network (protocol section 4).
func DefaultParams() Params {
	l := rules.SecondLaw(rules.PayTruth)
	return Params{
		MinStake: l.MinStake, MaxSeatWeight: l.MaxSeatWeight, FeeMin: l.FeeMin, MinReward: 1_000_000,
		CommitSeconds: 420, RevealSeconds: 180, VerifySeconds: 28_800, AnswerSeconds: 28_800,
		CooldownSeconds: 172_800, DrawSeconds: 1_800, EvidenceSeconds: 86_400, MinWorkSeconds: 60, SeasonSeconds: 86_400,
		FeeBps: l.FeeBps, CreatorBps: l.CreatorBps, WorkerBps: l.WorkerBps, RiskBps: l.RiskBps, GoldenGain: l.GoldenGain, GoldenLoss: l.GoldenLoss,
		Absence: l.Absence, Minority: l.Minority, Reversal: l.Reversal, Preset: uint8(l.Preset),
		MaxJudges: UsualJudges, DrawDelaySlots: 2, TradeBps: l.TradeBps, ClaimBps: l.ClaimBps, CoverBps: l.CoverBps, MaxRounds: l.MaxRounds, PanelSeats: voting.MaxSeats, MinSeats: 7, MaxReworks: 3,
		LeafFee: voting.MaxSeats * l.FeeMin, ChallengeSeconds: 14_400, GoldenBps: l.GoldenBps,
	}
}

// withheld is how many pays a seat loses that committed and did not reveal.
func (p Params) withheld() uint64 { return uint64(p.GoldenGain) * uint64(p.GoldenLoss) }

// Law is the law of the court.
func (p Params) Law() rules.Law {
	return rules.Law{
		Preset: rules.Preset(p.Preset), FeeMin: p.FeeMin, FeeBps: p.FeeBps, CreatorBps: p.CreatorBps, WorkerBps: p.WorkerBps,
		TradeBps: p.TradeBps, ClaimBps: p.ClaimBps, CoverBps: p.CoverBps, GoldenBps: p.GoldenBps,
		RiskBps: p.RiskBps, GoldenGain: p.GoldenGain, GoldenLoss: p.GoldenLoss, Absence: p.Absence, Minority: p.Minority, Reversal: p.Reversal,
		MaxRounds: p.MaxRounds, MinStake: p.MinStake, MaxSeatWeight: p.MaxSeatWeight,
	}
}

// Rules are those of the parameters that a case copies when it opens and that its votes go by; fee
// is that of a seat, by the reward.
func (p Params) Rules(fee uint64) voting.Rules {
	return voting.Rules{
		CommitSeconds: p.CommitSeconds, RevealSeconds: p.RevealSeconds, DrawSeconds: p.DrawSeconds, EvidenceSeconds: p.EvidenceSeconds,
		MaxRounds: p.MaxRounds, PanelSeats: p.PanelSeats, MinSeats: p.MinSeats, DrawDelaySlots: p.DrawDelaySlots,
		Preset: p.Preset, Fee: fee, RiskBps: p.RiskBps, GoldenGain: p.GoldenGain, GoldenLoss: p.GoldenLoss, Absence: p.Absence, Minority: p.Minority, Reversal: p.Reversal, AppealSeconds: p.AppealSeconds,
	}
}
