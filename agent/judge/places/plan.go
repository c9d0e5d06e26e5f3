package places

import (
	"cmp"
	"slices"
	"time"
)

// next returns the waiting case that gets a free place: of the cases that can all be judged in
// time, the most worthwhile one that does not push out another. If none can, it is the most
// worthwhile of all, because an idle place earns nothing.
func (d *Places) next(now time.Time, took time.Duration) *entry {
	best := slices.Clone(d.waiting)
	slices.SortStableFunc(best, func(a, b *entry) int {
		switch {
		case a.more(b.Worth):
			return -1
		case b.more(a.Worth):
			return 1
		}
		return a.Deadline.Compare(b.Deadline)
	})
	free := d.ends(now, took)
	var chosen []*entry // by deadline
	for _, e := range best {
		if with := byDeadline(chosen, e); inTime(with, free, took) {
			chosen = with
		}
	}
	for _, e := range best {
		if !slices.Contains(chosen, e) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(chosen), func(o *entry) bool { return o == e })
		if inTime(rest, after(free, took), took) {
			return e
		}
	}
	return best[0]
}

// ends returns when the places are expected to be free, in order.
func (d *Places) ends(now time.Time, took time.Duration) []time.Time {
	out := make([]time.Time, 0, d.places)
	for _, began := range d.working {
		end := began.Add(took)
		if end.Before(now) {
			end = now
		}
		out = append(out, end)
	}
	for len(out) < d.places {
		out = append(out, now)
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

// after returns when the places are free if the first of them takes another case.
func after(free []time.Time, took time.Duration) []time.Time {
	out := append(slices.Clone(free[1:]), free[0].Add(took))
	slices.SortFunc(out, time.Time.Compare)
	return out
}

// byDeadline returns cases in the order of their deadlines, with one more.
func byDeadline(all []*entry, e *entry) []*entry {
	i, _ := slices.BinarySearchFunc(all, e, func(a, b *entry) int { return cmp.Or(a.Deadline.Compare(b.Deadline), -1) })
	return slices.Insert(slices.Clone(all), i, e)
}

// inTime reports whether all cases, which are in the order of their deadlines, can be judged in
// time. Each takes equally long, so that no other order is better.
func inTime(all []*entry, free []time.Time, took time.Duration) bool {
	free = slices.Clone(free)
	for i, e := range all {
		// All places are free within the length of a case, so they become free in turn.
		at := i % len(free)
		if free[at] = free[at].Add(took); free[at].After(e.Deadline) {
			return false
		}
	}
	return true
}
