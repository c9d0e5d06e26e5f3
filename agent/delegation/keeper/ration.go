package keeper

import "ojud/agent/delegation"

// delegate names for whom something is kept: the audience of the first link of a chain, to whom the
// owner gave it. It is empty if the owner itself calls. Links that a delegate makes for others, or
// for more keys of its own, count for it.
type delegate string

// share is how much of what is left a delegate may have: one of so many parts. So the first has at
// most a fifth of all, and after 20 that each took all they got, more than a hundredth is left.
const share = 4

// ration counts what a Register keeps of one kind, by delegates, so that none of them fills it.
type ration struct {
	most int
	all  int
	of   map[delegate]int
}

func newRation(most int) *ration { return &ration{most: most, of: map[delegate]int{}} }

// add counts n more, or fewer.
func (r *ration) add(of delegate, n int) {
	r.all += n
	if of == "" {
		return
	}
	if r.of[of] += n; r.of[of] == 0 {
		delete(r.of, of)
	}
}

// refuse refuses n more of a delegate if it may not have them.
func (r *ration) refuse(of delegate, n int, what, fix string) *delegation.Refusal {
	left := r.most - r.all - n
	switch {
	case n == 0:
		return nil
	case left < 0:
		return delegation.Refuse(delegation.Busy, "", "%d %s, at most %d for all; %s", r.all, what, r.most, fix)
	case of != "" && r.of[of]+n > left/share:
		return delegation.Refuse(delegation.Busy, "", "%d of %d %s are of the delegate %s, and one delegate has at most a quarter of what is left of %d; %s", r.of[of], r.all, what, of, r.most, fix)
	}
	return nil
}

// delegateOf is for whom what a call needs is kept.
func delegateOf(p delegation.Permit) delegate {
	if len(p.Links) == 0 {
		return ""
	}
	return delegate(p.Links[0].To.String())
}
