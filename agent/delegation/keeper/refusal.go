package keeper

import "ojud/agent/delegation"

// refusal says why a call must not run, or nil.
func (s *Register) refusal(e Asked) *delegation.Refusal {
	if _, ok := s.seen[e.Call]; ok {
		return delegation.Refuse(delegation.Replayed, "nonce", "this call was seen before; sign a new one")
	}
	if e.Expires > e.Now+maxLife+skew {
		return delegation.Refuse(delegation.InvalidClaim, "exp", "the call may wait for more than 24 hours; give it an earlier expiry")
	}
	if why := s.forgotten.refuse(e); why != nil {
		return why
	}
	if why := s.crowded(e); why != nil {
		return why
	}
	for n, l := range e.Permit.Links {
		if s.IsRevoked(l.ID) {
			return link(n, l.ID, delegation.Refuse(delegation.Revoked, "", "it was taken back"))
		}
		spent, reserved := s.Spent(l.ID)
		for unit, most := range l.Budget {
			left := most - spent[unit] - reserved[unit]
			if most != delegation.Unlimited && e.Permit.Spend[unit] > left {
				return link(n, l.ID, delegation.Refuse(delegation.OverBudget, "budget."+delegation.Unit(unit), "the call may spend %d, and %d of %d are left", e.Permit.Spend[unit], max(0, left), most))
			}
		}
	}
	return nil
}

// crowded refuses a call for which there is no room.
func (s *Register) crowded(e Asked) *delegation.Refusal {
	of, links, waits := delegateOf(e.Permit), 0, 0
	if e.Permit.Spend != (delegation.Amounts{}) {
		for _, l := range e.Permit.Links {
			if _, there := s.spent[l.ID]; !there {
				links++
			}
		}
	}
	if len(e.domains()) > 0 {
		waits = 1
	}
	for _, r := range []*delegation.Refusal{
		s.ofSeen.refuse(of, 1, "calls are remembered until they expire", "let calls expire earlier, or try later"),
		s.ofCalls.refuse(of, 1, "calls run or wait", "try later"),
		s.ofWaits.refuse(of, waits, "calls wait for a person", "try later"),
		s.ofSpent.refuse(of, links, "links with spending are counted until they expire", "call under a link that is counted already, or one that ends earlier"),
	} {
		if r != nil {
			return r
		}
	}
	return nil
}

func link(n int, id string, r *delegation.Refusal) *delegation.Refusal {
	r.Link, r.Token = n, id
	return r
}
