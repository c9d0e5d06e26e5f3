package exchange_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
)

var seeds = flag.Int("seeds", 40, "how many simulated courts")

// TestSimulation: with any holders, a session keeps its deadline and its budgets and takes only
// answers that verify. It gets the answer of an honest holder if there is time, blames no honest
// one, and its record matches its answers.
func TestSimulation(t *testing.T) {
	for seed := range *seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { simulate(t, rand.New(rand.NewPCG(uint64(seed), 1))) })
		})
	}
}

// court is a simulated one.
type court struct {
	*web
	rng    *rand.Rand
	honest []casefile.DID
	liars  []casefile.DID // some of them answer nonsense with a good receipt
}

func simulate(t *testing.T, rng *rand.Rand) {
	var judges []judge
	for i := range 1 + rng.IntN(5) {
		judges = append(judges, newJudge(i))
	}
	c := &court{web: newWeb(t, judges...), rng: rng}
	defer c.close()
	c.trickle = time.Duration(rng.IntN(2000)) * time.Millisecond
	for i := range rng.IntN(10) {
		c.populate(newJudge(100 + i))
	}
	rng.Shuffle(len(c.cards), func(i, j int) { c.cards[i], c.cards[j] = c.cards[j], c.cards[i] })
	for range 1 + rng.IntN(3) {
		var work sync.WaitGroup
		for _, j := range judges {
			d, long, n := c.desk(j, nil), time.Duration(10+rng.IntN(200))*time.Second, 1+rng.IntN(6)
			work.Go(func() { c.evaluate(t, d, long, n) })
		}
		work.Wait()
	}
}

// populate adds a holder of a random kind.
func (c *court) populate(j judge) {
	kinds := hostile()
	names := []string{}
	for name, k := range kinds {
		if k.config == nil && k.serve == nil { // the other kinds suffice
			names = append(names, name)
		}
	}
	slices.Sort(names)
	switch c.rng.IntN(5) {
	case 0, 1:
		b := newBook(`"truth"`)
		b.delay = time.Duration(c.rng.IntN(3000)) * time.Millisecond
		c.holder(j, b, nil)
		c.honest = append(c.honest, j.peer)
	case 2:
		c.holder(j, newBook(`"lie"`), nil)
		c.liars = append(c.liars, j.peer)
	case 3:
		kinds[names[c.rng.IntN(len(names))]].place(c.web, j)
	case 4:
		c.says(j.peer, nil)
		if serve := [](func(context.Context, exchange.Stream)){nil, silent, babble}[c.rng.IntN(3)]; serve != nil {
			c.serve(j.peer, func(ctx context.Context, _ casefile.DID, line exchange.Stream) { serve(ctx, line) })
		}
	}
}

// evaluate asks some questions and checks the results.
func (c *court) evaluate(t *testing.T, d desk, long time.Duration, questions int) {
	s := d.open(t, long)
	deadline := time.Now().Add(long)
	var all []exchange.Answer
	var mu sync.Mutex
	var work sync.WaitGroup
	for i := range questions {
		work.Go(func() {
			answers, err := ask(s, fmt.Sprint(i%4))
			mu.Lock()
			defer mu.Unlock()
			all = append(all, answers...)
			c.look(t, answers, err)
			if err != nil && len(c.honest) > 0 && len(c.cards) <= 8 && long >= 150*time.Second {
				t.Errorf("%v: there is an honest holder and time: %v", err, s.Record())
			}
		})
	}
	work.Wait()
	if !time.Now().Before(deadline) {
		t.Errorf("%s after the deadline", time.Since(deadline))
	}
	s.Close()
	if late := time.Since(deadline); late > 4*time.Second { // the last messages: twice Linger
		t.Errorf("closed %s after the deadline", late)
	}
	d.verify(t, s, all...)
	if n := len(s.Record()); n != min(questions, 4) {
		t.Errorf("%d records of %d questions", n, questions)
	}
	for _, honest := range slices.Concat(c.honest, c.liars) {
		if classes := d.blamed.all[honest]; len(classes) > 0 {
			t.Errorf("%s is blamed for %v", honest, classes)
		}
	}
}

func (c *court) look(t *testing.T, answers []exchange.Answer, err error) {
	bodies := map[string]bool{}
	for _, a := range answers {
		bodies[string(a.Content)] = true
	}
	disputed := slices.ContainsFunc(answers, func(a exchange.Answer) bool { return a.Disputed })
	switch {
	case err != nil && (len(answers) > 0 || !classed(err)):
		t.Errorf("%d answers, %v", len(answers), err)
	case err == nil && (len(answers) == 0 || len(answers) > 3):
		t.Errorf("%d answers", len(answers))
	case len(peers(answers)) != len(answers):
		t.Error("two answers of one holder")
	case disputed && len(answers) < 2:
		t.Error("disputed by nobody")
	}
}

func classed(err error) bool {
	return slices.ContainsFunc([]error{exchange.ErrUnavailable, exchange.ErrRefused, exchange.ErrBadRequest, exchange.ErrSpent}, func(class error) bool { return errors.Is(err, class) })
}
