package client

import (
	"context"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// JudgeView is an entry of the Roster.
type JudgeView struct {
	Judge    string   `json:"judge"`    // authority
	NodeID   string   `json:"agent_id"` // did:key of the node key
	Operator string   `json:"operator,omitempty"`
	State    string   `json:"state"` // active, exiting
	Stake    Lamports `json:"stake"`
	Locked   Lamports `json:"locked"`  // weights of its seats in live rounds
	Rewards  Lamports `json:"rewards"` // not yet claimed
	Live     uint16   `json:"live"`    // rounds that are not settled
	// Fresh is the part of the stake that counts only in draws with a seed slot after FreshSlot
	// (ADR 0020). 512 slots later it is 0.
	Fresh     Lamports `json:"fresh,omitempty"`
	FreshSlot uint64   `json:"fresh_slot,omitempty"` // when the judge joined or topped up
	// FreshUntil is the last slot that counts Fresh as new. Until then no more stake can be added.
	FreshUntil uint64 `json:"-"`
	JoinedAt   int64  `json:"joined_at"`
	ExitAt     int64  `json:"exit_at,omitempty"` // when the stake may leave
	ExitIn     string `json:"exit_in,omitempty"` // in words
	Record     Record `json:"record"`
}

// Record says how a judge voted in settled rounds.
type Record struct {
	Seated      uint32 `json:"seated"`
	Majority    uint32 `json:"majority"`
	Minority    uint32 `json:"minority"`
	Absent      uint32 `json:"absent"`
	Abstained   uint32 `json:"abstained"`
	Equivocated uint32 `json:"equivocated"`
}

// Judge shows a judge. Zero means the client's own key.
func (c *court) Judge(ctx context.Context, judge onchain.Address) (JudgeView, error) {
	judge, err := c.who(judge)
	if err != nil {
		return JudgeView{}, err
	}
	e, err := c.entry(ctx, judge)
	if err != nil {
		return JudgeView{}, err
	}
	now, err := c.chain.Now(ctx)
	return judgeView(e, now), err
}

// Judges lists the Roster in its own order.
func (c *court) Judges(ctx context.Context) ([]JudgeView, error) {
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return nil, err
	}
	now, err := c.chain.Now(ctx)
	out := []JudgeView{}
	for i := range roster.Entries {
		if e := &roster.Entries[i]; e.State != program.EntryFree {
			out = append(out, judgeView(e, now))
		}
	}
	return out, err
}

func judgeView(e *program.RosterEntry, now ledger.Moment) JudgeView {
	v := JudgeView{
		Judge: e.Authority.String(), NodeID: casefile.DID(e.Peer).String(), Operator: address(e.Operator), State: e.State.String(),
		Stake: Lamports(e.Stake), Locked: Lamports(e.Locked), Rewards: Lamports(e.Rewards), Live: e.Live, JoinedAt: e.JoinedAt, ExitAt: e.ExitAt,
		Record: Record{
			Seated: e.Seated, Majority: e.Majority, Minority: e.Minority, Absent: e.Absent, Abstained: e.Abstained, Equivocated: e.Equivocated,
		},
	}
	if now.Slot <= e.FreshSlot+program.Window {
		v.Fresh, v.FreshSlot, v.FreshUntil = Lamports(e.Fresh), e.FreshSlot, e.FreshSlot+program.Window
	}
	if e.ExitAt != 0 {
		v.ExitIn = inWords(e.ExitAt, now.Unix)
	}
	return v
}
