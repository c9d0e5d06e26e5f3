package quota

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource"
)

// TestMeter: over any time at most a burst and the rate go through, and memory is bounded.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		m, rate := newMeter[string](2), datasource.Rate{Requests: 5, Seconds: 10}
		var passed []time.Time
		for range 2000 {
			time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
			if m.Take("a", rate) {
				passed = append(passed, time.Now())
			}
		}
		for i := range passed[5:] { // the naive view: a window of twice the time has a burst and ten seconds' worth
			if i+10 < len(passed) && passed[i+10].Sub(passed[i]) < 10*time.Second {
				t.Fatalf("11 requests in %s", passed[i+10].Sub(passed[i]))
			}
		}
		if len(passed) < 1000 {
			t.Errorf("only %d passed", len(passed))
		}
		for range 5 {
			m.Take("b", rate)
		}
		if m.Take("c", rate) || len(m.due) != 2 {
			t.Error("a third key, while two have to wait")
		}
		time.Sleep(11 * time.Second)
		if !m.Take("c", rate) || len(m.due) != 1 {
			t.Error("no room although no asker waits")
		}
	})
}

// TestTally: rounds are counted apart, and the oldest is forgotten.
func TestTally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newCounter(2)
		a, b, c := Share{Task: casefile.Address{1}}, Share{Task: casefile.Address{1}, Round: 1}, Share{Task: casefile.Address{3}}
		for i, key := range []Share{a, a, b, a, c, b} {
			time.Sleep(time.Second)
			if got := y.Take(key, casefile.Address{byte(i)}, 1, 2); got != (i != 3) {
				t.Errorf("%d: %v", i, got)
			}
		}
		if len(y.count) != 2 || y.count[a] != nil {
			t.Error(y.count)
		}
	})
}

// TestParts: however greedy some judges of a panel are, every other one has its part.
func TestParts(t *testing.T) {
	const seats = 28
	for _, quota := range []int{1, 5, 28, 29, 100, 280} {
		for greedy := range seats {
			y, all := newCounter(1), 0
			for judge := range seats {
				for n := 0; y.Take(Share{}, casefile.Address{byte(judge)}, seats, quota); n++ {
					if all++; judge >= greedy && n+1 >= quota/seats {
						break // an honest judge asks for its part only
					}
				}
				if part := quota / seats; judge >= greedy && y.count[Share{}].judges[casefile.Address{byte(judge)}] < part {
					t.Errorf("quota %d, %d greedy: judge %d has less than %d", quota, greedy, judge, part)
				}
			}
			if all > quota || greedy == seats-1 && quota >= seats && all != quota {
				t.Errorf("quota %d, %d greedy: %d requests", quota, greedy, all)
			}
		}
	}
}
