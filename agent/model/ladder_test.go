package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"ojud/agent"
)

// TestNextModel: after any fault the next model answers, and the usage covers both.
func TestNextModel(t *testing.T) {
	for name, does := range map[string]host{
		"busy": fails(429, always), "down": fails(500, always), "refusing": fails(401, always), "gone": fails(0, always), "hanging": takes(time.Hour),
		"prose": answers("<html>"),
	} {
		t.Run(name, func(t *testing.T) {
			flying(t, func(t *testing.T, a *air) {
				l := a.ladder(t, config(a.host("first", does), a.host("second", takes(time.Second))))
				reply, took, err := within(t, l, 5*time.Minute)
				if err != nil || reply.Model != "second" || reply.Usage.Calls != 2 || took > 92*time.Second {
					t.Errorf("reply %+v after %s, error %v", reply, took, err)
				}
			})
		})
	}
}

// TestAllFail: the error lists every model's fault.
func TestAllFail(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		l := a.ladder(t, config(a.host("first", fails(429, always)), a.host("second", fails(500, always))))
		_, _, err := within(t, l, time.Minute)
		if !errors.Is(err, agent.ErrBusy) || !errors.Is(err, agent.ErrDown) || errors.Is(err, agent.ErrSpent) {
			t.Error(err)
		}
		same(t, "text", fmt.Sprint(err), "first: agent: the model server is busy: it answers 429 Too Many Requests\n"+
			"second: agent: the model server cannot be reached: it answers 500 Internal Server Error")
	})
}

// TestRetries: a server that is busy or down is asked again after a growing pause. A server that
// refuses is not.
func TestRetries(t *testing.T) {
	for _, test := range []struct {
		code, times, want int
		least, most       time.Duration
	}{
		{429, 2, 3, 750 * time.Millisecond, 1500 * time.Millisecond}, {503, 1, 2, 250 * time.Millisecond, 500 * time.Millisecond},
		{502, 2, 3, 750 * time.Millisecond, 1500 * time.Millisecond}, {0, 2, 3, 750 * time.Millisecond, 1500 * time.Millisecond},
		{500, 3, 3, 750 * time.Millisecond, 1500 * time.Millisecond}, {400, 1, 1, 0, 0}, {401, 1, 1, 0, 0}, {404, 1, 1, 0, 0},
	} {
		t.Run(fmt.Sprint(test.code, test.times), func(t *testing.T) {
			flying(t, func(t *testing.T, a *air) {
				c := config(a.host("m", fails(test.code, test.times)))
				c.Retries = 2
				reply, took, err := within(t, a.ladder(t, c), 5*time.Minute)
				if (err == nil) != (test.want > test.times) {
					t.Error(err)
				}
				if err == nil {
					took -= time.Second // the time of the answer
				}
				same(t, "requests", a.times("m"), test.want)
				same(t, "calls", reply.Usage.Calls, test.want)
				if took < test.least || took > test.most+10*time.Millisecond {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// TestRetryAfter is fault 9: the wait that a server asks for is kept if there is time. If not, the
// next model is asked at once, and the busy one rests for that wait.
func TestRetryAfter(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		c := config(a.host("m", fails(429, 1, "Retry-After", "20")))
		c.Retries = 2
		_, took, err := within(t, a.ladder(t, c), time.Minute)
		if err != nil || took < 20*time.Second || took > 22*time.Second {
			t.Errorf("took %s, error %v", took, err)
		}
	})
	flying(t, func(t *testing.T, a *air) {
		c := config(a.host("m", fails(429, always, "Retry-After", "20")))
		c.Retries = 2
		_, took, err := within(t, a.ladder(t, c), 10*time.Second)
		if !errors.Is(err, agent.ErrBusy) || took > time.Second {
			t.Errorf("took %s, error %v", took, err)
		}
	})
	flying(t, func(t *testing.T, a *air) {
		c := config(a.host("m", fails(429, always, "Retry-After", "45")), a.host("n", takes(time.Second)))
		c.Retries = 2
		reply, took, err := within(t, a.ladder(t, c), 5*time.Minute)
		if err != nil || reply.Model != "n" || took > 2*time.Second { // there is time for 45s, and no need
			t.Errorf("%s answered after %s, error %v", reply.Model, took, err)
		}
	})
	flying(t, func(t *testing.T, a *air) {
		c := config(a.host("m", fails(429, 1, "Retry-After", "600")), a.host("n", takes(time.Second)))
		c.Retries = 2
		l := a.ladder(t, c)
		for _, want := range []struct {
			model string
			later time.Duration
		}{{"n", 0}, {"n", 9 * time.Minute}, {"m", 2 * time.Minute}} {
			time.Sleep(want.later)
			reply, took, err := within(t, l, 5*time.Minute)
			if err != nil || reply.Model != want.model || took > 2*time.Second {
				t.Errorf("%s answered after %s, error %v; want %s", reply.Model, took, err, want.model)
			}
		}
	})
}

// TestRest: a model that hangs costs its timeout once and is then asked last for a while. If it is
// the only model, it is still asked.
func TestRest(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		hangs := func(n int) (int, http.Header, string, time.Duration) {
			return 200, nil, completed("yes", "stop"), map[bool]time.Duration{true: time.Hour, false: time.Second}[n == 0]
		}
		l := a.ladder(t, config(a.host("m", hangs), a.host("n", takes(time.Second))))
		for i, want := range []string{"n", "n", "n"} {
			reply, took, err := within(t, l, 8*time.Minute)
			if err != nil || reply.Model != want || (took > 2*time.Second) != (i == 0) {
				t.Errorf("%s answered after %s, error %v", reply.Model, took, err)
			}
		}
		time.Sleep(minRest)
		if reply, _, err := within(t, l, 8*time.Minute); err != nil || reply.Model != "m" {
			t.Errorf("%s answered, error %v", reply.Model, err)
		}
	})
	flying(t, func(t *testing.T, a *air) {
		l := a.ladder(t, config(a.host("m", fails(500, 1))))
		if _, _, err := within(t, l, time.Minute); !errors.Is(err, agent.ErrDown) {
			t.Error(err)
		}
		same(t, "down", fmt.Sprint(l.Down()), "[m]")
		if _, _, err := within(t, l, time.Minute); err != nil {
			t.Error(err)
		}
		same(t, "down after an answer", fmt.Sprint(l.Down()), "[]")
	})
}

// TestRestGrows: a model that keeps failing is asked less and less often, up to a bound. After an
// answer, its count starts anew.
func TestRestGrows(t *testing.T) {
	p, now := &pace{}, time.Now()
	for _, want := range []float64{15, 30, 60, 120, 240, 300, 300, 300, 300, 300, 300} {
		p.struck(now, 0)
		same(t, "seconds of rest", p.until.Sub(now).Seconds(), want)
	}
	p.answered(now, time.Second)
	same(t, "resting", p.resting(now), false)
	p.struck(now, time.Hour)
	same(t, "rest that was asked for", p.until.Sub(now), time.Hour)
}

// TestGivenUp: if the caller goes away, that does not count against the model.
func TestGivenUp(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		l := a.ladder(t, config(a.host("m", takes(time.Minute))))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		if _, err := l.Generate(ctx, question()); !errors.Is(err, context.Canceled) || !errors.Is(err, agent.ErrDown) {
			t.Error(err)
		}
		if r := l.Reports()[0]; r.Resting || r.Most != 0 {
			t.Errorf("%+v", r)
		}
	})
}

// TestSlow: a model is skipped if its answers usually take longer than the time left. If all do,
// the first model is asked that answers in time in half of the cases. If there is none, the call
// fails at once.
func TestSlow(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		l := a.ladder(t, config(a.host("slow", takes(40*time.Second)), a.host("quick", takes(5*time.Second))))
		for _, want := range []struct {
			left  time.Duration
			model string
		}{{8 * time.Minute, "slow"}, {time.Minute, "slow"}, {30 * time.Second, "quick"}} {
			if reply, _, err := within(t, l, want.left); err != nil || reply.Model != want.model {
				t.Errorf("%s answered in %s, error %v", reply.Model, want.left, err)
			}
		}
		if _, took, err := within(t, l, 4*time.Second); !errors.Is(err, agent.ErrDown) || took != 0 {
			t.Errorf("took %s, error %v", took, err)
		}
		time.Sleep(memory)
		if _, took, err := within(t, l, 4*time.Second); !errors.Is(err, agent.ErrDown) || took == 0 {
			t.Errorf("took %s, error %v: what was slow is never tried again", took, err)
		}
	})
	flying(t, func(t *testing.T, a *air) {
		uneven := func(n int) (int, http.Header, string, time.Duration) {
			return 200, nil, completed("yes", "stop"), map[bool]time.Duration{true: time.Minute, false: time.Second}[n%5 == 4]
		}
		l := a.ladder(t, config(a.host("m", uneven)))
		for range 5 {
			if _, _, err := within(t, l, 8*time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := within(t, l, 10*time.Second); err != nil {
			t.Error(err)
		}
		r := l.Reports()[0]
		same(t, "median", r.Median, time.Second)
		same(t, "most", r.Most, time.Minute)
	})
}

// TestTimeForTheNext: a model leaves time for the models after it.
func TestTimeForTheNext(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		l := a.ladder(t, config(a.host("m", takes(time.Hour)), a.host("n", takes(5*time.Second))))
		for _, want := range []struct{ left, took time.Duration }{
			{20 * time.Second, 15 * time.Second},         // nothing is known: half is m's
			{12 * time.Second, 5 * time.Second},          // m failed within 10s, so 12s are too little
			{40 * time.Second, 37500 * time.Millisecond}, // m gets all but the time that n needs
		} {
			reply, took, err := within(t, l, want.left)
			if err != nil || reply.Model != "n" || took != want.took {
				t.Errorf("%s answered after %s, error %v", reply.Model, took, err)
			}
		}
	})
}

// TestWithoutDeadline: a call without a deadline ends, too.
func TestWithoutDeadline(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		l := a.ladder(t, config(a.host("m", takes(time.Hour)), a.host("n", takes(time.Hour))))
		started := time.Now()
		if _, err := l.Generate(t.Context(), question()); !errors.Is(err, agent.ErrDown) {
			t.Error(err)
		}
		same(t, "took", time.Since(started), 2*defaultTimeout)
	})
}

// TestNameAndFamilies checks the names in opinions and registrations.
func TestNameAndFamilies(t *testing.T) {
	var entries []Endpoint
	for i := range maxModels {
		entries = append(entries, Endpoint{Name: fmt.Sprintf("model-%02d", i), Provider: ollama, Model: "x", Family: []string{"llama", "", "qwen"}[i%3]})
	}
	same(t, "short", opened(t, config(entries[:2]...)).Name(), "model-00,model-01")
	l := opened(t, config(entries...))
	same(t, "long", l.Name(), "model-00,model-01,model-02,model-03,model-04,model-05,model-06,model-07,model-08,model-09,model-10,model-11,model-12,model-13,+2")
	same(t, "families", fmt.Sprint(l.Families()), "[llama qwen]")
	same(t, "case", l.Session(l.Budget()).Name(), l.Name())
}

// TestProbe: each model is asked and reported.
func TestProbe(t *testing.T) {
	flying(t, func(t *testing.T, a *air) {
		reports := a.ladder(t, config(a.host("m", answers(completed(`{"ok":true}`, "stop"))), a.host("n", fails(401, always)))).Probe(soon(t, time.Minute))
		if r := reports[0]; r.Err != nil || r.Took != time.Second || r.Median != time.Second || r.Resting {
			t.Errorf("%+v", r)
		}
		if r := reports[1]; !errors.Is(r.Err, agent.ErrRefused) || !r.Resting || r.Fault == "" {
			t.Errorf("%+v", r)
		}
	})
}

// TestAnotherFamily: a prompt that wants another family goes to the first model of one, or to the
// same model as others if there is none, if it fails, or if it rests.
func TestAnotherFamily(t *testing.T) {
	of := func(e Endpoint, family string) Endpoint { e.Family = family; return e }
	for name, c := range map[string]struct {
		families [3]string
		second   host
		want     []string // of the questions, one after the other
	}{
		"another":   {[3]string{"a", "a", "b"}, takes(time.Second), []string{"third", "third"}},
		"both":      {[3]string{"a", "b", "b"}, takes(time.Second), []string{"second", "second"}},
		"it fails":  {[3]string{"a", "b", "a"}, fails(401, always), []string{"first", "first"}},
		"one alone": {[3]string{"a", "a", "a"}, takes(time.Second), []string{"first", "first"}},
		"not named": {[3]string{"a", "", "b"}, takes(time.Second), []string{"third", "third"}},
		"no names":  {[3]string{"", "", "b"}, takes(time.Second), []string{"first", "first"}},
	} {
		t.Run(name, func(t *testing.T) {
			flying(t, func(t *testing.T, a *air) {
				l := a.ladder(t, config(of(a.host("first", takes(time.Second)), c.families[0]), of(a.host("second", c.second), c.families[1]), of(a.host("third", takes(time.Second)), c.families[2])))
				for _, want := range c.want {
					reply, err := l.Generate(soon(t, time.Minute), question(func(p *agent.Prompt) { p.Besides = []string{c.families[0]} }))
					if err != nil || reply.Model != want {
						t.Errorf("%s answers, not %s: %v", reply.Model, want, err)
					}
				}
				if reply, _, err := within(t, l, time.Minute); err != nil || reply.Model != "first" {
					t.Errorf("without the wish, %s answers: %v", reply.Model, err)
				}
			})
		})
	}
}

// TestFamilyIsBack: the first family fails and rests, so that the second gives two samples. When
// the first is back, it is asked for the others. While it rests, the second gives all.
func TestFamilyIsBack(t *testing.T) {
	for _, c := range []struct {
		gap  time.Duration
		want string
	}{{0, "llama"}, {10 * time.Minute, "qwen"}} {
		flying(t, func(t *testing.T, a *air) {
			first, second := a.host("qwen", fails(401, 1)), a.host("llama", takes(time.Second))
			first.Family, second.Family = "qwen", "llama"
			s := a.ladder(t, config(first, second)).Session(Budget{Calls: 20, Tokens: 1 << 20, Cost: 1, Time: time.Hour})
			var besides []string
			for n, want := range []string{"llama", "llama", c.want, c.want} {
				if n == 2 {
					time.Sleep(c.gap) // of the clock of the test
					besides = []string{"llama"}
				}
				reply, err := s.Generate(soon(t, time.Minute), question(func(p *agent.Prompt) { p.Besides = besides }))
				if err != nil || reply.Family != want {
					t.Errorf("after %v, sample %d is of %s, not of %s: %v", c.gap, n, reply.Family, want, err)
				}
			}
		})
	}
}
