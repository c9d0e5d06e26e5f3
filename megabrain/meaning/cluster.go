package meaning

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile/canon"
	"ojud/schema/pointer"
)

// The bounds of a class.
const (
	maxFields = 16
	maxProse  = 64 << 10 // bytes of a prose field
	maxValue  = 1 << 20  // bytes of all other fields of a result together
)

// maxSteps bounds the comparisons of texts word by word in one group: some tenths of a second.
const maxSteps = 100_000_000

// near is the greatest distance within a cluster.
const near = 5000

// The bounds of what a class may take for near. At either end, the dominant cluster has a lie in at
// most 5 % of the tasks of TestAdapt.
const (
	leastNear = 3000
	mostNear  = 7000
)

// dense is from how many results on density counts.
const dense = 8

// Fields are the class of a task: the fields of a result that carry its meaning, as JSON pointers.
type Fields struct {
	Meaning []string `json:"meaning"`         // compared as canonical JSON
	Prose   []string `json:"prose,omitempty"` // texts, compared by what they say

	// Near are the least and the greatest distance, of 10,000, up to which texts mean the same.
	// Where it lies between them follows from the results of a task. Empty: it is 5,000.
	Near []int `json:"near,omitempty"`
}

// Validate says what is wrong with a class.
func (c Fields) Validate() error {
	fields := slices.Concat(c.Meaning, c.Prose)
	if len(fields) == 0 || len(fields) > maxFields {
		return fmt.Errorf("class has %d fields; it has 1 to %d", len(fields), maxFields)
	}
	for i, f := range fields {
		if err := pointer.Validate(f); err != nil {
			return fmt.Errorf("class: %w", err)
		}
		if slices.Contains(fields[:i], f) {
			return fmt.Errorf("class names %.64q twice", f)
		}
	}
	switch {
	case len(c.Near) == 0:
		return nil
	case len(c.Prose) == 0:
		return errors.New("class has near, and no prose")
	case len(c.Near) != 2 || c.Near[0] < leastNear || c.Near[1] > mostNear || c.Near[0] > c.Near[1]:
		return fmt.Errorf("class has near %v; it has two numbers, the smaller one first, from %d to %d", c.Near, leastNear, mostNear)
	}
	return nil
}

// errMissing says that a result lacks a field that carries its meaning.
var errMissing = errors.New("a field that carries the meaning is missing")

// result is what is compared.
type result struct {
	key   string // canonical JSON of the fields that are no prose
	prose []text
}

// Clusters returns for each result, a decoded JSON value, the index of the first result that means
// the same, or -1 if the result lacks a field that carries its meaning, or is doubtful.
func (c Fields) Clusters(results []any) ([]int, error) { return c.ClustersBy(results, Views{}) }

// ClustersBy are the clusters with what others say of the results.
func (c Fields) ClustersBy(results []any, by Views) ([]int, error) {
	read, groups := make([]result, len(results)), map[string][]int{}
	out := slices.Repeat([]int{-1}, len(results))
	for i, v := range results {
		r, err := c.read(v)
		if errors.Is(err, errMissing) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
		read[i] = r
		groups[r.key] = append(groups[r.key], i)
	}
	for _, members := range groups {
		labels, doubtful := make([]int, len(members)), make([]bool, len(members))
		if len(c.Prose) > 0 {
			var distances []uint16
			by.cut = c.cut(read, members, by)
			distances, doubtful = matrix(read, members, by)
			by.decide(read, members, distances, doubtful)
			labels = join(len(members), distances)
		}
		first := map[int]int{}
		for i, member := range members {
			if doubtful[i] {
				continue
			}
			if _, ok := first[labels[i]]; !ok {
				first[labels[i]] = member
			}
			out[member] = first[labels[i]]
		}
	}
	return out, nil
}

// read takes the fields of a class from a result.
func (c Fields) read(v any) (r result, err error) {
	values := make([]any, len(c.Meaning))
	for i, p := range c.Meaning {
		if values[i], err = pointer.Find(v, p); err != nil {
			return r, errMissing
		}
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return r, err
	}
	canonical, err := canon.JSON(raw, maxValue)
	if err != nil {
		return r, err
	}
	r.key = string(canonical)
	for _, p := range c.Prose {
		field, err := pointer.Find(v, p)
		prose, ok := field.(string)
		if err != nil || !ok {
			return r, errMissing
		}
		if len(prose) > maxProse {
			return r, fmt.Errorf("%s has %d bytes; it has at most %d", p, len(prose), maxProse)
		}
		r.prose = append(r.prose, prepare(prose))
	}
	return r, nil
}

// matrix has the distances of some results. Two results are as far apart as their farthest fields.
// doubtful are those of which nothing says whether they or another mean what a third means: one is
// the other but for a few words, and the third is near both.
func matrix(read []result, members []int, by Views) (distances []uint16, doubtful []bool) {
	n := len(members)
	distances, doubtful = make([]uint16, n*n), make([]bool, n)
	alike, friends, budget := [][2]int{}, make([]set, n), maxSteps
	for i := range n {
		friends[i] = newSet(n)
		for j := range i {
			most, touched := uint32(0), false
			for k := range read[members[i]].prose {
				a, b := &read[members[i]].prose[k], &read[members[j]].prose[k]
				d := by.distance(a, b, members[i], members[j])
				if d <= near && retouched(a, b, &budget) {
					d, touched = apart, true
				}
				most = max(most, d)
			}
			if distances[i*n+j], distances[j*n+i] = uint16(most), uint16(most); most <= near {
				friends[i].add(j)
				friends[j].add(i)
			}
			if touched {
				alike = append(alike, [2]int{i, j})
				if by.Alike != nil {
					by.Alike(members[i], members[j])
				}
			}
		}
	}
	for _, p := range alike {
		if friends[p[0]].overlaps(friends[p[1]]) {
			doubtful[p[0]], doubtful[p[1]] = true, true
		}
	}
	return distances, doubtful
}

// set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

// overlaps reports whether two sets have a member in common.
func (s set) overlaps(other set) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// join returns the clusters of n results with their distances.
func join(n int, distances []uint16) []int {
	at := func(i, j int) uint32 { return uint32(distances[i*n+j]) }
	density := make([]int, n)
	if n >= dense {
		density = hdbscan(n, at, near)
		for i, d := range density {
			if d < 0 {
				density[i] = -1 - i // noise is with nobody
			}
		}
	}
	linked := complete(n, slices.Clone(distances))
	labels, names := make([]int, n), map[[2]int]int{}
	for i := range labels {
		key := [2]int{density[i], linked[i]}
		if _, ok := names[key]; !ok {
			names[key] = i
		}
		labels[i] = names[key]
	}
	return labels
}

// complete is complete linkage, cut at near, by chains of nearest neighbours. It overwrites the
// distances.
func complete(n int, d []uint16) []int {
	parent, gone := make([]int, n), make([]bool, n)
	for i := range parent {
		parent[i] = i
	}
	type merge struct {
		a, b int
		at   uint16
	}
	var merges []merge
	var chain []int
	for left := n; left > 1; {
		if len(chain) == 0 {
			chain = append(chain, slices.Index(gone, false))
		}
		last := chain[len(chain)-1]
		next := -1
		if len(chain) > 1 {
			next = chain[len(chain)-2] // at a tie, the one before
		}
		for i := range n {
			if i != last && !gone[i] && (next < 0 || d[last*n+i] < d[last*n+next]) {
				next = i
			}
		}
		if len(chain) < 2 || next != chain[len(chain)-2] {
			chain = append(chain, next)
			continue
		}
		a, b := min(last, next), max(last, next)
		merges = append(merges, merge{a, b, d[a*n+b]})
		gone[b] = true
		left--
		for i := range n {
			far := max(d[a*n+i], d[b*n+i])
			d[a*n+i], d[i*n+a] = far, far
		}
		chain = chain[:len(chain)-2]
	}
	slices.SortStableFunc(merges, func(x, y merge) int { return cmp.Compare(x.at, y.at) })
	for _, m := range merges {
		if m.at <= near {
			parent[find(parent, m.b)] = find(parent, m.a)
		}
	}
	for i := range parent {
		parent[i] = find(parent, i)
	}
	return parent
}
