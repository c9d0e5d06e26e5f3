package generator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/test/longtest"
	"ojud/voting"
)

// designs returns disputes of exams, of each kind, shape, support and answer in turn.
func designs(t *testing.T, name string, n int, typed bool) (all []Designed) {
	t.Helper()
	kinds, shapes, supports := ExamKinds(), Shapes(), []Support{Words, Core, Whole}
	for i := range n {
		pair := i / 2
		d, err := Examine(kinds[pair%len(kinds)], seedOf(name, i), Design{
			Answer: answerOf(i%2 == 0), Shape: shapes[pair/len(kinds)%len(shapes)], Support: supports[pair/len(kinds)/len(shapes)%3], Typed: typed,
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

func answerOf(accept bool) voting.Choice {
	if accept {
		return voting.Accept
	}
	return voting.Reject
}

// TestDesignedTwins: in an exam, the result and what the parties say do not depend on the answer
// either. The same seed with the other answer has another task, and nothing else.
func TestDesignedTwins(t *testing.T) {
	for _, kind := range ExamKinds() {
		for i, shape := range Shapes() {
			for k := range 12 {
				want := Design{Answer: voting.Accept, Shape: shape, Support: []Support{Words, Core, Whole}[k%3], Typed: k%2 == 0}
				seed := seedOf("designed "+string(kind), 100*i+k)
				a, err := Examine(kind, seed, want)
				if err != nil {
					t.Fatalf("%s %s: %v", kind, shape, err)
				}
				want.Answer = voting.Reject
				b, err := Examine(kind, seed, want)
				if err != nil {
					t.Fatalf("%s %s: %v", kind, shape, err)
				}
				if !bytes.Equal(a.Result, b.Result) || !bytes.Equal(a.Objection, b.Objection) || !bytes.Equal(a.Counter, b.Counter) {
					t.Fatalf("%s %s %d: what the worker and the parties wrote depends on the answer", kind, shape, k)
				}
				if fmt.Sprint(a.Replies) != fmt.Sprint(b.Replies) {
					t.Fatalf("%s %s %d: what the sources say depends on the answer", kind, shape, k)
				}
				if bytes.Equal(a.Task, b.Task) || a.Answer != voting.Accept || b.Answer != voting.Reject {
					t.Fatalf("%s %s %d: both tasks have one answer: %s", kind, shape, k, a.Task)
				}
				if !bytes.Equal(a.Result, a.Proof.Right) || bytes.Equal(b.Result, b.Proof.Right) {
					t.Fatalf("%s %s %d: the right result is not the right one", kind, shape, k)
				}
				if a.Plea != b.Plea || (a.Plea == Decisive) == (a.True == b.True) {
					t.Fatalf("%s %s %d: an objection that is %s and %t, and %s and %t", kind, shape, k, a.Plea, a.True, b.Plea, b.True)
				}
				for _, d := range []Designed{a, b} {
					if _, err := casefile.ParseTask(d.Task); err != nil {
						t.Fatal(err)
					}
					if _, err := casefile.ParseObjection(d.Objection); err != nil {
						t.Fatalf("%v\n%s", err, d.Objection)
					}
				}
			}
		}
	}
}

// TestDesignedPrograms: the check programs and tests of a task, which make the right result from
// the document by other means than the generator, say true of each right result and false of each
// wrong one. They see no mutant of a right result as right.
func TestDesignedPrograms(t *testing.T) {
	longtest.Only(t)
	var p proof.Prover
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ran := map[Kind]int{}
	for i, d := range designs(t, "programs", 2*3*len(ExamKinds())*len(Shapes()), false) {
		task, err := casefile.ParseTask(d.Task)
		if err != nil {
			t.Fatal(err)
		}
		says := func(result []byte) bool {
			for k, c := range task.Value.Expected {
				if !c.Runs() {
					continue
				}
				run, err := p.Run(t.Context(), task.Value, k, proof.Papers{Task: d.Task, Result: result})
				if err != nil {
					t.Fatalf("%s %s %d: %v\n%s", d.Kind, d.Shape, i, err, result)
				}
				if run.Said == runs.None {
					t.Fatalf("%s %s %d: the program does not answer: %s\n%s\n%s", d.Kind, d.Shape, i, run.Why, c.Program.JavaScript, result)
				}
				if run.Said == runs.False {
					return false
				}
			}
			return true
		}
		if !slices.ContainsFunc(task.Value.Expected, casefile.Check.Runs) {
			continue
		}
		ran[d.Kind]++
		if !says(d.Proof.Right) {
			t.Fatalf("%s %s %d: the right result is wrong\n%s\n%s", d.Kind, d.Shape, i, d.Task, d.Proof.Right)
		}
		if says(d.Result) != (d.Answer == voting.Accept) {
			t.Fatalf("%s %s %d: the answer is %s\n%s\n%s", d.Kind, d.Shape, i, d.Answer, d.Task, d.Result)
		}
		if mutant := mutate(t, d); d.Kind != Code && says(mutant) {
			t.Fatalf("%s %s %d: a mutant is right\n%s\n%s", d.Kind, d.Shape, i, d.Proof.Right, mutant)
		}
	}
	t.Log(ran)
}

// mutate changes one value of a right result.
func mutate(t *testing.T, d Designed) []byte {
	t.Helper()
	var right map[string]any
	if err := json.Unmarshal(d.Proof.Right, &right); err != nil {
		t.Fatal(err)
	}
	for name := range right {
		if slices.Contains(strings.Fields("note notes remark remarks comment comments hint message"), name) {
			delete(right, name)
		}
	}
	name := slices.Sorted(maps.Keys(right))[0]
	switch v := right[name].(type) {
	case float64:
		right[name] = v + 1
	case string:
		right[name] = v + "x"
	case []any:
		right[name] = append(v, "x")
	case map[string]any:
		delete(v, slices.Sorted(maps.Keys(v))[0])
	default:
		right[name] = nil
	}
	raw, err := json.Marshal(right)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestDesignedBlind: judges that do not look at the task are at chance in an exam, also if they
// learned from other exams.
func TestDesignedBlind(t *testing.T) {
	longtest.Only(t)
	const many = 2000
	for _, typed := range []bool{false, true} {
		all, before := designs(t, fmt.Sprint("blind", *another), many, typed), designs(t, fmt.Sprint("earlier", *another), many, typed)
		lengths := func(of func(d Designed) int) (middle int) {
			var all []int
			for _, d := range before {
				all = append(all, of(d))
			}
			slices.Sort(all)
			return all[many/2]
		}
		middle := lengths(func(d Designed) int { return len(d.Result) })
		pleas := func(d Designed) string { return string(d.Objection) + "\n" + string(d.Counter) }
		rules := map[string]func(d Designed) bool{
			"always yes":          func(Designed) bool { return true },
			"always no":           func(Designed) bool { return false },
			"longest pleading":    func(d Designed) bool { return len(d.Counter) > len(d.Objection) },
			"longest result":      func(d Designed) bool { return len(d.Result) > middle },
			"result that pleads":  func(d Designed) bool { return !d.Hostile },
			"objection of a kind": func(d Designed) bool { return d.Plea != Decisive },
		}
		for name, split := range features {
			for view, of := range map[string]func(Designed) string{
				"pleadings": pleas, "result and pleadings": func(d Designed) string { return string(d.Result) + pleas(d) },
			} {
				var samples []sample
				for _, d := range before {
					samples = append(samples, sample{of(d), d.Answer == voting.Accept})
				}
				b := learn(split, samples)
				rules["naive Bayes of "+name+" of "+view] = func(d Designed) bool { return b.score(of(d)) > 0 }
			}
		}
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			right := 0
			for _, d := range all {
				if rules[name](d) == (d.Answer == voting.Accept) {
					right++
				}
			}
			share := 100 * float64(right) / many
			t.Logf("typed %-5t %-48s right in %.1f %%", typed, name, share)
			if math.Abs(share-50) > 4 {
				t.Errorf("typed %t: %s: right in %.1f %%", typed, name, share)
			}
		}
	}
}

// TestDesignedBlindControl: the same classifiers find an exam whose parties argue well because they
// are right.
func TestDesignedBlindControl(t *testing.T) {
	longtest.Only(t)
	say := func(d Designed) string {
		if d.Answer == voting.Reject && len(d.Objection)%3 != 0 {
			return string(d.Objection) + " look at the figures"
		}
		return string(d.Objection)
	}
	var train []sample
	for _, d := range designs(t, "earlier", 600, false) {
		train = append(train, sample{say(d), d.Answer == voting.Accept})
	}
	b, right := learn(features["words"], train), 0
	all := designs(t, "control", 600, false)
	for _, d := range all {
		if (b.score(say(d)) > 0) == (d.Answer == voting.Accept) {
			right++
		}
	}
	if right < 360 {
		t.Errorf("right in %d of 600", right)
	}
}

// TestDesignedTrue: an objection is called true only if all that it says is so. One about a right
// result then demands nothing else, and names what stands there.
func TestDesignedTrue(t *testing.T) {
	demands := regexp.MustCompile(`(?i)\b(should|must|has to|instead of|the right)\b`)
	harmless := 0
	for _, d := range designs(t, "true", 1200, false) {
		var objection struct{ Reason string }
		if err := json.Unmarshal(d.Objection, &objection); err != nil {
			t.Fatal(err)
		}
		right, asks := d.Answer == voting.Accept, demands.MatchString(objection.Reason)
		switch {
		case d.True && right && (asks || d.Plea != Present):
			t.Errorf("a true objection to a right result demands something else: %q", objection.Reason)
		case d.Plea == Absent && d.True, d.Plea == Vague && d.True, d.Plea == Decisive && d.True == right:
			t.Errorf("%s, right %t, and called %t: %q", d.Plea, right, d.True, objection.Reason)
		case d.Plea == Present && !asks && !d.True:
			t.Errorf("called false, and it is so: %q", objection.Reason)
		case d.Plea == Present && d.True:
			harmless++
		}
	}
	if harmless < 100 {
		t.Errorf("%d of 1200 objections say what is so and no fault", harmless)
	}
}

// TestDesignedMixed: true and false objections meet good and bad results, and all shapes occur. A
// typed ground wants something else, so about a good result none is true.
func TestDesignedMixed(t *testing.T) {
	for _, typed := range []bool{false, true} {
		cells, largest := map[string]int{}, 0
		all := designs(t, "mixed", 1800, typed)
		for _, d := range all {
			if d.Plea != Vague {
				cells[fmt.Sprintf("%t objection, %s", d.True, d.Answer)]++
			}
			if d.Kind == Extraction {
				largest = max(largest, len(d.Task))
			}
			if d.Hostile != (d.Shape == Hostile) {
				t.Fatal("a hostile result of another shape")
			}
		}
		for name, n := range cells {
			if n < 100 {
				t.Errorf("typed %t: only %d of 1800 are %s", typed, n, name)
			}
		}
		if want := map[bool]int{false: 4, true: 3}[typed]; len(cells) != want || largest < 5_000 || largest > 50_000 {
			t.Errorf("%v; the largest extraction has %d bytes", cells, largest)
		}
		t.Logf("typed %t: %v, the largest extraction has %d bytes", typed, cells, largest)
	}
}
