package votetest_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ojud/sim/fault"
	"ojud/voting/votetest"
)

// TestVocabulary: every option that package fault names exists here, and every adversary and
// strategy has a name there.
func TestVocabulary(t *testing.T) {
	named := map[string]fault.Kind{}
	for _, d := range fault.All() {
		for option := range strings.SplitSeq(d.Core, ", ") {
			if field, ok := strings.CutPrefix(option, "Network."); ok && !has(votetest.Network{}, field) {
				t.Errorf("%s: Network has no field %s", d.Kind, field)
			}
			if field, ok := strings.CutPrefix(option, "Ledger."); ok && !has(votetest.Ledger{}, field) {
				t.Errorf("%s: Ledger has no field %s", d.Kind, field)
			}
			if field, ok := strings.CutPrefix(option, "Faults."); ok && !has(votetest.Faults{}, field) {
				t.Errorf("%s: Faults has no field %s", d.Kind, field)
			}
			if field, ok := strings.CutPrefix(option, "Opinions."); ok && !has(votetest.Opinions{}, field) {
				t.Errorf("%s: Opinions has no field %s", d.Kind, field)
			}
			if option != "" && !strings.Contains(option, ".") {
				named[option] = d.Kind
			}
		}
	}
	var misbehaviour []string
	for a := votetest.Absent; a <= votetest.RelayEquivocator; a++ {
		kind := fault.Kind(a.String())
		i := slices.IndexFunc(fault.All(), func(d fault.Definition) bool { return d.Kind == kind })
		if i < 0 {
			t.Errorf("package fault has no name for the adversary %s", a)
			continue
		}
		misbehaviour = append(misbehaviour, strings.Split(fault.All()[i].Core, ", ")[0])
	}
	for s := votetest.Missing; s < votetest.Mixed; s++ {
		kind := fault.Kind(s.String())
		i := slices.IndexFunc(fault.All(), func(d fault.Definition) bool { return d.Kind == kind })
		if i < 0 {
			t.Errorf("package fault has no name for the strategy %s", s)
			continue
		}
		options := strings.Split(fault.All()[i].Core, ", ")
		misbehaviour = append(misbehaviour, options[len(options)-1])
	}
	for _, option := range misbehaviour {
		delete(named, option)
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
