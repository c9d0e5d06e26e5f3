package court_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ojud/sim/fault"
	"ojud/voting/votetest/byzantine"
	"ojud/voting/votetest/court"
)

// TestVocabulary: every option that package fault names exists here, and every adversary and
// strategy has a name there.
func TestVocabulary(t *testing.T) {
	named := map[string]fault.Kind{}
	options := map[string]any{
		"Network": court.Network{}, "Ledger": court.Ledger{}, "Faults": court.Faults{}, "Opinions": court.Opinions{},
	}
	for _, d := range fault.All() {
		for option := range strings.SplitSeq(d.Core, ", ") {
			if group, field, ok := strings.Cut(option, "."); !ok && option != "" {
				named[option] = d.Kind
			} else if ok && (options[group] == nil || !has(options[group], field)) {
				t.Errorf("%s: the options have no field %s", d.Kind, option)
			}
		}
	}
	known := func(kind string) []string {
		i := slices.IndexFunc(fault.All(), func(d fault.Definition) bool { return string(d.Kind) == kind })
		if i < 0 {
			t.Fatalf("package fault has no name for %s", kind)
		}
		return strings.Split(fault.All()[i].Core, ", ")
	}
	for a := court.Absent; a <= court.RelayEquivocator; a++ {
		delete(named, known(a.String())[0])
	}
	for s := byzantine.Missing; s < byzantine.Mixed; s++ {
		all := known(s.String())
		delete(named, all[len(all)-1])
	}
	if len(named) != 0 {
		t.Errorf("package fault names adversaries or strategies that are not here: %v", named)
	}
}

// has reports whether a struct has a field of that name.
func has(options any, field string) bool {
	_, ok := reflect.TypeOf(options).FieldByName(field)
	return ok
}
