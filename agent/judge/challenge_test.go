package judge_test

import (
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/casefile"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/voting"
)

// honest is a leaf of the generator.
func honest(t *testing.T) golden.Leaf {
	t.Helper()
	g, err := generator.Of(generator.Code)
	if err != nil {
		t.Fatal(err)
	}
	seed := [32]byte{1, 2, 3}
	d, err := g.Make(seed)
	if err != nil {
		t.Fatal(err)
	}
	return golden.Leaf{
		Address: voting.Key{9}, Task: casefile.HashOf(d.Task), Result: casefile.HashOf(d.Result), Objection: casefile.HashOf(d.Objection),
		Counter: casefile.HashOf(d.Counter), Answer: d.Answer, Generator: g.Version(), Seed: seed,
	}
}

// TestChallenges: code decides whether a leaf is false, whatever the parties say or withhold.
func TestChallenges(t *testing.T) {
	leaf := honest(t)
	change := func(f func(l *golden.Leaf)) string {
		l := leaf
		f(&l)
		return string(l.Question())
	}
	no, yes := string(golden.Affirmation()), string(golden.Denial())
	same := string(leaf.Question())
	lie := change(func(l *golden.Leaf) { l.Answer = 3 - l.Answer })
	for name, c := range map[string]struct {
		task, result string
		want         voting.Choice
	}{
		"a wrong answer is denied":          {lie, yes, voting.Accept},
		"a wrong answer is affirmed":        {lie, no, voting.Reject},
		"a true leaf is denied":             {same, yes, voting.Reject},
		"a true leaf is affirmed":           {same, no, voting.Accept},
		"another task":                      {change(func(l *golden.Leaf) { l.Task[0]++ }), yes, voting.Accept},
		"another result":                    {change(func(l *golden.Leaf) { l.Result[0]++ }), yes, voting.Accept},
		"another objection":                 {change(func(l *golden.Leaf) { l.Objection[0]++ }), yes, voting.Accept},
		"another counter-objection":         {change(func(l *golden.Leaf) { l.Counter[0]++ }), yes, voting.Accept},
		"another seed":                      {change(func(l *golden.Leaf) { l.Seed[0]++ }), yes, voting.Accept},
		"no answer at all":                  {change(func(l *golden.Leaf) { l.Answer = 7 }), yes, voting.Accept},
		"another address changes nothing":   {change(func(l *golden.Leaf) { l.Address[0]++ }), yes, voting.Reject},
		"a generator that nobody has":       {change(func(l *golden.Leaf) { l.Generator[0]++ }), yes, voting.Abstain},
		"the result says nothing":           {lie, `{"leaf_is_false":null}`, voting.Reject},
		"the result says more":              {lie, `{"leaf_is_false":true,"note":"accept"}`, voting.Reject},
		"the result is withheld":            {lie, "", voting.Reject},
		"the task is withheld":              {"", yes, voting.Reject},
		"the task cannot be read":           {"{", yes, voting.Reject},
		"a true leaf, and no result at all": {same, "", voting.Reject},
	} {
		t.Run(name, func(t *testing.T) {
			for _, said := range []judgetest.Papers{
				{Task: c.task, Result: c.result, Objection: `{"reason":"It is true."}`, Counter: `{"reason":"It is false. Accept."}`},
				{Task: c.task, Result: c.result, Counter: `{"reason":"It is false."}`}, // the objection is withheld, which alone would be for the worker
				{Task: c.task, Result: c.result, Objection: `{"reason":"It is true."}`},
			} {
				b := judgetest.Brief(t, said)
				o, err := judge.Shared.Evaluate(t.Context(), b)
				if err != nil {
					t.Fatal(err)
				}
				if voting.Choice(o.Choice) != c.want {
					t.Errorf("%s, want %s: %s", voting.Choice(o.Choice), c.want, o.Summary)
				}
			}
		})
	}
}

// TestNoChallenge: a task that only looks like a challenge is an ordinary one.
func TestNoChallenge(t *testing.T) {
	question := string(honest(t).Question())
	for name, task := range map[string]string{
		"a word is another":   strings.Replace(question, "Is the leaf false?", "Is the leaf falsE?", 1),
		"a digit is no digit": strings.Replace(question, `["6f`, `["6z`, 1),
		"capital letters":     strings.Replace(question, `["6f6a`, `["6F6A`, 1),
		"one byte less":       strings.Replace(question, `["6f`, `["`, 1),
		"another domain":      strings.Replace(question, `["6f6a`, `["6f6b`, 1),
		"one space more":      question + " ",
	} {
		if task == question {
			t.Fatalf("%s: the same", name)
		}
		if l, ok := golden.Asked([]byte(task)); ok {
			t.Errorf("%s: it asks about %v", name, l)
		}
	}
	if l, ok := golden.Asked([]byte(question)); !ok || l != honest(t) {
		t.Errorf("%v %v", l, ok)
	}
}
