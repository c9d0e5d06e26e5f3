package judge_test

import (
	"os"
	"path/filepath"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/voting"
)

// TestAttackHolderForHalf: a holder answers some judges of a panel and not the others, and the work
// was not done. Those that hear it reject. The others accept if the objection says that the
// expected checks fail, because a check that no holder answers counts against the creator, and
// abstain if it says something else. It is a limit: if they abstained always, the creator could
// name a source that only its own judge has. So the test holds how many have to hear nothing.
func TestAttackHolderForHalf(t *testing.T) {
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("..", "..", "examples", "post", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	vote := func(objection string, heard bool) voting.Choice {
		b := judgetest.Brief(t, judgetest.Papers{Task: read("dated.task"), Result: read("good.result"), Objection: reason(objection), Counter: reason("It is right.")})
		if b.Evidence = judge.Evidence(judge.NoSources{}); heard {
			b.Evidence = explorer{"1843": `{"author":"worker","at":"2026-03-03T09:30:00Z","text":"Something else."}`}
		}
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return voting.Choice(o.Choice)
	}
	const checks, plain = "The result does not pass the expected checks.", "The post says something else."
	for _, c := range []struct {
		objection string
		heard     bool
		want      voting.Choice
	}{{checks, true, voting.Reject}, {plain, true, voting.Reject}, {checks, false, voting.Accept}, {plain, false, voting.Abstain}} {
		if got := vote(c.objection, c.heard); got != c.want {
			t.Errorf("%q, heard %t: %s instead of %s", c.objection, c.heard, got, c.want)
		}
	}
	const passes = 66 // percent of the votes for a side, which accept has to exceed (voting/rules.PassPercent)
	for panel, silent := range map[int]int{7: 5, 28: 19} {
		paid := func(accept int) bool { return 100*accept > passes*panel }
		if paid(silent-1) || !paid(silent) {
			t.Errorf("of %d judges of equal weight, %d are not the fewest that have to hear nothing", panel, silent)
		}
	}
}
