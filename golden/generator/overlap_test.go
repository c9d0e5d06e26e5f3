package generator

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ojud/test/longtest"
	"ojud/voting"
)

// overlap describes how much of one text stands in another: words, numbers, and pieces of five
// words. It is what somebody sees who searches the task for the words of a party.
func overlap(of, in string) string {
	var out []string
	whole := " " + strings.Join(features["words"](in), " ") + " "
	words := features["words"](of)
	for _, n := range []int{1, 2, 3, 5} {
		missing, all := 0, 0
		for i := n; i <= len(words); i++ {
			piece := strings.Join(words[i-n:i], " ")
			if n == 1 && !strings.ContainsAny(piece, "0123456789") {
				continue
			}
			if all++; !strings.Contains(whole, " "+piece+" ") {
				missing++
			}
		}
		out = append(out, fmt.Sprintf("m%d=%d", n, missing), fmt.Sprintf("f%d=%d", n, all-missing), fmt.Sprintf("s%d=%d", n, 8*missing/max(all, 1)))
	}
	return strings.Join(out, " ")
}

// TestOverlap: a search of the task for the words of a party finds those of the wrong party as
// often. An earlier generator let the parties quote the task of a function. Then the words of the
// right party stood in the task, and a search was right in three of four disputes.
func TestOverlap(t *testing.T) {
	longtest.Only(t)
	all := many(t, "overlap", 2**disputes)
	for _, v := range []struct {
		name string
		of   func(d Dispute) string
	}{
		{"objection in task", func(d Dispute) string { return overlap(string(d.Objection), string(d.Task)) }},
		{"counter-objection in task", func(d Dispute) string { return overlap(string(d.Counter), string(d.Task)) }},
		{"objection in result", func(d Dispute) string { return overlap(string(d.Objection), string(d.Result)) }},
		{"counter-objection in result", func(d Dispute) string { return overlap(string(d.Counter), string(d.Result)) }},
		{"result in task", func(d Dispute) string { return overlap(string(d.Result), string(d.Task)) }},
	} {
		kinds := map[Kind][]sample{}
		for _, d := range all {
			one := sample{v.of(d), d.Answer == voting.Accept}
			kinds[d.Kind], kinds["all"] = append(kinds[d.Kind], one), append(kinds["all"], one)
		}
		for _, kind := range append(Kinds(), "all") {
			samples := kinds[kind]
			if got, bound := best(t, v.name+", "+string(kind), samples), blind(len(samples)/3); math.Abs(got-0.5) > bound {
				t.Errorf("%s, %s: AUC %.3f, farther from chance than %.3f", v.name, kind, got, bound)
			}
		}
	}
}

// TestOverlapControl: parties that quote the task as they read it are found.
func TestOverlapControl(t *testing.T) {
	longtest.Only(t)
	var samples []sample
	s := sources()
	for i := range 900 {
		of := s[i%len(s)]
		one, err := of.drawn(seedOf("quotes", i))
		if err != nil {
			t.Fatal(err)
		}
		one.object += " " + strings.Join(one.sides[1-one.given].instruction, " ")
		d := made(t, of, one)
		samples = append(samples, sample{overlap(string(d.Objection), string(d.Task)), d.Answer == voting.Accept})
	}
	if got := best(t, "objections that quote", samples); math.Abs(got-0.5) < 1.5*blind(len(samples)/3) {
		t.Errorf("the classifiers do not see it: AUC %.3f", got)
	}
}
