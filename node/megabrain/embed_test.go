package megabrain

import (
	"strings"
	"testing"
)

// TestAttackNoVector: a node that is silent for a while must not make a result as far from all
// others as can be, and who gives its result to nobody must not keep the others from vectors.
func TestAttackNoVector(t *testing.T) {
	t.Parallel()
	all := []HandedIn{{Worker: "ada", Hash: "1", Text: "{}"}, {Worker: "bob", Hash: "2", Lacks: "no node has it"}, {Worker: "eve"}}
	for _, x := range []struct {
		points int
		want   string
	}{{80, "the result of bob has points and is not here (no node has it)"}, {0, ""}} {
		got, err := texts(all, []Score{{Worker: "ada", Score: 90}, {Worker: "bob", Score: x.points}})
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%d points: %v", x.points, err)
		}
		if err == nil && (len(got) != 1 || string(got["ada"]) != "{}") {
			t.Errorf("%d points: %q", x.points, got)
		}
	}
}
