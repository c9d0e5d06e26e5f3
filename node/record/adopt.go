package record

import (
	"context"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/candidates"
	"ojud/node/network"
	"ojud/voting"
)

// facts is a fact document with the content that it names.
type facts struct {
	raw   []byte
	hash  voting.Hash
	lists [][]byte
}

func newDraw(f casefile.DrawFact) (facts, error) {
	doc, lists, err := candidates.Draw(f)
	return facts{doc.Raw, doc.Hash, lists}, err
}

// adoptDraw takes the facts of a draw from another judge, if they give exactly the draw that the
// chain shows.
func (w *Witness) adoptDraw(ctx context.Context, c *caseRecord, h history, round uint8) (facts, error) {
	d, o, err := h.drawn(round)
	if err != nil {
		return facts{}, err
	}
	get := func(hash casefile.Digest) ([]byte, error) {
		return w.d.Content.FetchFor(ctx, c.task, voting.Hash(hash), casefile.MaxDocument, w.d.Cases.SeatPeers(c.task))
	}
	for _, e := range c.log.Events() {
		var body casefile.RoundFactBody
		if e.Kind != casefile.KindDraw || network.DecodeStrict(e.Body, &body) != nil || body.Round != round {
			continue
		}
		raw, err := get(body.Facts)
		if err != nil {
			continue // the facts of another seat may be available
		}
		doc, err := casefile.ReadFact[casefile.DrawFact](casefile.KindDraw, raw)
		if err != nil {
			continue
		}
		all, err := candidates.Of(doc.Value, get)
		if err != nil || !givesDraw(h, d, drawable(all)) {
			continue
		}
		own, err := newDraw(drawFact(h, d, o, drawable(all)))
		if err == nil && own.hash == voting.Hash(body.Facts) {
			return own, nil
		}
	}
	return facts{}, fmt.Errorf("%w, and no peer's facts do", errNoRoster)
}

// drawable returns candidates as the rules draw from them.
func drawable(all []casefile.Candidate) []voting.Candidate {
	out := make([]voting.Candidate, len(all))
	for i, p := range all {
		out[i] = voting.Candidate{
			Index: p.Index, Judge: voting.Key(p.Judge), Peer: voting.Key(p.Peer), Operator: voting.Key(p.Operator),
			Stake: uint64(p.Weight), Weight: uint64(p.Weight), Active: true,
		}
	}
	return out
}
