package record

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/voting"
	"ojud/voting/rules"
)

// errNoRoster means that no Roster that this node saw gives the draw. The facts of a peer may.
var errNoRoster = errors.New("record: no roster that was seen gives this draw")

// draw builds the facts of a draw. No account shows the candidates any more. So draw tries the
// Rosters that were seen around that time until one gives exactly the drawn seats. Every Roster of
// the 512 slots after the seed slot does (ADR 0020).
func (w *Witness) draw(ctx context.Context, h history, round uint8) ([]byte, voting.Hash, error) {
	d, o, err := h.drawn(round)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	opened, _, err := h.opened(round)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	config, err := w.Chain.Config(ctx)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	for _, r := range w.Roster.Around(o.slot) {
		eligible := rules.Eligible(r.Candidates(opened.SeedSlot), parties(h.terms), config.MinStake, config.MaxSeatWeight)
		if !gives(h, d, eligible) {
			continue
		}
		doc, err := casefile.NewDraw(drawFact(h, d, o, eligible))
		return doc.Raw, doc.Hash, err
	}
	return nil, voting.Hash{}, errNoRoster
}

// adoptDraw takes the facts of a draw from another judge, if they give exactly the draw that the
// chain shows.
func (w *Witness) adoptDraw(ctx context.Context, c *caseRecord, h history, round uint8) ([]byte, voting.Hash, error) {
	d, o, err := h.drawn(round)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	for _, e := range c.log.Events() {
		var body casefile.RoundFactBody
		if e.Kind != casefile.KindDraw || network.DecodeStrict(e.Body, &body) != nil || body.Round != round {
			continue
		}
		raw, err := w.Content.Fetch(ctx, voting.Hash(body.Facts), w.Cases.SeatPeers(c.task))
		if err != nil {
			continue // the facts of another seat may be available
		}
		var f casefile.DrawFact
		if network.DecodeStrict(raw, &f) != nil {
			continue
		}
		eligible := candidates(f)
		if !gives(h, d, eligible) {
			continue
		}
		doc, err := casefile.NewDraw(drawFact(h, d, o, eligible))
		if err == nil && doc.Hash == voting.Hash(body.Facts) {
			return doc.Raw, doc.Hash, nil
		}
	}
	return nil, voting.Hash{}, fmt.Errorf("%w, and no peer's facts do", errNoRoster)
}

func candidates(f casefile.DrawFact) []voting.Candidate {
	eligible := make([]voting.Candidate, len(f.Candidates))
	for i, p := range f.Candidates {
		eligible[i] = voting.Candidate{
			Index: p.Index, Judge: voting.Key(p.Judge), Peer: voting.Key(p.Peer), Operator: voting.Key(p.Operator),
			Stake: uint64(p.Weight), Weight: uint64(p.Weight), Active: true,
		}
	}
	return eligible
}

// gives reports whether drawing from these candidates gives the seats that the chain drew.
func gives(h history, d *program.Drawn, eligible []voting.Candidate) bool {
	lot := rules.Lot{Program: h.domain.Program, Task: h.task, Round: d.Round, DrawnSlot: d.Slot, SlotHash: d.SlotHash}
	seats, err := rules.Draw(lot.Seed(), eligible, h.look.Rules.PanelSeats, h.look.Rules.MinSeats)
	if err != nil || len(seats) != len(d.Seats) {
		return false
	}
	var weight uint64
	for i := range seats {
		if seats[i].Index != d.Seats[i].Index {
			return false
		}
		weight += seats[i].Weight
	}
	return weight == d.Weight
}

func drawFact(h history, d *program.Drawn, o occurrence, eligible []voting.Candidate) casefile.DrawFact {
	f := casefile.DrawFact{
		Stamp: h.stamp(o), Round: d.Round, DrawnSlot: d.Slot, SlotHash: casefile.Digest(d.SlotHash),
		PanelSeats: h.look.Rules.PanelSeats, MinSeats: h.look.Rules.MinSeats,
		CommitEnds: d.CommitEnds, At: d.CommitEnds - int64(h.look.Rules.CommitSeconds),
	}
	for _, c := range eligible {
		f.Candidates = append(f.Candidates, casefile.Candidate{
			Index: c.Index, Judge: casefile.Address(c.Judge), Peer: casefile.DID(c.Peer),
			Operator: casefile.Address(c.Operator), Weight: casefile.Amount(c.Weight),
		})
	}
	for _, s := range d.Seats {
		f.Seats = append(f.Seats, s.Index)
	}
	return f
}
