package client

import (
	"strings"
	"testing"

	"ojud/ledger/program"
)

// TestPanel: without a word the first panel has 7 seats below 0.3 SOL, and otherwise the court's.
func TestPanel(t *testing.T) {
	t.Parallel()
	court := func(panel, least uint8) program.Params {
		p := program.DefaultParams()
		p.PanelSeats, p.MinSeats = panel, least
		return p
	}
	const sol = 1_000_000_000
	for _, c := range []struct {
		rules  program.Params
		reward Lamports
		seats  uint8
		fee    Lamports
		want   uint8
		says   string
	}{
		{court(28, 7), sol, 0, 0, 28, ""},
		{court(28, 7), 300_000_000, 0, 0, 28, ""},
		{court(28, 7), 299_999_999, 0, 0, 7, ""},
		{court(28, 8), 299_999_999, 0, 0, 14, ""},
		{court(28, 15), 1_000_000, 0, 0, 28, ""},
		{court(5, 3), 1_000_000, 0, 0, 5, ""},
		{court(28, 7), sol, 14, 0, 14, ""},
		{court(28, 7), sol, 28, sol / 56, 28, ""},
		{court(28, 7), sol, 8, 0, 0, "have [7 14 28] seats"},
		{court(14, 7), sol, 28, 0, 0, "have [7 14] seats"},
		{court(5, 3), sol, 7, 0, 0, "have [5] seats"},
		{court(28, 7), sol, 7, sol/35 + 1, 0, "at most 0.028571428sol"},
		{court(28, 7), sol, 7, 1<<64 - 1, 0, "at most 0.028571428sol"},
	} {
		terms := Offer{RewardMin: c.reward, RewardMax: c.reward, Seats: c.seats, Fee: c.fee}
		got, err := terms.panel(c.rules)
		if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}
