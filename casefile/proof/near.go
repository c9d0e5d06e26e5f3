package proof

import (
	"bytes"
	"encoding/json"
	"math/big"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/demand"
)

// sameWithin reports whether two values are equal in canonical form, if their numbers, at any
// depth, may differ by so much. Without within they may not.
func sameWithin(want, got, within json.RawMessage) (bool, error) {
	want, err := canon.JSON(want, casefile.MaxDocument)
	if err != nil {
		return false, err
	}
	got, err = canon.JSON(got, casefile.MaxDocument)
	if err != nil {
		return false, err
	}
	if most, ok := demand.Number(string(within)); ok {
		return near(want, got, most), nil
	}
	return bytes.Equal(want, got), nil
}

// near is sameWithin for canonical values.
func near(want, got json.RawMessage, within *big.Rat) bool {
	if bytes.Equal(want, got) {
		return true
	}
	var x, y map[string]json.RawMessage
	var p, q []json.RawMessage
	switch {
	case want[0] == '{' && got[0] == '{' && json.Unmarshal(want, &x) == nil && json.Unmarshal(got, &y) == nil:
		for name, v := range x {
			if w, ok := y[name]; !ok || !near(v, w, within) {
				return false
			}
		}
		return len(x) == len(y)
	case want[0] == '[' && got[0] == '[' && json.Unmarshal(want, &p) == nil && json.Unmarshal(got, &q) == nil:
		if len(p) != len(q) {
			return false
		}
		for i := range p {
			if !near(p[i], q[i], within) {
				return false
			}
		}
		return true
	}
	a, ok := demand.Number(string(want))
	b, also := demand.Number(string(got))
	return ok && also && new(big.Rat).Abs(a.Sub(a, b)).Cmp(within) <= 0
}
