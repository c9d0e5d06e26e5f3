package panel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/casefile"
)

// Summary says in numbers how many votes a panel's were worth.
type Summary struct {
	Round       uint8          `json:"round"`
	Votes       int            `json:"votes"`       // for two sides
	Independent casefile.Worth `json:"independent"` // what they are worth
	History     int            `json:"history"`     // earlier rounds behind that; only the exporter vouches for them
	Families    map[string]int `json:"families"`    // of those who voted for a side; "unknown" if they did not say
	Dimensions  map[string]int `json:"dimensions"`  // likewise; "none" without a persona
}

// Summarize counts a panel whose seats chose so. Choices and weights are in the order of the seats.
func Summarize(p casefile.Panel, choices casefile.Choices, weights []casefile.Amount) Summary {
	r := Summary{
		Round: p.Round, Votes: choices.Sides(), Independent: Independent(p, choices, weights), History: len(p.History),
		Families: map[string]int{}, Dimensions: map[string]int{},
	}
	for i, s := range p.Seats {
		if choices.At(i) != none {
			r.Families[cmp.Or(s.Family, "unknown")]++
			r.Dimensions[cmp.Or(s.Dimension, "none")]++
		}
	}
	return r
}

// String is the report in words, without the round.
func (r Summary) String() string {
	return fmt.Sprintf("%d for two sides, worth %s independent votes %s", r.Votes, r.Independent, r.Basis())
}

// Basis says in brackets on what the number stands.
func (r Summary) Basis() string {
	return fmt.Sprintf("(agreement in %d earlier rounds; families: %s; dimensions: %s)", r.History, counted(r.Families), counted(r.Dimensions))
}

// counted lists names with how often they occur, the most frequent first.
func counted(n map[string]int) string {
	names := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
