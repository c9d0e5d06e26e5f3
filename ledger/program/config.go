package program

import (
	"github.com/gagliardetto/solana-go"

	"ojud/voting"
)

// ConfigSize is the size in bytes of a Config account.
const ConfigSize = 192

// Params are what init_config and update_config set (protocol section 5). Amounts are lamports, durations seconds, shares
// basis points. The program refuses values outside the ranges of section 4 with ErrBadConfig.
type Params struct {
	Network         voting.Hash // genesis hash of the cluster; cannot change
	MinStake        uint64
	MaxSeatWeight   uint64
	MinBond         uint64
	MinReward       uint64
	CommitSeconds   uint32
	RevealSeconds   uint32
	VerifySeconds   uint32 // the creator's time to answer a result
	AnswerSeconds   uint32 // the worker's time to answer an objection
	CooldownSeconds uint32 // from begin_exit to withdraw_stake
	DrawSeconds     uint32 // a round that cannot be drawn in this time ends the case undecided
	EvidenceSeconds uint32 // how long a finished case stays open for evidence
	BondBps         uint16
	AbsentBps       uint16
	MinorityBps     uint16
	EquivocationBps uint16
	AbstainBps      uint16 // share of a judge's rounds in which abstaining is free
	AbstainFree     uint16 // abstentions that are free on top of it
	MaxJudges       uint16
	DrawDelaySlots  uint16
	MaxRounds       uint8
	PanelSeats      uint8
	MinSeats        uint8
	MaxReworks      uint8
}

// DefaultParams are those of the main network (protocol section 4). Network has to be set.
func DefaultParams() Params {
	return Params{
		MinStake: 1_000_000_000, MaxSeatWeight: 10_000_000_000, MinBond: 1_000_000, MinReward: 1_000_000,
		CommitSeconds: 420, RevealSeconds: 180, VerifySeconds: 28_800, AnswerSeconds: 28_800,
		CooldownSeconds: 172_800, DrawSeconds: 1_800, EvidenceSeconds: 86_400,
		BondBps: 500, AbsentBps: 50, MinorityBps: 100, EquivocationBps: 10_000, AbstainBps: 2_500, AbstainFree: 8,
		MaxJudges: 512, DrawDelaySlots: 2, MaxRounds: 3, PanelSeats: 28, MinSeats: 7, MaxReworks: 3,
	}
}

func (p *Params) walk(w *walk) {
	hash(w, "network", &p.Network)
	u64(w, "min_stake", &p.MinStake)
	u64(w, "max_seat_weight", &p.MaxSeatWeight)
	u64(w, "min_bond", &p.MinBond)
	u64(w, "min_reward", &p.MinReward)
	u32(w, "commit_seconds", &p.CommitSeconds)
	u32(w, "reveal_seconds", &p.RevealSeconds)
	u32(w, "verify_seconds", &p.VerifySeconds)
	u32(w, "answer_seconds", &p.AnswerSeconds)
	u32(w, "cooldown_seconds", &p.CooldownSeconds)
	u32(w, "draw_seconds", &p.DrawSeconds)
	u32(w, "evidence_seconds", &p.EvidenceSeconds)
	u16(w, "bond_bps", &p.BondBps)
	u16(w, "absent_bps", &p.AbsentBps)
	u16(w, "minority_bps", &p.MinorityBps)
	u16(w, "equivocation_bps", &p.EquivocationBps)
	u16(w, "abstain_bps", &p.AbstainBps)
	u16(w, "abstain_free", &p.AbstainFree)
	u16(w, "max_judges", &p.MaxJudges)
	u16(w, "draw_delay_slots", &p.DrawDelaySlots)
	u8(w, "max_rounds", &p.MaxRounds)
	u8(w, "panel_seats", &p.PanelSeats)
	u8(w, "min_seats", &p.MinSeats)
	u8(w, "max_reworks", &p.MaxReworks)
}

// Config is the one account of parameters.
type Config struct {
	Bump       uint8
	Paused     uint8 // 1: new tasks and new judges are refused, nothing else is
	Authority  solana.PublicKey
	AgentCount uint64
	Params
}

// AccountName returns "Config".
func (*Config) AccountName() string { return "Config" }

// Encode returns the account's bytes.
func (c *Config) Encode() []byte { return encode(c) }

// DecodeConfig decodes a Config account; ErrAccount if the bytes are none.
func DecodeConfig(data []byte) (*Config, error) { return decodeAs[Config](data) }

func (c *Config) walk(w *walk) {
	w.head("Config", &c.Bump)
	u8(w.at(10), "paused", &c.Paused)
	w.within("paused", uint64(c.Paused), 0, 1)
	u8(w.at(11), "max_rounds", &c.MaxRounds)
	w.within("max_rounds", uint64(c.MaxRounds), 1, voting.MaxRounds)
	u8(w.at(12), "panel_seats", &c.PanelSeats)
	w.within("panel_seats", uint64(c.PanelSeats), 1, voting.MaxSeats)
	u8(w.at(13), "min_seats", &c.MinSeats)
	u8(w.at(14), "max_reworks", &c.MaxReworks)
	key(w.at(16), "authority", &c.Authority)
	u64(w.at(48), "min_stake", &c.MinStake)
	u64(w.at(56), "max_seat_weight", &c.MaxSeatWeight)
	u64(w.at(64), "min_bond", &c.MinBond)
	u64(w.at(72), "min_reward", &c.MinReward)
	u64(w.at(80), "agent_count", &c.AgentCount)
	u32(w.at(88), "commit_seconds", &c.CommitSeconds)
	u32(w.at(92), "reveal_seconds", &c.RevealSeconds)
	u32(w.at(96), "verify_seconds", &c.VerifySeconds)
	u32(w.at(100), "answer_seconds", &c.AnswerSeconds)
	u32(w.at(104), "cooldown_seconds", &c.CooldownSeconds)
	u32(w.at(108), "draw_seconds", &c.DrawSeconds)
	u32(w.at(112), "evidence_seconds", &c.EvidenceSeconds)
	u16(w.at(116), "bond_bps", &c.BondBps)
	u16(w.at(118), "absent_bps", &c.AbsentBps)
	u16(w.at(120), "minority_bps", &c.MinorityBps)
	u16(w.at(122), "equivocation_bps", &c.EquivocationBps)
	u16(w.at(124), "abstain_bps", &c.AbstainBps)
	u16(w.at(126), "abstain_free", &c.AbstainFree)
	u16(w.at(128), "max_judges", &c.MaxJudges)
	u16(w.at(130), "draw_delay_slots", &c.DrawDelaySlots)
	hash(w.at(132), "network", &c.Network)
	w.at(ConfigSize)
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
