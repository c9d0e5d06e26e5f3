package why

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// draws is the number of trial draws to estimate a chance: its standard deviation is then 1.6
// percentage points at most.
const draws = 1000

// chance returns the numbers of seats and candidates, and the judge's chance to be drawn. With
// equal weights it is seats divided by candidates. By weight without replacement there is no closed
// form, so the draw is tried with other seeds. They are always the same, so that the same facts
// give the same text.
func (e *explainer) chance(d casefile.DrawFact) string {
	all := candidates(d)
	seats := min(int(d.PanelSeats), len(all))
	if seats == len(all) {
		return fmt.Sprintf("all %d who could be drawn were", seats)
	}
	of := fmt.Sprintf("%d of the %d who could be drawn were, ", seats, len(all))
	if !slices.ContainsFunc(all, func(c voting.Candidate) bool { return c.Weight != all[0].Weight }) {
		return of + "each with the same chance, as all weigh the same"
	}
	hits := 0
	for i := range uint64(draws) {
		seed := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("why:chance:"), i))
		drawn, err := rules.Draw(seed, all, d.PanelSeats, 1)
		if err != nil {
			return of + "by weight"
		}
		if slices.ContainsFunc(drawn, func(s voting.Seat) bool { return s.Judge == voting.Key(e.f.Judge) }) {
			hits++
		}
	}
	return of + fmt.Sprintf("by weight, and its chance was about %d %% (%d of %d draws tried with other seeds)", (hits*100+draws/2)/draws, hits, draws)
}
