package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
	"ojud/voting/rules"
)

// draw builds the facts of a draw. Who was eligible is on no account any more, so rosters that were seen around the draw are tried
// until one gives the very seats that were drawn. Every roster of the 512 slots after the seed slot does (ADR 0020).
func (n *Node) draw(ctx context.Context, h history, round uint8) ([]byte, voting.Hash, error) {
	d, o, err := h.drawn(round)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	opened, _, err := h.opened(round)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	config, _, err := n.client.Config(ctx)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	for _, r := range n.roster.Load().around(o.slot) {
		eligible := rules.Eligible(r.Candidates(opened.SeedSlot), parties(h.terms), config.MinStake, config.MaxSeatWeight)
		if !gives(h, d, eligible) {
			continue
		}
		doc, err := casefile.NewDraw(drawFact(h, d, o, eligible))
		return doc.Raw, doc.Hash, err
	}
	return nil, voting.Hash{}, errNoRoster
}

// errNoRoster: none of the rosters seen gives the draw. A peer's facts may.
var errNoRoster = errors.New("node: no roster that was seen gives this draw")

// around returns the rosters seen, the first at or after slot first: the draw changes no stake, so that is most likely the one.
func (b *rosterBook) around(slot uint64) []*program.Roster {
	if b == nil {
		return nil
	}
	var before, after []*program.Roster
	for _, p := range b.past {
		if p.slot >= slot {
			after = append(after, p.roster)
		} else {
			before = append(before, p.roster)
		}
	}
	slices.Reverse(after)
	return append(after, before...)
}

// panel is who was drawn, by the roster nearest to the draw that was seen: a place that is free again may have gone to another since.
func (b *rosterBook) panel(slot uint64, d *program.Drawn) []voting.Seat {
	seats, near := make([]voting.Seat, len(d.Seats)), b.around(slot)[0].Entries
	for i, s := range d.Seats {
		if int(s.Index) < len(near) {
			e := near[s.Index]
			seats[i] = voting.Seat{Judge: voting.Key(e.Authority), Peer: e.Peer, Index: s.Index}
		}
	}
	return seats
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
			Index: c.Index, Judge: casefile.Address(c.Judge), Peer: casefile.DID(c.Peer), Operator: casefile.Address(c.Operator), Weight: casefile.Amount(c.Weight),
		})
	}
	for _, s := range d.Seats {
		f.Seats = append(f.Seats, s.Index)
	}
	return f
}

// adoptDraw takes the facts of a draw that a fellow judge names, if they give the very draw that the chain shows.
func (n *Node) adoptDraw(ctx context.Context, c *dispute, h history, round uint8) ([]byte, voting.Hash, error) {
	d, o, err := h.drawn(round)
	if err != nil {
		return nil, voting.Hash{}, err
	}
	for _, e := range c.log.Events() {
		var body casefile.RoundFactBody
		if e.Kind != casefile.KindDraw || strictJSON(e.Body, &body) != nil || body.Round != round {
			continue
		}
		raw, err := n.fetch(ctx, voting.Hash(body.Facts), n.seatPeers(c.task))
		if err != nil {
			continue // another seat's facts may be had
		}
		var f casefile.DrawFact
		if strictJSON(raw, &f) != nil {
			continue
		}
		eligible := make([]voting.Candidate, len(f.Candidates))
		for i, p := range f.Candidates {
			eligible[i] = voting.Candidate{
				Index: p.Index, Judge: voting.Key(p.Judge), Peer: voting.Key(p.Peer), Operator: voting.Key(p.Operator),
				Stake: uint64(p.Weight), Weight: uint64(p.Weight), Active: true,
			}
		}
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
