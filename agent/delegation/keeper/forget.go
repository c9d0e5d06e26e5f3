package keeper

import (
	"math"
	"slices"

	"ojud/agent/delegation"
)

// late is how long after its end a call or a link is remembered, in seconds: the clock of the
// executor may go back by the skew, and a token is good for the skew after its end.
const late = 2 * skew

// never is the end of a link that has none, and of values of earlier versions, which did not say.
const never = math.MaxInt64

// end is when something with that expiry may be forgotten.
func end(expires int64) int64 {
	if expires > never-late {
		return never
	}
	return expires + late
}

// horizon is the latest end of what was forgotten. What ended before it may have been forgotten, so
// it is refused even if the clock says that it has not ended: somebody set the clock back.
type horizon struct {
	Calls int64 `json:"calls"`
	Links int64 `json:"links"`
}

// refuse refuses a call that may have been seen, or a link under which may have been spent.
func (h horizon) refuse(e Asked) *delegation.Refusal {
	const fix = "calls and links that ended by then are forgotten, so the clock here went back; correct it, or give a later expiry"
	if end(e.Expires) <= h.Calls {
		return delegation.Refuse(delegation.Expired, "exp", fix)
	}
	for n, l := range e.Permit.Links {
		if end(l.Until) <= h.Links {
			return link(n, l.ID, delegation.Refuse(delegation.Expired, "exp", fix))
		}
	}
	return nil
}

// pass refuses calls that waited too long, and forgets calls and links that ended: some of them if
// they are many, and the others the next time.
func (s *Register) pass(now int64) (out []Effect) {
	var refused []Effect
	var waited []string
	for id, c := range s.calls {
		if c.Waiting && now >= c.Until {
			waited = append(waited, id)
		}
	}
	for _, id := range some(waited, maxPassed) {
		out = append(out, s.end(id, s.calls[id], delegation.Amounts{})...)
		refused = append(refused, Refuse{id, unanswered()})
	}
	before := s.forgotten
	var old []string
	for id, seen := range s.seen {
		if _, open := s.calls[id]; !open && now > seen.Until {
			old = append(old, id)
		}
	}
	for _, id := range some(old, 32*maxPassed) {
		s.forgotten.Calls = max(s.forgotten.Calls, s.seen[id].Until)
		s.ofSeen.add(s.seen[id].Of, -1)
		delete(s.seen, id)
		out = append(out, Delete{seenKey + id})
	}
	old = nil
	for id, sp := range s.spent { // without a reservation, no open call has it
		if sp.Reserved == (delegation.Amounts{}) && now > sp.Until {
			old = append(old, id)
		}
	}
	for _, id := range some(old, 32*maxPassed) {
		s.forgotten.Links = max(s.forgotten.Links, s.spent[id].Until)
		out = append(out, s.keep(id, spending{Of: s.spent[id].Of}))
	}
	old = nil
	for id, until := range s.revoked {
		if now > until {
			old = append(old, id)
		}
	}
	for _, id := range some(old, maxPassed) {
		s.forgotten.Links = max(s.forgotten.Links, s.revoked[id])
		delete(s.revoked, id)
		out = append(out, Delete{revokedKey + id})
	}
	if s.forgotten != before {
		out = append(out, put(horizonKey, s.forgotten))
	}
	return append(out, refused...)
}

// some returns the first of many ids.
func some(ids []string, most int) []string {
	slices.Sort(ids)
	return ids[:min(len(ids), most)]
}
