package panel

import (
	"cmp"
	"slices"

	"ojud/casefile"
)

// DecidedRound is a decided round as somebody saw it on the chain.
type DecidedRound struct {
	Case    casefile.Address
	Round   uint8
	At      int64            // when it was settled, Unix seconds of the chain's clock
	Verdict casefile.Verdict // accept or reject
	Votes   []DecidedVote
}

// DecidedVote is a judge's choice in such a round; "none" if it chose nothing.
type DecidedVote struct {
	Judge  casefile.Address
	Choice casefile.Choice
}

// History makes of the rounds that somebody saw the rows for a panel of these judges in the case
// of: the newest 256 where at least two of them chose a side.
func History(of casefile.Address, judges []casefile.Address, seen []DecidedRound) []casefile.PanelRow {
	seat := map[casefile.Address]int{}
	for i, j := range judges {
		seat[j] = i
	}
	type dated struct {
		at  int64
		row casefile.PanelRow
	}
	var found []dated
	for _, p := range seen {
		row := casefile.PanelRow{Case: p.Case, Round: p.Round, Verdict: p.Verdict, Choices: p.choices(seat)}
		if p.Case != of && row.Choices.Sides() >= 2 {
			found = append(found, dated{p.At, row})
		}
	}
	slices.SortFunc(found, func(a, b dated) int { return cmp.Or(cmp.Compare(b.at, a.at), a.row.Compare(b.row)) })
	out := []casefile.PanelRow{}
	for _, d := range found[:min(len(found), casefile.MaxHistory)] {
		out = append(out, d.row)
	}
	slices.SortFunc(out, casefile.PanelRow.Compare)
	return slices.CompactFunc(out, func(a, b casefile.PanelRow) bool { return a.Compare(b) == 0 })
}

// choices writes what the judges chose, each at its place.
func (p DecidedRound) choices(seat map[casefile.Address]int) casefile.Choices {
	out := make([]casefile.Choice, len(seat))
	for _, v := range p.Votes {
		if i, ok := seat[v.Judge]; ok {
			out[i] = v.Choice
		}
	}
	return casefile.Spell(out)
}
