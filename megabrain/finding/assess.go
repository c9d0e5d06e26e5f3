package finding

import (
	"cmp"
	"fmt"
	"slices"

	"ojud/casefile/canon"
	"ojud/megabrain/meaning"
	"ojud/schema"
)

// MaxResult bounds a result in bytes, so that those of eight workers fit into one document of the
// court, also in base64. A larger one is no effort.
const MaxResult = 22 << 10

// Silent is the score of a result that an evaluator says nothing of.
const Silent = -1

// whole is all of the structure, in basis points.
const whole = 10_000

// Work is what a worker handed in.
type Work struct {
	Content []byte // canonical JSON; nothing else can be read; nil if nobody has it
	There   bool   // it was revealed
	At      int64  // when it was committed, in Unix seconds
}

// Fact is what is found of the result of a worker. Cluster and CopyOf are the number of a worker,
// from 1; 0 is none.
type Fact struct {
	Complete  int    `json:"complete"` // basis points of the structure that is there
	Cluster   int    `json:"cluster"`
	CopyOf    int    `json:"copy_of"`
	LowEffort bool   `json:"low_effort"`
	Why       string `json:"why"`
}

// Scale says how scores and clusters are read.
type Scale struct {
	Pass      int // the least score that passes
	Sigma     int // how far apart scores are the same
	Consensus int // basis points of the results that count which mean the same at least
}

// Assessment is what is found of a task. Each worker has a fact, and each evaluator may have
// stamped.
type Assessment struct {
	Facts   []Fact `json:"facts"`
	Stamped []bool `json:"stamped"`

	// Open says that the outcome may depend on what evaluators say of results together.
	Open bool `json:"-"`
}

// Assess finds out what a chain cannot. Each evaluator has said a score of each worker, or Silent;
// one that said nothing at all has an empty list.
//
//   - A result that nobody has, or that has more than MaxResult bytes, is no effort. A chain has
//     its hash alone, and nobody else should lose by it.
//   - A result that cannot be read, has none of the class's fields, or has fewer words than the
//     class demands is no effort.
//   - A result whose prose is that of another but for a few words is a copy, if it was committed
//     later.
//   - The others are in the clusters of package meaning. If the class names an embedding, vectors
//     of evaluators say how far apart they are. If no cluster has the consensus, evaluators say
//     which results mean the same, where all else leaves that open. No opinions: nobody says that.
//   - An evaluator that passes a result that is no effort, and says about the same of all results,
//     has stamped.
func (c TaskClass) Assess(works []Work, said [][]int, opinions []Opinion, s Scale) (Assessment, error) {
	f := Assessment{Facts: make([]Fact, len(works)), Stamped: make([]bool, len(said))}
	values := make([]any, len(works))
	var read []int
	for i, w := range works {
		if !w.There {
			f.Facts[i].Why = "nothing was handed in"
			continue
		}
		v, why := c.readable(w.Content)
		if why == "" {
			e := c.Extent(v)
			f.Facts[i].Complete = e.There * whole / e.Of
			switch {
			case e.There == 0:
				why = "it has none of the fields of the class"
			case e.Words < c.LeastWords:
				why = fmt.Sprintf("its prose has %d different words, and the class demands %d", e.Words, c.LeastWords)
			}
		}
		if f.Facts[i].LowEffort = why != ""; why != "" {
			f.Facts[i].Why = "no effort: " + why
			continue
		}
		values[i] = v
		read = append(read, i)
	}
	c.copies(f.Facts, works, values, read)
	revealed := 0
	for _, scores := range said {
		if len(scores) > 0 {
			revealed++
		}
	}
	for _, votes := range []bool{false, true} {
		before := slices.Clone(f.Facts)
		decided, err := c.cluster(f.Facts, values, read, s, func(numbers []int) meaning.Views { return c.views(opinions, revealed, numbers, votes) })
		if err != nil {
			return Assessment{}, err
		}
		for i := range f.Facts {
			if at := &f.Facts[i]; votes && at.Cluster != before[i].Cluster {
				at.Why += ", as evaluators say"
			}
		}
		f.Open = len(c.Prose) > 0 && (!decided && len(read) > 1 || c.Embedding != nil)
		if decided || len(opinions) == 0 {
			break
		}
	}
	for i, scores := range said {
		f.Stamped[i] = stamped(f.Facts, works, scores, s)
	}
	return f, nil
}

// readable decodes a result, or says why it cannot be read.
func (c TaskClass) readable(content []byte) (v any, why string) {
	if content == nil {
		return nil, fmt.Sprintf("nobody shows it, or it has more than %d bytes", MaxResult)
	}
	if len(content) > MaxResult {
		return nil, fmt.Sprintf("it has %d bytes, more than %d", len(content), MaxResult)
	}
	if err := canon.Exact(content, MaxResult); err != nil {
		return nil, "it is not canonical JSON"
	}
	v, err := schema.DefaultLimits().Decode(content)
	if err == nil {
		_, err = c.Clusters([]any{v})
	}
	if err != nil {
		return nil, "it cannot be read"
	}
	return v, ""
}

// copies marks the results that are like an earlier one.
func (c TaskClass) copies(facts []Fact, works []Work, values []any, read []int) {
	list := make([]any, len(read))
	for i, n := range read {
		list[i] = values[n]
	}
	pairs := c.Alike(list)
	slices.SortStableFunc(pairs, func(a, b [2]int) int { // by the later of both, so that originals are known
		return cmp.Compare(max(works[read[a[0]]].At, works[read[a[1]]].At), max(works[read[b[0]]].At, works[read[b[1]]].At))
	})
	for _, p := range pairs {
		first, second := read[p[0]], read[p[1]]
		if works[first].At > works[second].At {
			first, second = second, first
		}
		if works[first].At < works[second].At && facts[first].CopyOf == 0 && facts[second].CopyOf == 0 {
			facts[second].CopyOf = first + 1
			facts[second].Why = fmt.Sprintf("a copy of the result of worker %d, committed %d s later", first+1, works[second].At-works[first].At)
		}
	}
}

// cluster finds which results mean the same, of those that count, and says whether one cluster has
// the consensus.
func (c TaskClass) cluster(facts []Fact, values []any, read []int, s Scale, by func(numbers []int) meaning.Views) (decided bool, err error) {
	count := slices.DeleteFunc(slices.Clone(read), func(i int) bool { return facts[i].CopyOf > 0 })
	list := make([]any, len(count))
	for i, n := range count {
		list[i] = values[n]
	}
	views, alike := by(count), map[int]int{}
	views.Alike = func(i, j int) {
		for a, b := range map[int]int{i: j, j: i} {
			if first, ok := alike[a]; !ok || b < first {
				alike[a] = b
			}
		}
	}
	labels, err := c.ClustersBy(list, views)
	if err != nil {
		return false, fmt.Errorf("finding: %w", err)
	}
	sizes := make([]int, len(count))
	for i, first := range labels {
		at := &facts[count[i]]
		at.Cluster = 0
		if first < 0 {
			at.Why = "it is with no other: a field is missing, or two results contradict each other about it"
			continue
		}
		at.Cluster = count[first] + 1
		sizes[first]++
		decided = decided || sizes[first]*whole >= s.Consensus*len(count) && sizes[first] >= min(2, len(facts))
		if at.Why = fmt.Sprintf("it means what the result of worker %d means", at.Cluster); first == i {
			at.Why = "the first of those that mean the same"
		}
	}
	for i, first := range labels {
		if other, ok := alike[i]; ok && (first < 0 || sizes[first] == 1) {
			facts[count[i]].Why += fmt.Sprintf("; its text is that of worker %d but for a few words", count[other]+1)
		}
	}
	return decided, nil
}

// stamped reports whether an evaluator passes no effort and says about the same of all results.
func stamped(facts []Fact, works []Work, scores []int, s Scale) bool {
	least, most, passed, worked := 101, -1, false, false
	for i, score := range scores {
		if i >= len(works) || !works[i].There || score == Silent {
			continue
		}
		least, most = min(least, score), max(most, score)
		passed = passed || facts[i].LowEffort && score >= s.Pass
		worked = worked || !facts[i].LowEffort
	}
	return passed && worked && most-least <= s.Sigma
}
