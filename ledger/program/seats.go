package program

import (
	"ojud/voting"
	"ojud/voting/rules"
)

// walkSeats walks the seats behind the head of a Case: those of the panel of the task's terms, then
// those of the appeal if there is one. There is room for these, and no more.
func (v *Case) walkSeats(w *walk, first, seats int) {
	if v.AppealSeats == 0 {
		if first > 0 {
			w.fail("%d seats of a first panel without an appeal", first)
			return
		}
		places(w, "panel", "Seat", seats, int(v.Rules.PanelSeats), seatSize, &v.Seats)
		return
	}
	places(w, "first", "Seat", first, int(v.Rules.PanelSeats), seatSize, &v.First)
	places(w, "panel", "Seat", seats, int(v.AppealSeats), seatSize, &v.Seats)
}

// Sat reports whether the judge of that entry of the Roster had a seat at the first level.
func (v *Case) Sat(index int) bool {
	bits := v.SatLow
	if index >= 256 {
		bits, index = v.SatHigh, index-256
	}
	return index < 256 && bits[index/8]>>(index%8)&1 != 0
}

// Room is the number of seats behind the head of the account.
func (v *Case) Room() int { return int(v.Rules.PanelSeats) + int(v.AppealSeats) }

// Panel returns how many seats the present level has, and how many judges it needs at least.
func (v *Case) Panel() (seats, least uint8) {
	if v.AppealSeats > 0 {
		return v.AppealSeats, rules.MinAppealSeats
	}
	return v.Rules.PanelSeats, v.Rules.MinSeats
}

// Candidates returns the entries of the Roster as a draw for the case sees them: an appeal passes
// over those that sat at the first level.
func (v *Case) Candidates(r *Roster) []voting.Candidate {
	all := r.Candidates(v.SeedSlot)
	for i := range all {
		all[i].Active = all[i].Active && (v.AppealSeats == 0 || !v.Sat(i))
	}
	return all
}

// Sits notes that the judge of an entry has a seat. It is for models of the program.
func (v *Case) Sits(index int) {
	if v.AppealSeats > 0 {
		return
	}
	bits := &v.SatLow
	if index >= 256 {
		bits, index = &v.SatHigh, index-256
	}
	bits[index/8] |= 1 << (index % 8)
}
