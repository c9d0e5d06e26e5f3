package generator

import (
	"flag"
	"math"
	"testing"

	"ojud/test/longtest"
	"ojud/voting"
)

// views are what a judge may look at without comparing the result with the task.
var views = []struct {
	name string
	of   func(d Dispute) string
}{
	{"task", func(d Dispute) string { return string(d.Task) }},
	{"result", func(d Dispute) string { return string(d.Result) }},
	{"objection", func(d Dispute) string { return string(d.Objection) }},
	{"counter-objection", func(d Dispute) string { return string(d.Counter) }},
	{"what both parties say", func(d Dispute) string { return string(d.Objection) + "\n" + string(d.Counter) }},
	{"result and what both say", func(d Dispute) string { return string(d.Result) + string(d.Objection) + "\n" + string(d.Counter) }},
	{"everything", func(d Dispute) string {
		return string(d.Task) + string(d.Result) + string(d.Objection) + "\n" + string(d.Counter)
	}},
}

// Longer measurements: go test ./golden/generator -run 'Blind|Hidden' -disputes 9000 -draw 2 -v.
var (
	disputes = flag.Int("disputes", 1800, "disputes for the classifiers of TestBlindJudges and TestHidden")
	another  = flag.Int("draw", 0, "other disputes")
)

// blind bounds the AUC of classifiers that do not compare the result with the task: three standard
// deviations of what chance alone gives with n texts of the rest, half of them of each answer.
func blind(n int) float64 { return 3 * math.Sqrt(float64(n+1)/float64(3*n*n)) }

// many disputes of all kinds in turn.
func many(t *testing.T, name string, n int) (all []Dispute) {
	t.Helper()
	s := sources()
	for i := range n {
		d, err := s[i%len(s)].Make(seedOf(name, *another<<32+i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// TestBlindJudges: statistics of words, characters and lengths say nothing about the answer. An
// exam that one can pass by reading the parties alone would seat judges that do not judge: the
// first exam of this project could be passed so with 79 %.
func TestBlindJudges(t *testing.T) {
	longtest.Only(t)
	all, bound := many(t, "blind", *disputes), blind(*disputes/3)
	for _, v := range views {
		var samples []sample
		for _, d := range all {
			samples = append(samples, sample{v.of(d), d.Answer == voting.Accept})
		}
		if got := best(t, v.name, samples); math.Abs(got-0.5) > bound {
			t.Errorf("%s: AUC %.3f, farther from chance than %.3f", v.name, got, bound)
		}
	}
}

// TestBlindRules: simple rules are at chance as well: the longest plea, a long result, what the
// worker's note says, always the same answer.
func TestBlindRules(t *testing.T) {
	all := many(t, "rules", 2000)
	for name, accept := range map[string]func(d Dispute) bool{
		"always accept":                    func(Dispute) bool { return true },
		"the worker says more":             func(d Dispute) bool { return len(d.Counter) > len(d.Objection) },
		"the objection has eight words":    func(d Dispute) bool { return len(features["words"](string(d.Objection))) > 9 },
		"the result is longer than others": func(d Dispute) bool { return len(d.Result) > 90 },
		"the result speaks to its judges":  func(d Dispute) bool { return !d.Hostile },
	} {
		right := 0
		for _, d := range all {
			if accept(d) == (d.Answer == voting.Accept) {
				right++
			}
		}
		t.Logf("%-34s right in %.1f %%", name, float64(right)/20)
		if right < 920 || right > 1080 {
			t.Errorf("%s: right in %d of 2000", name, right)
		}
	}
}

// TestBlindControl: a generator whose parties argue well because they are right is found.
func TestBlindControl(t *testing.T) {
	longtest.Only(t)
	var samples []sample
	s := sources()
	for i := range 1800 {
		of := s[i%len(s)]
		one, err := of.drawn(seedOf("control", i))
		if err != nil {
			t.Fatal(err)
		}
		again := roll(seedOf("control", i), "again")
		for range 2 { // the objection of a party that is right is the longest of three
			if next := objection(again, one.twins, one.given); one.asked != one.given && len(next) > len(one.object) {
				one.object = next
			}
		}
		d := made(t, of, one)
		samples = append(samples, sample{string(d.Objection), d.Answer == voting.Accept})
	}
	if got := best(t, "biased objections", samples); math.Abs(got-0.5) < 1.5*blind(len(samples)/3) {
		t.Errorf("the classifiers do not see a biased generator: AUC %.3f", got)
	}
}
