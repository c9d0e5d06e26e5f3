package brain

// The numbers of records: those of megabrain/reputation, and of the program.
const (
	newcomer = 1_000             // a reputation without a record
	doubt    = 3_000             // thousandths of tasks without success that a record begins with
	keep     = 8_000             // basis points of a record that are left after each period
	nearby   = 2_500             // basis points of a record in a near class that count
	period   = 30 * 24 * 60 * 60 // seconds
	half     = (whole - newcomer) / 2
)

// MaxVouched is what a sponsor puts in of its reputation at most, in basis points, for all
// together.
const MaxVouched = 2_500

// Stands reports whether a surety is there, and not over.
func (s Surety) Stands(now int64) bool { return s.Place > 0 && (s.Ends == 0 || now < s.Ends) }

// share is the part of successes in a record, of so much.
func (s Successes) share(of uint64) uint64 { return uint64(s.Good) * of / (uint64(s.All) + doubt) }

// decayed is a record as it is now.
func (p Past) decayed(now int64) (golden, outcomes Successes) {
	golden, outcomes = p.Golden, p.Outcomes
	for range min(now/period-int64(p.Month), 64) {
		for _, n := range []*uint32{&golden.Good, &golden.All, &outcomes.Good, &outcomes.All} {
			*n = uint32(uint64(*n) * keep / whole)
		}
	}
	return golden, outcomes
}

// plus adds a share of a record.
func (s Successes) plus(near Successes) Successes {
	part := func(n uint32) uint32 { return uint32(uint64(n) * nearby / whole) }
	return Successes{s.Good + part(near.Good), s.All + part(near.All)}
}

// here reports whether it was a member in this slot, and had not begun to leave before.
func (m *Member) here(slot uint64) bool { return m.State == 1 || m.State == 2 && m.ExitSlot > slot }

// own is the reputation of a member by its own record and a quarter of those in near classes; 0
// while it is frozen in any of them.
func (m *Member) own(slot uint64, now int64, near []*ClassAccount) int {
	golden, outcomes := m.Past.decayed(now)
	frozen := m.FrozenUntil > now
	for i, c := range near[:min(len(near), MaxNear)] {
		at := m.Links[i]
		if c == nil || at.Place == 0 || at.Since >= slot || int(at.Place) > len(c.Members) {
			continue
		}
		it := &c.Members[at.Place-1]
		if it.Agent != m.Agent || it.Role != m.Role {
			continue
		}
		frozen = frozen || it.FrozenUntil > now
		if it.Restore == 0 && it.here(slot) {
			g, o := it.Past.decayed(now)
			golden, outcomes = golden.plus(g), outcomes.plus(o)
		}
	}
	switch {
	case frozen:
		return 0
	case m.Restore > 0:
		return newcomer
	}
	known := golden.share(half)
	return newcomer + int(known+min(known, outcomes.share(half)))
}

// Reputations are those of all members, 0 to 10,000, in a draw that waits since this slot and time:
// what each sponsor lends is taken from it and given to the other. Without golden tasks, they
// follow from agreement, and nobody vouches. Near are the near classes in their order; nil is none.
func (c *ClassAccount) Reputations(slot uint64, now int64, near []*ClassAccount) []int {
	out := make([]int, len(c.Members))
	for i := range c.Members {
		if out[i] = int(c.Members[i].Reputation); c.Parameters.Golden > 0 {
			out[i] = c.Members[i].own(slot, now, near)
		}
	}
	if c.Parameters.Golden == 0 {
		return out
	}
	own := append([]int(nil), out...)
	for i, m := range c.Members {
		s := m.Surety
		if !s.Stands(now) || s.Since >= slot || !m.here(slot) || int(s.Place) > len(own) {
			continue
		}
		lent := own[s.Place-1] * int(s.Share) / whole
		out[s.Place-1] -= lent
		if own[i] > 0 {
			out[i] += lent
		}
	}
	for i := range out {
		out[i] = min(max(out[i], 0), whole)
	}
	return out
}

// Sponsor is who vouches for a member.
func (c *ClassAccount) Sponsor(m *Member, now int64) (*Member, bool) {
	if !m.Surety.Stands(now) || int(m.Surety.Place) > len(c.Members) {
		return nil, false
	}
	return &c.Members[m.Surety.Place-1], true
}
