package sim

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/test/longtest"
	"ojud/voting"
)

// quiet returns a plan of judges of equal weight that all accept. It has no faults.
func quiet(seed uint64, judges int) plan {
	p := plan{seed: seed, drift: 1, opinion: "accept", who: make([]adversary, judges), cases: []time.Duration{0}}
	for i := range judges {
		p.stakes = append(p.stakes, 2e9)
		p.minds = append(p.minds, mind{voting.Accept, time.Duration(5+5*i) * time.Second})
	}
	return p
}

// finds fails the test unless a property is among the broken ones.
func finds(t *testing.T, broken []string, property string) {
	t.Helper()
	if !slices.ContainsFunc(broken, func(s string) bool { return strings.HasPrefix(s, property+":") }) {
		t.Errorf("%s was not found broken, but %q", property, broken)
	}
}

// TestControls: if one protection is off and all others are on, the property that it protects is
// found broken.
func TestControls(t *testing.T) {
	longtest.Only(t)
	t.Run("colluders above a third", func(t *testing.T) {
		p := quiet(1, 5)
		for _, i := range []int{3, 4} {
			p.who[i], p.minds[i] = colluder, mind{voting.Reject, time.Second}
		}
		broken, _ := play(t, p, nil)
		finds(t, broken, "honest-majority-decides")
	})
	t.Run("sign guard off", func(t *testing.T) {
		p := quiet(2, 5)
		p.unguarded = 2
		broken, _ := play(t, p, nil)
		finds(t, broken, "no-double-vote")
		finds(t, broken, "no-innocent-slashed")
	})
	t.Run("relays off", func(t *testing.T) {
		p := quiet(4, 5)
		p.events = []event{{kind: rpcDown, at: 28 * time.Second, lasts: 5 * time.Minute, node: 3}}
		p.minds[3].takes = 25 * time.Second // it knows of the draw long before, and thinks until after
		if broken, _ := play(t, p, nil); len(broken) > 0 {
			t.Errorf("with relays on: %q", broken)
		}
		p.uncarried = true
		broken, _ := play(t, p, nil)
		finds(t, broken, "no-innocent-slashed")
	})
	t.Run("a node that nobody starts again", func(t *testing.T) {
		p := quiet(3, 5)
		p.abandoned = 2
		broken, _ := play(t, p, nil)
		finds(t, broken, "no-innocent-slashed")
		finds(t, broken, "files-agree-with-chain")
	})
}
