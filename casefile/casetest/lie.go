package casetest

import (
	"slices"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/voting"
)

// Ghosts are judges that no court has.
func Ghosts(n int) (out []Judge) {
	for i := range n {
		out = append(out, Judge{Authority: Key("ghost %d", i), Key: NodeKey("ghost" + string(rune('a'+i))), Stake: 10_000_000_000})
	}
	return out
}

// Liar is the judge in the first seat of round 1.
func (w *World) Liar() (Judge, error) {
	r, err := reading.Log(w.Log, w.Store)
	if err != nil {
		return Judge{}, err
	}
	return w.Judges[r.Rounds[0].Draw.Value.Seats[0]], nil
}

// Invent lets the Liar say that a round 2 took place, with these seats, which all reject the
// result; settled or not. Logs refuse that now. So this one is told first that the liar has a seat
// there, and takes the events as earlier programs did.
func (w *World) Invent(seats []Judge, settled bool) error {
	r, err := reading.Log(w.Log, w.Store)
	if err != nil {
		return err
	}
	liar, err := w.Liar()
	if err != nil {
		return err
	}
	d, s, none := r.Rounds[0].Draw.Value, r.Rounds[0].Settle.Value, casefile.Amount(0)
	draw := casefile.DrawFact{Stamp: d.Stamp, Round: 2, DrawnSlot: d.DrawnSlot, SlotHash: d.SlotHash, PanelSeats: uint8(len(seats)), MinSeats: uint8(len(seats)),
		CommitEnds: s.At + 400, At: s.At + 10}
	settle := casefile.SettleFact{Stamp: s.Stamp, Round: 2, Verdict: casefile.Verdict(voting.ForCreator), At: s.At + 900, Golden: &none}
	for i, j := range seats {
		weight := casefile.Amount(j.Stake)
		draw.Candidates = append(draw.Candidates, casefile.Candidate{Index: uint16(i), Judge: casefile.Address(j.Authority), Peer: casefile.DID(j.Peer()), Weight: weight})
		draw.Seats, draw.Weights = append(draw.Seats, uint16(i)), append(draw.Weights, weight)
		settle.Seats = append(settle.Seats, casefile.SeatEnd{Judge: casefile.Address(j.Authority), Choice: casefile.Choice(voting.Reject),
			Commitment: casefile.Digest(Key("commitment %d", i)), Result: s.Seats[0].Result})
		settle.Reject, settle.Seated = settle.Reject+weight, settle.Seated+weight
	}
	drawn, err := casefile.NewDraw(draw)
	if err != nil {
		return err
	}
	ended, err := casefile.NewSettle(settle)
	if err != nil {
		return err
	}
	w.Log.Seat(2, liar.Peer(), liar.Authority)
	for _, e := range []struct {
		kind casefile.Kind
		raw  []byte
		said bool
	}{{casefile.KindDraw, drawn.Raw, true}, {casefile.KindSettle, ended.Raw, settled}} {
		if !e.said {
			continue
		}
		if _, err := w.Log.Append(liar.Key, e.kind, casefile.RoundFactBody{Round: 2, Facts: w.Store.Keep(slices.Clone(e.raw))}, s.At+20); err != nil {
			return err
		}
	}
	return nil
}
