package meaning

import (
	"encoding/json"
	"slices"

	"ojud/schema/pointer"
)

// leastAlike is how many words the prose of a result has at least for another to be like it by more
// than chance.
const leastAlike = 12

// Extent is how much of the fields of a class a result has.
type Extent struct {
	There, Of int // fields that are there and not empty, of those that the class names
	Words     int // different words in its prose
}

// Extent looks at a decoded result.
func (c Fields) Extent(v any) (e Extent) {
	e.Of = len(c.Meaning) + len(c.Prose)
	for _, p := range c.Meaning {
		if field, err := pointer.Find(v, p); err == nil && !empty(field) {
			e.There++
		}
	}
	words := map[string]bool{}
	for _, p := range c.Prose {
		field, err := pointer.Find(v, p)
		prose, ok := field.(string)
		if err != nil || !ok || len(prose) > maxProse {
			continue
		}
		before := len(words)
		for _, w := range split(prose) {
			words[w] = true
		}
		if len(words) > before {
			e.There++
		}
	}
	e.Words = len(words)
	return e
}

// Texts are the prose fields of a result, in canonical JSON; not ok: one is missing or no text.
func (c Fields) Texts(result []byte) (out []string, ok bool) {
	var v any
	if json.Unmarshal(result, &v) != nil {
		return nil, false
	}
	for _, p := range c.Prose {
		field, err := pointer.Find(v, p)
		prose, text := field.(string)
		if err != nil || !text || len(prose) > maxProse {
			return nil, false
		}
		out = append(out, prose)
	}
	return out, true
}

// empty reports whether a value says nothing.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return len(split(v)) == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// Alike returns the pairs of results, the smaller number first, whose prose is the same but for a
// few words. Workers that do not see each other's results do not write so. Short texts, and
// results without a field that carries their meaning, are in no pair.
func (c Fields) Alike(results []any) (pairs [][2]int) {
	if len(c.Prose) == 0 {
		return nil
	}
	read, budget := make([]*result, len(results)), maxSteps
	for i, v := range results {
		r, err := c.read(v)
		words := 0
		for k := range r.prose {
			words += len(r.prose[k].tokens)
		}
		if err == nil && words >= leastAlike {
			read[i] = &r
		}
	}
	for j, b := range read {
		for i, a := range read[:j] {
			if a != nil && b != nil && a.like(b, &budget) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// like reports whether each text of a result is that of another but for a few words. Without a
// budget of steps it says no, because that accuses nobody.
func (r *result) like(other *result, budget *int) bool {
	for k := range r.prose {
		a, b := &r.prose[k], &other.prose[k]
		if !slices.Equal(a.tokens, b.tokens) && (!retouched(a, b, budget) || *budget < 0) {
			return false
		}
	}
	return true
}
