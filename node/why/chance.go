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

// draws is how often a draw is tried to find a chance: its standard deviation is then 1.6 points of
// a hundred at most.
const draws = 1000

// chance says how many were drawn of how many, and with what chance the judge was. With equal
// weights it is seats in candidates. By weight without replacement there is no closed form: the
// draw is tried with other seeds, always the same ones, so that the same facts give the same text.
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
