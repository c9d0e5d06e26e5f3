package sequence_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// coverage counts calls and their outcomes.
type coverage struct {
	calls    map[string]*tried
	reached  map[string]int // the situations that sequences reached
	longest  int
	sequence int
}

type tried struct {
	tried, succeeded int
	codes            map[string]int
	why              map[refusal]int
}

func newCoverage() *coverage { return &coverage{calls: map[string]*tried{}, reached: map[string]int{}} }

func (v *coverage) of(name string) *tried {
	if v.calls[name] == nil {
		v.calls[name] = &tried{codes: map[string]int{}, why: map[refusal]int{}}
	}
	return v.calls[name]
}

func (v *coverage) note(c *call, code string, why refusal) {
	t := v.of(c.name())
	t.tried++
	if code == "" {
		t.succeeded++
		return
	}
	t.codes[code]++
	t.why[why]++
}

// add adds the counts of another worker.
func (v *coverage) add(o *coverage) {
	for name, t := range o.calls {
		mine := v.of(name)
		mine.tried += t.tried
		mine.succeeded += t.succeeded
		for code, n := range t.codes {
			mine.codes[code] += n
		}
		for why, n := range t.why {
			mine.why[why] += n
		}
	}
	for what, n := range o.reached {
		v.reached[what] += n
	}
	v.sequence += o.sequence
	v.longest = max(v.longest, o.longest)
}

// total returns the numbers of all calls and of all successful ones.
func (v *coverage) total() (tried, succeeded int) {
	for _, t := range v.calls {
		tried, succeeded = tried+t.tried, succeeded+t.succeeded
	}
	return tried, succeeded
}

func (v *coverage) String() string {
	var b strings.Builder
	all, fine := v.total()
	fmt.Fprintf(&b, "%d sequences, %d calls, %d of them lawful and carried out, %d refused\n", v.sequence, all, fine, all-fine)
	for _, name := range slices.Sorted(maps.Keys(v.calls)) {
		t := v.calls[name]
		fmt.Fprintf(&b, "%-19s %9d tried %9d done  %s\n", name, t.tried, t.succeeded, most(t.codes))
	}
	fmt.Fprintf(&b, "reached: %s", most(v.reached))
	return b.String()
}

// most lists counts, the largest first.
func most(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}
