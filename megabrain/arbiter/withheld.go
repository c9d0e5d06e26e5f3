package arbiter

import "ojud/ledger/brain"

// Withheld reports whether all that a disputant's outcome says else than the posted one follows
// from results that the posted one takes for no effort, and that few had seen (Unheard). Then
// their workers showed them in the dispute alone, and the poster keeps its bond. The program has
// the same rule.
func Withheld(t *brain.TaskAccount, p brain.Parameters, counter brain.Conclusion) bool {
	posted, some := &t.Finding, false
	workers := int(t.Counts.Drawn)
	var late, follows [brain.MaxSeats]bool
	for w := range workers {
		late[w] = posted.Facts[w].LowEffort != 0 && posted.Facts[w] != counter.Facts[w] && Unheard(t, w)
		some = some || late[w]
	}
	for w := range workers {
		copied := int(counter.Facts[w].CopyOf)
		follows[w] = late[w] || copied > 0 && copied <= workers && late[copied-1]
	}
	for w := range workers {
		if follows[w] {
			continue
		}
		a, b := posted.Facts[w], counter.Facts[w]
		a.Cluster, b.Cluster = 0, 0
		if a != b {
			return false
		}
		for v := range w {
			if !follows[v] && together(posted, v, w) != together(&counter, v, w) {
				return false
			}
		}
	}
	for e := range int(t.Counts.Seated) {
		lifted := posted.Rubber[e] > counter.Rubber[e] && stamped(t, p, e, late)
		if posted.Rubber[e] != counter.Rubber[e] && !lifted {
			return false
		}
	}
	return some
}

// stamped reports whether an evaluator passed a late result, and said about the same of all: it has
// stamped if that is no effort (package finding).
func stamped(t *brain.TaskAccount, p brain.Parameters, e int, late [brain.MaxSeats]bool) bool {
	least, most, passed := uint8(brain.Silent), uint8(0), false
	for w := range int(t.Counts.Drawn) {
		score := t.Judges[e].Said[w].Score
		if score == brain.Silent || t.Work[w].State != revealed {
			continue
		}
		least, most = min(least, score), max(most, score)
		passed = passed || late[w] && uint16(score) >= p.Shares.Pass
	}
	return passed && uint16(most-least) <= p.Shares.Sigma
}

// Unheard reports whether fewer than half of the evaluators that revealed have scored a result: it
// was not where they look.
func Unheard(t *brain.TaskAccount, w int) bool {
	scored, all := 0, 0
	for _, j := range t.Judges[:t.Counts.Seated] {
		if j.State != revealed {
			continue
		}
		all++
		if j.Said[w].Score != brain.Silent && j.Said[w].Confidence > 0 {
			scored++
		}
	}
	return 2*scored < all
}

// together reports whether two results mean the same by an outcome.
func together(by *brain.Conclusion, v, w int) bool {
	return by.Facts[v].Cluster != 0 && by.Facts[v].Cluster == by.Facts[w].Cluster
}
