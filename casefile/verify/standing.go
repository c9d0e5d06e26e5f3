package verify

import (
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/voting"
	"ojud/voting/rules"
)

// holders looks at who answered, by the draws of a file.
type holders struct{ v *verifier }

// note compares what judges say of holders with the draw, and the points that an opinion
// decided by data with the receipts that it cites. What does not fit is that judge's fault.
func (h holders) note() {
	counts := map[casefile.DID]map[string]bool{} // receipts of own and staked holders, by actor
	for e, b := range bodies[casefile.DataBody](h.v) {
		if counts[e.Actor] == nil {
			counts[e.Actor] = map[string]bool{}
		}
		for i, r := range b.Receipts {
			is := h.standing(e.Actor, b.Round, r.Holder)
			if hash, err := r.Hash(); err == nil && is != casefile.Stranger {
				counts[e.Actor]["receipt:"+casefile.Digest(hash).String()] = true
			}
			if len(b.Standings) > i && b.Standings[i] != is && is != "" {
				h.v.report.note(NoteData, fmt.Sprintf("%s.body.standings[%d]", h.v.paths[e.Hash], i), "the judge says %s of a holder, and by the draw of round %d it is %s: %s",
					b.Standings[i], b.Round, is, r.Holder)
			}
		}
	}
	for e, b := range bodies[casefile.VoteBody](h.v) {
		opinion := opinionAt(h.v, b.Vote.OpinionHash)
		if opinion.err != nil {
			continue // noted with the vote
		}
		for _, f := range opinion.value.Findings {
			if check := f.Check; f.Outcome != casefile.Unknown && strings.HasPrefix(check, decided) && onStrangers(f.Evidence, counts[e.Actor]) {
				h.v.report.note(NoteData, h.v.paths[e.Hash]+".body.vote.opinion_hash", "the opinion decides %q by the answers of strangers alone", check)
			}
		}
	}
}

// decided begins the check of a demand that code decides.
const decided = "specification/"

// onStrangers reports whether evidence has receipts, and none of a holder that counts.
func onStrangers(evidence []string, counts map[string]bool) bool {
	receipts := 0
	for _, ref := range evidence {
		if strings.HasPrefix(ref, "receipt:") {
			receipts++
		}
		if counts[ref] {
			return false
		}
	}
	return receipts > 0
}

// standing returns what a holder had at stake in the draw of a round, seen by an actor. A judge
// that is a party, or has one's operator, is a stranger in its own case. If not all candidates of
// the draw are known, it is empty for a holder that was not drawn.
func (h holders) standing(actor casefile.DID, number uint8, holder casefile.DID) casefile.HolderStanding {
	r, _ := roundOf(h.v, number)
	switch {
	case holder == actor:
		return casefile.OwnSource
	case h.staked(number)[holder]:
		return casefile.StakedHolder
	case r.partly:
		return ""
	}
	return casefile.Stranger
}

// staked returns the candidates of the draw of a round that are no parties, by node key.
func (h holders) staked(number uint8) map[casefile.DID]bool {
	if out := h.v.staked[number]; out != nil {
		return out
	}
	out := map[casefile.DID]bool{}
	r, _ := roundOf(h.v, number)
	parties := partiesOf(h.v)
	for _, c := range r.draw.Value.Candidates {
		if !rules.Bars(parties, voting.Key(c.Judge), voting.Key(c.Operator)) {
			out[c.Peer] = true
		}
	}
	if h.v.staked == nil {
		h.v.staked = map[uint8]map[casefile.DID]bool{}
	}
	h.v.staked[number] = out
	return out
}

// speaker names the holder of a receipt with its standing.
func (h holders) speaker(actor casefile.DID, r casefile.Receipt) string {
	switch h.standing(actor, r.Round, r.Holder) {
	case casefile.OwnSource:
		return fmt.Sprintf("the judge's own source (%s)", r.Holder)
	case casefile.StakedHolder:
		return fmt.Sprintf("the staked holder %s", r.Holder)
	case casefile.Stranger:
		return fmt.Sprintf("the stranger %s", r.Holder)
	}
	return fmt.Sprintf("the holder %s, whose stake is not known here", r.Holder)
}

// accuse notes the holders whose receipts in this file contradict each other, whether an event
// accuses them or not.
func (h holders) accuse() {
	var shown []casefile.Event
	for _, e := range h.v.order {
		if e.Kind != casefile.KindTwofold {
			shown = append(shown, e.Event)
		}
	}
	seen := map[casefile.DID]bool{}
	say := func(b casefile.TwofoldBody, path string) {
		if seen[b.A.Holder] {
			return
		}
		seen[b.A.Holder] = true
		h.v.report.note(NoteSignedTwice, path, "%s gave two different answers to one question about %s in this case; its two receipts prove it",
			h.speaker(casefile.DID{}, b.A), b.A.Source)
	}
	for e, b := range bodies[casefile.TwofoldBody](h.v) {
		say(b, h.v.paths[e.Hash]+".body")
	}
	for _, b := range casefile.Twofolds(shown) {
		say(b, "$.events")
	}
}
