package finding

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"ojud/casefile/canon"
	"ojud/megabrain/meaning"
)

// The bounds of what the document of an evaluation says of results together.
const (
	maxGroup      = 8
	maxGroups     = maxGroup * (maxGroup - 1) / 2 // one for each pair
	maxDimensions = 3072
	maxDistance   = 10_000
	halfway       = maxDistance / 2
)

// Embedding is a model by whose vectors the prose of results is compared, in place of hashed words.
// Evaluators post the vectors in the documents of their evaluations.
type Embedding struct {
	Name       string `json:"name"`
	SHA256     string `json:"sha256,omitempty"` // of the model, or of what describes it
	Dimensions int    `json:"dimensions"`
	Near       int    `json:"near"` // the greatest cosine distance within a cluster, of 10,000
}

// check says what is wrong with the embedding of a class.
func (e *Embedding) check(prose int) error {
	if e == nil {
		return nil
	}
	raw, err := hex.DecodeString(e.SHA256)
	switch {
	case prose == 0:
		return errors.New("embedding is named, and the class has no prose")
	case e.Name == "" || utf8.RuneCountInString(e.Name) > maxName:
		return fmt.Errorf("embedding.name has %d characters; it has 1 to %d", utf8.RuneCountInString(e.Name), maxName)
	case err != nil || e.SHA256 != "" && len(raw) != 32:
		return errors.New("embedding.sha256 is no SHA-256 of 64 hexadecimal digits")
	case e.Dimensions < 1 || e.Dimensions > maxDimensions:
		return fmt.Errorf("embedding.dimensions is %d; it is 1 to %d", e.Dimensions, maxDimensions)
	case e.Near < 1 || e.Near >= maxDistance:
		return fmt.Errorf("embedding.near is %d; it is 1 to %d", e.Near, maxDistance-1)
	}
	return nil
}

// Opinion is what the document of an evaluation says of results together. The zero value says
// nothing.
type Opinion struct {
	same    [maxGroup][maxGroup]bool // by the numbers of two workers, from 0
	vectors [maxGroup][]int16        // by the number of a worker; nil: none
}

// Says is how an evaluator writes that.
type Says struct {
	// Same are groups of workers whose results mean the same, each with each.
	Same [][]string `json:"same,omitempty"`
	// Vectors are those of the embedding that the class names, of the prose of each result.
	Vectors map[string]json.RawMessage `json:"vectors,omitempty"`
}

// Empty reports whether it says nothing.
func (s Says) Empty() bool { return len(s.Same) == 0 && len(s.Vectors) == 0 }

// sameAs are the workers whose results mean what the result of this one means.
func (s Says) sameAs(worker string) (out []string) {
	for _, group := range s.Same[:min(len(s.Same), maxGroups)] {
		group = group[:min(len(group), maxGroup)]
		if !slices.Contains(group, worker) {
			continue
		}
		for _, w := range group {
			if w != worker && len(w) <= maxName && !slices.Contains(out, w) && len(out) < maxGroup {
				out = append(out, w)
			}
		}
	}
	return out
}

// Check says what is wrong with what an evaluator is about to say of these workers.
func (s Says) Check(c TaskClass, workers []string) error {
	if len(s.Same) > maxGroups {
		return fmt.Errorf("same has %d groups; it has at most %d", len(s.Same), maxGroups)
	}
	for i, group := range s.Same {
		if len(group) < 2 || len(group) > maxGroup {
			return fmt.Errorf("same[%d] has %d workers; it has 2 to %d", i, len(group), maxGroup)
		}
		for k, w := range group {
			if !slices.Contains(workers, w) {
				return fmt.Errorf("same[%d] names %.64q, who handed in nothing", i, w)
			}
			if slices.Contains(group[:k], w) {
				return fmt.Errorf("same[%d] names %.64q twice", i, w)
			}
		}
	}
	for w, raw := range s.Vectors {
		if c.Embedding == nil {
			return errors.New("vectors are there, and the class names no embedding")
		}
		if !slices.Contains(workers, w) {
			return fmt.Errorf("vectors names %.64q, who handed in nothing", w)
		}
		if _, err := c.Embedding.vector(raw); err != nil {
			return fmt.Errorf("vectors of %s: %w", w, err)
		}
	}
	return nil
}

// vector reads a vector that a stranger may have written. JSON has no NaN.
func (e *Embedding) vector(raw json.RawMessage) (v []int16, err error) {
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, errors.New("a vector has integers from -32768 to 32767")
	}
	if v == nil {
		v = []int16{} // null is there, so it is a vector without numbers
	}
	return v, e.Check(v)
}

// Check says what is wrong with a vector. A nil vector was not posted, and is right. A nil
// Embedding is that of a class that names none.
func (e *Embedding) Check(v []int16) error {
	switch {
	case v == nil:
		return nil
	case e == nil:
		return errors.New("the class names no embedding")
	case len(v) != e.Dimensions:
		return fmt.Errorf("it has %d numbers, and the embedding of the class has %d", len(v), e.Dimensions)
	case !slices.ContainsFunc(v, func(x int16) bool { return x != 0 }):
		return errors.New("all of its numbers are 0, so that it has no direction")
	}
	return nil
}

// ReadOpinion reads the document of an evaluation that a stranger may have written. What is not in
// its form says nothing; workers that are not named by their address are left out.
func (c TaskClass) ReadOpinion(raw []byte, workers []string) (o Opinion) {
	var said Says
	if canon.Exact(raw, maxDocument) != nil || json.Unmarshal(raw, &said) != nil || len(workers) > maxGroup {
		return Opinion{}
	}
	for _, group := range said.Same[:min(len(said.Same), maxGroups)] {
		for i, a := range group[:min(len(group), maxGroup)] {
			for _, b := range group[:i] {
				v, w := slices.Index(workers, a), slices.Index(workers, b)
				if v >= 0 && w >= 0 && v != w {
					o.same[v][w], o.same[w][v] = true, true
				}
			}
		}
	}
	for i, w := range workers {
		if one := said.Vectors[w]; c.Embedding != nil && one != nil {
			if v, err := c.Embedding.vector(one); err == nil {
				o.vectors[i] = v
			}
		}
	}
	return o
}

// views are those of the evaluators that revealed, of whom there are so many. Results have these
// numbers among the workers of the task.
//
//   - Two results mean the same if more than half of the evaluators say so, and two at least.
//   - Two results are near if they are by the vectors of more than half of the evaluators, and of
//     two at least: the distance is the median, in which no vectors are as far apart as can be.
func (c TaskClass) views(all []Opinion, revealed int, numbers []int, votes bool) (v meaning.Views) {
	most := max(revealed/2, 1) // as many do not suffice
	if c.Embedding != nil {
		v.Apart = func(i, j int) int {
			var near []int
			for _, o := range all {
				if a, b := o.vectors[numbers[i]], o.vectors[numbers[j]]; a != nil && b != nil {
					near = append(near, meaning.Distance(a, b))
				}
			}
			if len(near) <= most {
				return maxDistance
			}
			slices.Sort(near)
			return min(maxDistance, (near[most]*halfway+c.Embedding.Near-1)/c.Embedding.Near)
		}
	}
	if votes {
		v.Same = func(i, j int) bool {
			yes := 0
			for _, o := range all {
				if o.same[numbers[i]][numbers[j]] {
					yes++
				}
			}
			return yes > most
		}
	}
	return v
}
