package model

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent"
)

// TestBudgets: each limit of a case ends it with ErrSpent before it is exceeded. Another case has
// its own limits.
func TestBudgets(t *testing.T) {
	plenty := Budget{Calls: 100, Tokens: 100_000, Cost: 1, Time: time.Hour}
	for name, test := range map[string]struct {
		change func(*Budget)
		want   int // answers
	}{
		"calls":   {func(b *Budget) { b.Calls = 3 }, 3},
		"tokens":  {func(b *Budget) { b.Tokens = 149 }, 3},     // 105 are set aside (5 of the prompt, 100 of the answer), 15 taken
		"cost":    {func(b *Budget) { b.Cost = 0.000_250 }, 3}, // 205 millionths are set aside, 20 taken
		"nothing": {func(b *Budget) { *b = Budget{} }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			flying(t, func(t *testing.T, a *air) {
				e := a.host("m", takes(time.Second))
				e.PromptPrice, e.CompletionPrice = 1, 2
				l := a.ladder(t, config(e))
				b := plenty
				test.change(&b)
				c := l.Session(b)
				n, err := 0, error(nil)
				for ; err == nil && n < 100; n++ {
					_, _, err = within(t, c, time.Hour)
				}
				n--
				if !errors.Is(err, agent.ErrSpent) {
					t.Error(err)
				}
				same(t, "answers", n, test.want)
				same(t, "usage", c.Usage(), agent.Usage{Calls: n, Prompt: 10 * n, Completion: 5 * n, Cost: uint64(20 * n), Time: time.Duration(n) * time.Second})
				if _, _, err := within(t, l.Session(plenty), time.Hour); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestBudgetTime: a request ends at the latest when the budget's time is over.
func TestBudgetTime(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		c := a.ladder(t, config(a.host("m", takes(time.Hour)))).Session(Budget{Calls: 10, Tokens: 10_000, Time: 5 * time.Second})
		_, took, err := within(t, c, time.Hour)
		if !errors.Is(err, agent.ErrDown) || took != 5*time.Second {
			t.Errorf("took %s, error %v", took, err)
		}
		if _, took, err = within(t, c, time.Hour); !errors.Is(err, agent.ErrSpent) || took != 0 {
			t.Errorf("took %s, error %v", took, err)
		}
	})
}

// TestBudgetAtOnce: samples taken at once share one budget and cannot exceed it.
func TestBudgetAtOnce(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		c := a.ladder(t, config(a.host("m", takes(time.Second)))).Session(Budget{Calls: 100, Tokens: 5 * 105, Time: time.Hour})
		var all sync.WaitGroup
		var mu sync.Mutex
		var spent, answered int
		for range 20 {
			all.Go(func() {
				_, _, err := within(t, c, time.Hour)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					answered++
				case errors.Is(err, agent.ErrSpent):
					spent++
				}
			})
		}
		all.Wait()
		same(t, "answered", answered, 5)
		same(t, "spent", spent, 15)
		same(t, "usage", c.Usage().Calls, 5)
	})
}

// TestCheaperModel: if a model costs too much, a cheaper one takes the case.
func TestCheaperModel(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		dear := a.host("dear", takes(time.Second))
		dear.PromptPrice, dear.CompletionPrice = 15, 75
		l := a.ladder(t, config(dear, a.host("free", takes(time.Second))))
		reply, _, err := within(t, l.Session(Budget{Calls: 10, Tokens: 10_000, Time: time.Hour}), time.Hour)
		if err != nil || reply.Model != "free" || reply.Usage.Calls != 1 {
			t.Errorf("reply %+v, error %v", reply, err)
		}
		same(t, "asked", a.times("dear"), 0)
	})
}

// TestLyingServer: the accounts stay right if a server claims no tokens or an absurd number of
// them.
func TestLyingServer(t *testing.T) {
	for claim, want := range map[string]int{"9223372036854775807": maxCount, "1e300": 2, "-1": 2, "0": 2, `"many"`: 2, "null": 2} {
		flying(t, func(t *testing.T, a *air) {
			e := a.host("m", answers(strings.Replace(completed("hello", "stop"), `"completion_tokens":5`, `"completion_tokens":`+claim, 1)))
			e.CompletionPrice = 10_000
			c := a.ladder(t, config(e)).Session(Budget{Calls: 10, Tokens: 100_000, Cost: 10, Time: time.Hour})
			if _, _, err := within(t, c, time.Hour); err != nil {
				t.Error(err)
			}
			same(t, claim, c.Usage().Completion, want)
			same(t, "cost of "+claim, c.Usage().Cost, uint64(want)*10_000)
			if _, _, err := within(t, c, time.Hour); errors.Is(err, agent.ErrSpent) != (want == maxCount) {
				t.Error(claim, err)
			}
		})
	}
}

// TestWhatFaultsCost: a request that was refused or never arrived costs nothing. A request without
// an answer costs its prompt.
func TestWhatFaultsCost(t *testing.T) {
	for name, test := range map[string]struct {
		does host
		paid bool
	}{
		"busy": {fails(429, always), false}, "refused": {fails(400, always), false}, "down": {fails(500, always), false},
		"late": {takes(time.Hour), true}, "broke": {fails(0, always), true}, "prose": {answers("<html>"), true},
		"cut": {answers(completed("yes", "length")), true},
	} {
		flying(t, func(t *testing.T, a *air) {
			c := a.ladder(t, config(a.host("m", test.does))).Session(Budget{Calls: 10, Tokens: 100_000, Time: time.Hour})
			if _, _, err := within(t, c, time.Hour); err == nil {
				t.Error(name)
			}
			if u := c.Usage(); u.Calls != 1 || (u.Prompt > 0) != test.paid {
				t.Errorf("%s: %+v", name, u)
			}
		})
	}
}

// TestUsed: a model's calls are counted for its owner, and a case once however often it asks.
func TestUsed(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		calls := 0
		falls := func(int) (int, http.Header, string, time.Duration) {
			if calls++; calls == 3 {
				return 400, nil, "no", time.Second
			}
			return 200, nil, completed("yes", "stop"), time.Second
		}
		l := a.ladder(t, config(a.host("m", falls), a.host("n", takes(time.Second))))
		if u := l.Reports()[0].Used; u != (Used{}) {
			t.Errorf("%+v", u)
		}
		for range 2 {
			c := l.Session(Budget{Calls: 10, Tokens: 10_000, Time: time.Hour})
			for range 2 {
				if _, _, err := within(t, c, time.Hour); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := l.Reports()
		m, n := r[0].Used, r[1].Used
		if m.Cases != 2 || m.Answered != 3 || m.Failed != 1 || m.Cost.Prompt == 0 || m.Cost.Time != 4*time.Second || r[0].Failing {
			t.Errorf("%+v", r[0])
		}
		if n.Cases != 1 || n.Answered != 1 || n.Failed != 0 || n.Last != "answered" {
			t.Errorf("%+v", r[1])
		}
	})
}
