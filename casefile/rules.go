package casefile

import (
	"cmp"
	"encoding/json"

	"ojud/casefile/canon"
	"ojud/voting"
)

// CaseRules are the parameters of a case. Exactly one is there: the version of the court's rules.
type CaseRules struct {
	First  *FirstRules
	Second *SecondRules
}

// Timing is what both versions have in common: the times of a case and the size of its panels.
type Timing struct {
	CommitSeconds   uint32 `json:"commit_seconds"`
	RevealSeconds   uint32 `json:"reveal_seconds"`
	DrawSeconds     uint32 `json:"draw_seconds"`
	EvidenceSeconds uint32 `json:"evidence_seconds"`
	MaxRounds       uint8  `json:"max_rounds"`
	PanelSeats      uint8  `json:"panel_seats"`
	MinSeats        uint8  `json:"min_seats"`
	DrawDelaySlots  uint16 `json:"draw_delay_slots"`
}

// FirstRules are those of version 1.
type FirstRules struct {
	Timing
	AbsentBps       uint16 `json:"absent_bps"`
	MinorityBps     uint16 `json:"minority_bps"`
	EquivocationBps uint16 `json:"equivocation_bps"`
	AbstainBps      uint16 `json:"abstain_bps"`
	AbstainFree     uint16 `json:"abstain_free"`
}

// SecondRules are those of version 2: the fields of voting.Rules.
type SecondRules struct {
	Timing
	Preset     Preset `json:"preset"`
	Fee        Amount `json:"fee"`
	RiskBps    uint16 `json:"risk_bps"`
	GoldenGain uint16 `json:"golden_gain"`
	GoldenLoss uint16 `json:"golden_loss"`
	Absence    uint16 `json:"absence"`
	Minority   uint16 `json:"minority"`

	Reversal      uint16 `json:"reversal,omitempty"`
	AppealSeconds uint32 `json:"appeal_seconds,omitempty"` // 0: no verdict can be appealed
}

// RulesOf copies the rules of a case.
func RulesOf(r voting.Rules) CaseRules {
	t := Timing{r.CommitSeconds, r.RevealSeconds, r.DrawSeconds, r.EvidenceSeconds, r.MaxRounds, r.PanelSeats, r.MinSeats, r.DrawDelaySlots}
	return CaseRules{Second: &SecondRules{t, Preset(r.Preset), Amount(r.Fee), r.RiskBps, r.GoldenGain, r.GoldenLoss, r.Absence, r.Minority, r.Reversal, r.AppealSeconds}}
}

// Rules returns the rules of version 2 as package voting computes with them.
func (r SecondRules) Rules() voting.Rules {
	return voting.Rules{CommitSeconds: r.CommitSeconds, RevealSeconds: r.RevealSeconds, DrawSeconds: r.DrawSeconds, EvidenceSeconds: r.EvidenceSeconds,
		MaxRounds: r.MaxRounds, PanelSeats: r.PanelSeats, MinSeats: r.MinSeats, DrawDelaySlots: r.DrawDelaySlots, Preset: uint8(r.Preset), Fee: uint64(r.Fee), RiskBps: r.RiskBps, GoldenGain: r.GoldenGain, GoldenLoss: r.GoldenLoss, Absence: r.Absence, Minority: r.Minority, Reversal: r.Reversal, AppealSeconds: r.AppealSeconds}
}

// Timing returns what both versions have in common.
func (r CaseRules) Timing() Timing {
	if r.First != nil {
		return r.First.Timing
	}
	return cmp.Or(r.Second, &SecondRules{}).Timing
}

// MarshalJSON writes the rules of version 2. Those of version 1 are only read.
func (r CaseRules) MarshalJSON() ([]byte, error) { return json.Marshal(r.Second) }

// FillJSON reads either version. Only the second has a preset.
func (r *CaseRules) FillJSON(raw json.RawMessage) error {
	if named, _ := canon.Members(raw); named["preset"] != nil {
		r.Second = &SecondRules{}
		return decode("rules", raw, r.Second, "")
	}
	r.First = &FirstRules{}
	return decode("rules", raw, r.First, "")
}
