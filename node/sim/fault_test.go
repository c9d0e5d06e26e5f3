package sim

import (
	"slices"
	"testing"

	"ojud/sim/fault"
)

// TestVocabulary: a seed plans exactly those faults that package fault marks for a court.
func TestVocabulary(t *testing.T) {
	var listed []string
	for _, d := range fault.All() {
		if d.Court {
			listed = append(listed, string(d.Kind))
		}
	}
	planned := everything()
	slices.Sort(listed)
	slices.Sort(planned)
	if !slices.Equal(listed, planned) {
		t.Errorf("package fault lists\n%v, a seed plans\n%v", listed, planned)
	}
}
