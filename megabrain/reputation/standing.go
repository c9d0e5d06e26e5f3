package reputation

import "math/bits"

// unit is one task in a record. Records are thousandths of tasks, because they decay.
const unit = 1000

// most bounds what a record counts, so that nothing overflows and no record is for ever.
const most = 1000 * unit

// tally is how many tasks there were, and in how many the agent succeeded.
type tally struct{ good, all uint64 }

func (t *tally) add(good, all int) {
	t.good, t.all = t.good+uint64(good)*unit, t.all+uint64(all)*unit
	for t.all > most {
		t.good, t.all = t.good/2, t.all/2
	}
}

// plus adds a share of a tally in a near class.
func (t tally) plus(near tally, bps int) tally {
	return tally{t.good + part(near.good, bps), t.all + part(near.all, bps)}
}

// share is how many of the tasks succeeded, of a full value, if the record begins with so many
// tasks that did not. It rises with every success and falls with every failure. Because a short
// record is worth less than a long one, those of one agent under two names are worth no more,
// weighted by their lengths, than both together.
func (t tally) share(doubt, full int) int {
	return int(t.good * uint64(full) / (t.all + uint64(doubt)*unit))
}

func part(n uint64, bps int) uint64 { return n * uint64(bps) / Whole }

// standing is a record in one role and class.
type standing struct {
	golden, outcomes tally
	month            int64 // up to which it has decayed
}

// monthOf counts periods of 30 days, at whose ends all records decay. They are the same for all, so
// that it does not matter how often a record is looked at.
func monthOf(at int64) int64 { return at / (30 * day) }

const day = 24 * 3600

// until lets a record decay.
func (s standing) until(at int64, keep int) standing {
	month := monthOf(at)
	for n := min(month-s.month, 200); n > 0; n-- {
		for _, x := range []*uint64{&s.golden.good, &s.golden.all, &s.outcomes.good, &s.outcomes.all} {
			*x = part(*x, keep)
		}
	}
	s.month = max(s.month, month)
	return s
}

// value is what a record is worth: half comes from golden tasks, and half from final outcomes, but
// from these no more than from golden tasks. Agreement alone is worth nothing.
func (s standing) value(t Constants) int {
	half := (Whole - t.Newcomer) / 2
	golden := s.golden.share(t.Doubt, half)
	return t.Newcomer + golden + min(golden, s.outcomes.share(t.Doubt, half))
}

// mulDiv is a·b/c, rounded down, where the result fits.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}
