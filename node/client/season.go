package client

import (
	"context"
	"fmt"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/when"
)

// SeasonView is the season that fixes the weights of all judges (ADR 0033).
type SeasonView struct {
	Began   int64    `json:"began"`   // Unix seconds; 0: there was none
	Ends    int64    `json:"ends"`    // when the next one may begin
	Next    string   `json:"next"`    // the same in words
	Due     bool     `json:"due"`     // the next one may begin now
	Weight  Lamports `json:"weight"`  // of all judges
	Judges  int      `json:"judges"`  // that have a weight
	Waiting int      `json:"waiting"` // judges that get their first weight in the next season
}

// SeasonDone is the result of beginning a season.
type SeasonDone struct {
	Sent
	Season SeasonView `json:"season"`
}

// Seasons shows the season of a court, and begins the next one.
type Seasons struct{ *Client }

// Show shows the season.
func (c Seasons) Show(ctx context.Context) (SeasonView, error) {
	v, _, _, err := c.read(ctx)
	return v, err
}

// Begin begins the next season, if the present one is over. Anyone may; nodes do it in time.
func (c Seasons) Begin(ctx context.Context) (SeasonDone, error) {
	v, roster, rules, err := c.read(ctx)
	if err != nil {
		return SeasonDone{}, err
	}
	if !v.Due {
		return SeasonDone{}, fmt.Errorf("%w: %s", errNotNow, v.Next)
	}
	sent, err := c.landed(ctx, action{
		name: "begin a season", purpose: fmt.Sprint("season:", roster.SeasonSlot),
		instructions: []onchain.Instruction{c.program.BeginSeason(rules)},
		done: func(ctx context.Context) (bool, error) {
			now, _, err := c.chain.Roster(ctx)
			return err == nil && now.SeasonSlot > roster.SeasonSlot, err
		},
	})
	if err != nil {
		return SeasonDone{Sent: sent}, err
	}
	v, err = c.Show(ctx)
	return SeasonDone{Sent: sent, Season: v}, err
}

// read returns the season, the Roster, and the number of the rules in force.
func (c Seasons) read(ctx context.Context) (SeasonView, *program.Roster, uint32, error) {
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return SeasonView{}, nil, 0, err
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return SeasonView{}, nil, 0, err
	}
	now, err := c.chain.Now(ctx)
	if err != nil {
		return SeasonView{}, nil, 0, err
	}
	v := SeasonView{
		Began: roster.SeasonAt, Ends: roster.SeasonEnds(rules.Now.Params), Weight: Lamports(roster.Weight),
		Due: roster.SeasonOver(rules.Now.Params, now.Slot, now.Unix),
	}
	for i, next := range roster.Next(rules.Now.Params) {
		switch e := &roster.Entries[i]; {
		case e.Weighs():
			v.Judges++
		case next > 0:
			v.Waiting++
		}
	}
	switch v.Next = when.NextSeason(v.Ends, now.Unix); {
	case v.Due:
		v.Next = when.NextSeason(now.Unix, now.Unix)
	case v.Ends <= now.Unix:
		v.Next = "the next season may begin in some blocks"
	}
	return v, roster, rules.Now.Number, nil
}
