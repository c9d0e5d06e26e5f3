package rules_test

import (
	"testing"

	"ojud/voting/rules"
)

// exam computes how often a judge that is right with probability p, and always votes, passes and
// fails within so many golden cases, exactly; and after how many cases half and 90 % have passed.
func exam(p float64, cases int) (passed, failed float64, half, most int) {
	states := map[rules.Credential]float64{{}: 1}
	for n := 1; n <= cases; n++ {
		next := map[rules.Credential]float64{}
		for c, weight := range states {
			for right, share := range map[bool]float64{true: p, false: 1 - p} {
				d := c
				if d.Seen++; right {
					d.Right++
				} else {
					d.Wrong++
				}
				switch {
				case d.Proven():
					passed += weight * share
				case !d.Holds():
					failed += weight * share
				default:
					next[d] += weight * share
				}
			}
		}
		states = next
		if half == 0 && passed >= 0.5 {
			half = n
		}
		if most == 0 && passed >= 0.9 {
			most = n
		}
	}
	return passed, failed, half, most
}

// best is how often a coin passes that chooses before each golden case whether it votes, as well as
// it can, in 199 cases. From a state that is left after them, a coin passes at most with the chance
// base^(−missing), where missing is what its score lacks.
func best() float64 {
	const most = 199
	value := func(c rules.Credential, later map[rules.Credential]float64) float64 {
		switch {
		case c.Proven():
			return 1
		case !c.Holds():
			return 0
		}
		return later[c]
	}
	later := map[rules.Credential]float64{}
	for n := uint16(most); ; n-- {
		now := map[rules.Credential]float64{}
		for right := uint16(0); right <= n; right++ {
			for wrong := uint16(0); right+wrong <= n; wrong++ {
				c := rules.Credential{Right: right, Wrong: wrong, Seen: n}
				if c.Proven() || !c.Holds() {
					continue
				}
				if n == most {
					halved := rules.Credential{Right: right / 2, Wrong: wrong / 2}
					now[c] = power(rules.PassScore - halved.Score())
					continue
				}
				c.Seen++
				votes := (value(rules.Credential{Right: right + 1, Wrong: wrong, Seen: n + 1}, later) +
					value(rules.Credential{Right: right, Wrong: wrong + 1, Seen: n + 1}, later)) / 2
				c.Seen--
				abstains := value(rules.Credential{Right: right, Wrong: wrong, Seen: n + 1}, later)
				now[c] = max(votes, abstains)
			}
		}
		if later = now; n == 0 {
			return later[rules.Credential{}]
		}
	}
}

// power is 1.1787 to the power of −n.
func power(n int) float64 {
	out := 1.0
	for range n {
		out /= 1.1787
	}
	return out
}

// TestNoviceScore: a coin passes once in a hundred at most, also if it abstains when it likes, and
// a judge that is right in 70 % in nine of ten. ADR 0099 has these figures.
func TestNoviceScore(t *testing.T) {
	for _, c := range []struct{ p, least, most float64 }{{0.5, 0, 0.01}, {0.6, 0, 0.5}, {0.7, 0.9, 1}, {0.8, 0.99, 1}, {0.9, 0.99, 1}, {1, 1, 1}} {
		passed, failed, half, most := exam(c.p, 199)
		t.Logf("right in %.0f %%: %.4f pass, %.4f fail within 199 golden cases; half after %d, 90 %% after %d", 100*c.p, passed, failed, half, most)
		if passed < c.least || passed > c.most {
			t.Errorf("right in %.0f %%: %.4f pass", 100*c.p, passed)
		}
	}
	coin := best()
	t.Logf("a coin that abstains as well as it can: %.4f", coin)
	if coin > 0.01 {
		t.Errorf("a coin that abstains as well as it can passes in %.4f", coin)
	}
}
