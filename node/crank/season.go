package crank

import (
	"context"
	"encoding/binary"
	"math"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// slotMillis is about what a slot takes.
const slotMillis = 400

// heardJudge notes that a season has begun, or that a judge waits for its first one. A judge
// never puts off the look that is due before, so that nobody stops seasons by joining again and
// again.
func heardJudge(c *Crank, e program.Event) (onchain.Address, mark, bool) {
	roster := c.d.Chain.Program().Roster()
	m := mark{worth: math.MaxUint64} // no other account displaces it
	switch e := e.(type) {
	case *program.SeasonBegun:
		m.at = e.At + 1 // later than the season before could begin
	case *program.StakeMoved:
		m.at = c.d.Clock()
		if e.Kind != program.StakeJoined || m.at == 0 {
			return onchain.Address{}, mark{}, false
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if old := c.marks[roster]; old != nil && old.at <= m.at {
			return onchain.Address{}, mark{}, false
		}
	default:
		return onchain.Address{}, mark{}, false
	}
	return roster, m, true
}

// foundSeason reads when the season began. The look says when it ends.
func foundSeason(c *Crank, shown []byte) (mark, bool) {
	began := int64(binary.LittleEndian.Uint64(shown))
	return mark{at: max(began, c.d.Clock()), worth: math.MaxUint64}, true
}

// planSeason begins a season that changes a weight or frees a stake, and as soon as it may if it
// lets a court decide that has too few judges. If it would do nothing, the Roster is looked at
// again after the time of a season, or when a judge joins.
func planSeason(ctx context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	roster, err := program.DecodeRoster(a.Data)
	if err != nil {
		return duty{}, false, err
	}
	rules, err := c.d.InForce(ctx)
	if err != nil {
		return duty{}, false, err
	}
	now, length := c.d.Clock(), int64(rules.SeasonSeconds)
	d := duty{at: roster.SeasonAt + length, act: c.d.Chain.Program().BeginSeason(rules.Number)}
	changed, judges, leaves := roster.NextSeason(rules.Params)
	small, enough := roster.TooSmall(rules.Params), judges >= int(rules.MinSeats)
	if enough { // a season that seats nobody makes room for one that does
		d.at = roster.SeasonEnds(rules.Params)
	}
	switch {
	case small && enough:
		apart := rules.SlotsApart()
		d.at = roster.SeasonAt + int64(apart)*slotMillis/1000
		if since := c.d.Slot() - min(c.d.Slot(), roster.SeasonSlot); roster.SeasonSlot > 0 && since <= apart {
			d.at = now + int64(apart-since)*slotMillis/1000 + 1
		}
	case leaves: // its stake waits for the season
	case small, !changed:
		d.at = max(d.at, now+length)
	}
	return d, true, nil
}
