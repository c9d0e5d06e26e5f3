package console

import (
	"fmt"
	"math"
	"slices"

	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// chart shows the sum of what a judge earned and lost, case by case.
type chart struct {
	Points             []point
	Line, Area         string // of the sum, as SVG paths
	Zero               float64
	Most, Least        string // at the top and at the bottom
	From, To           string
	Words              string // the same in a sentence
	Width, Height, Top float64
}

// point is a case in the chart.
type point struct {
	X, Y  float64
	Class string
	Words string
}

// The size of the chart in its own units, and the room above and below the line.
const (
	chartWidth  = 1000.0
	chartHeight = 220.0
	chartEdge   = 14.0
)

// settled is a seat that earned or lost something.
type settled struct {
	at              int64
	earned, slashed uint64
	short, subject  string
}

// earnings draws what a judge earned and lost in some cases; nil: nothing yet.
func earnings(rows []picture.Row, judge voting.Key) *chart {
	var all []settled
	var earned, slashed uint64
	for _, row := range rows {
		s, ok := row.Seats[judge]
		if !ok || s.Earned == 0 && s.Slashed == 0 {
			continue
		}
		all = append(all, settled{row.At, s.Earned, s.Slashed, row.Short, row.Subject})
		earned, slashed = earned+s.Earned, slashed+s.Slashed
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b settled) int { return int(max(-1, min(1, a.at-b.at))) })
	c := &chart{Width: chartWidth, Height: chartHeight, Top: chartEdge, From: picture.Day(all[0].at), To: picture.Day(all[len(all)-1].at)}
	c.Words = fmt.Sprintf("In %s it earned %s and lost %s.", picture.Count(len(all), "case", "cases"), onchain.SOL(earned), onchain.SOL(slashed))
	sums, most, least := []float64{}, 0.0, 0.0
	sum := 0.0
	for _, s := range all {
		sum += float64(s.earned) - float64(s.slashed)
		sums, most, least = append(sums, sum), max(most, sum), min(least, sum)
	}
	height := func(v float64) float64 {
		return round(chartEdge + (chartHeight-2*chartEdge)*(most-v)/max(1, most-least))
	}
	c.Zero, c.Most, c.Least = height(0), signed(most), signed(least)
	c.Line = fmt.Sprintf("M0 %g", c.Zero)
	for i, s := range all {
		// Cases stand at equal distances, because many end in one minute and none in others.
		x, y := round(chartWidth*(float64(i)+0.5)/float64(len(all))), height(sums[i])
		class := "accept"
		if s.slashed > s.earned {
			class = "reject"
		}
		c.Line += fmt.Sprintf("H%gV%g", x, y)
		c.Points = append(c.Points, point{x, y, class, fmt.Sprintf("%s, case %s: %s, in sum %s", picture.Day(s.at), s.short, signed(float64(s.earned)-float64(s.slashed)), signed(sums[i]))})
	}
	c.Line += fmt.Sprintf("H%g", chartWidth)
	c.Area = c.Line + fmt.Sprintf("V%gH0Z", c.Zero)
	return c
}

// round leaves out digits that no screen shows.
func round(v float64) float64 { return math.Round(v*10) / 10 }

// signed writes lamports as SOL with a sign.
func signed(lamports float64) string {
	switch {
	case lamports < 0:
		return "−" + onchain.SOL(uint64(-lamports))
	case lamports > 0:
		return "+" + onchain.SOL(uint64(lamports))
	}
	return onchain.SOL(0)
}
