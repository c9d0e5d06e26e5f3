package market

import (
	"context"
	"strconv"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
)

// Pledge is tokens beside the reward of a task. Only the address of a mint tells tokens apart,
// because anybody can give any name to a mint.
type Pledge struct {
	Mint      onchain.Address
	Amount    string // in whole tokens; or "so many units" while the mint is not read
	Freezable bool   // somebody can freeze accounts of the mint
	Refused   string // why the mint is not safe; empty: it is
}

const (
	maxMints = 100   // mints that one look reads, and accounts of a read
	maxKnown = 4_000 // mints that are remembered
	// pledgeUnpaid is where a Pledge says that its creator has got no part: so it is as long as its
	// task is not over.
	pledgeUnpaid = 9
)

// pledges reads the tokens beside the rewards of tasks that are not over, by task.
func (r *Reader) pledges(ctx context.Context) (map[onchain.Address]*Pledge, error) {
	all, err := r.chain.Heads(ctx, "Pledge", ledger.Filter{Offset: pledgeUnpaid, Bytes: []byte{0}}, 0, program.PledgeSize)
	if err != nil {
		return nil, err
	}
	var found []*program.Pledge
	var unknown []onchain.Address
	asked := map[onchain.Address]bool{}
	for _, a := range all {
		p, err := program.DecodePledge(a.Data)
		if err != nil {
			continue // it changed meanwhile
		}
		found = append(found, p)
		if r.mints[p.Mint] == nil && !asked[p.Mint] && len(unknown) < maxMints {
			unknown, asked[p.Mint] = append(unknown, p.Mint), true
		}
	}
	if err := r.learn(ctx, unknown); err != nil {
		return nil, err
	}
	out := map[onchain.Address]*Pledge{}
	for _, p := range found {
		o := &Pledge{Mint: p.Mint, Amount: strconv.FormatUint(p.Amount, 10) + " units"}
		if m := r.mints[p.Mint]; m != nil {
			o.Amount, o.Freezable = tokens.Amount(p.Amount, m.Decimals), !m.Freezer.IsZero()
			if err := m.Safe(); err != nil {
				o.Refused = err.Error()
			}
		}
		out[p.Task] = o
	}
	return out, nil
}

// learn reads mints.
func (r *Reader) learn(ctx context.Context, mints []onchain.Address) error {
	if len(mints) == 0 {
		return nil
	}
	all, _, err := r.chain.Accounts(ctx, mints...)
	if err != nil {
		return err
	}
	if len(r.mints) > maxKnown {
		clear(r.mints)
	}
	for i, a := range all {
		if a == nil {
			continue
		}
		if m, err := tokens.DecodeMint(mints[i], a.Owner, a.Data); err == nil {
			r.mints[mints[i]] = m
		}
	}
	return nil
}
