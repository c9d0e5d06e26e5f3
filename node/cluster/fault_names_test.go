package cluster_test

import (
	"testing"

	"ojud/node/cluster"
	"ojud/sim/fault"
)

// TestVocabulary checks that package fault names every part of a devnet's judge and the lying
// holder, and no other flags of the devnet.
func TestVocabulary(t *testing.T) {
	flags := map[string]fault.Kind{"--absent": fault.Absent, "--contrary": fault.Contrary, "--equivocating": fault.Equivocator, "--lying": fault.LyingHolder}
	for _, p := range []cluster.Part{cluster.Contrary, cluster.Equivocating, cluster.Absent} {
		if flags["--"+p.String()] == "" {
			t.Errorf("the part %s has no name in package fault", p)
		}
	}
	for _, d := range fault.All() {
		if d.Devnet == "" {
			continue
		}
		if flags[d.Devnet] != d.Kind {
			t.Errorf("package fault says that %s is the flag %s", d.Kind, d.Devnet)
		}
		delete(flags, d.Devnet)
	}
	if len(flags) != 0 {
		t.Errorf("package fault does not list %v", flags)
	}
}
