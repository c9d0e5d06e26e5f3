package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"ojud/agent/judge/prose"
)

// Unique reports whether the items of a list differ.
func Unique(list []any) (bool, string) {
	seen := map[string]int{}
	for i, v := range list {
		raw, err := Canonical(v)
		if err != nil {
			return false, fmt.Sprintf("item %d cannot be written", i)
		}
		if first, ok := seen[string(raw)]; ok {
			return false, fmt.Sprintf("the items %d and %d are the same", first, i)
		}
		seen[string(raw)] = i
	}
	return true, fmt.Sprintf("its %d items differ", len(list))
}

// Sorted reports whether a list of numbers, or of texts, is in order. If the order of two texts
// depends on their case, it is not for code to tell.
func Sorted(list []any, descending bool) (bool, string) {
	less := func(a, b any) (int, bool) {
		if x, ok := a.(string); ok {
			y, both := b.(string)
			n := strings.Compare(x, y)
			return n, both && n == strings.Compare(prose.Fold(x), prose.Fold(y))
		}
		x, first := a.(json.Number)
		y, second := b.(json.Number)
		if !first || !second {
			return 0, false
		}
		m, err := x.Float64() // a number of JSON is one, so nothing is rounded
		n, bad := y.Float64()
		return cmp.Compare(m, n), err == nil && bad == nil
	}
	for i := range list[:max(len(list)-1, 0)] {
		n, ok := less(list[i], list[i+1])
		if !ok {
			return false, fmt.Sprintf("the items %d and %d have no order", i, i+1)
		}
		if descending && n < 0 || !descending && n > 0 {
			return false, fmt.Sprintf("the items %d and %d are out of order", i, i+1)
		}
	}
	return true, fmt.Sprintf("its %d items are in order", len(list))
}
