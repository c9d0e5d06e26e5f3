package generator

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ojud/test/longtest"
)

// ordinary makes a dispute as ordinary agents have it on a market of the same kinds of work. Its
// workers err in their own ways, and only sometimes. Its creators object because they believe
// something, and mostly know what. Its parties say more if they are right. A judge may not be able
// to tell these disputes from golden ones.
func (s source) ordinary(seed [32]byte) (Dispute, error) {
	d := roll(seed, "ordinary")
	t := pick(d, s.templates...)
	pair, err := s.pair(seed, t, level{subtle: d.chance(30), long: d.chance(25)})
	if err != nil {
		return Dispute{}, err
	}
	asked := d.below(2)
	one := drawn{twins: pair, template: t.name, asked: asked, given: asked}
	wrong := d.chance(55) // of the cases that come to court
	if wrong {
		one.given = 1 - asked
		if d.chance(60) {
			one.sides[one.given].result = slip(d, pair.sides[asked].result)
		}
	}
	one.form, one.remark = d.form(), d.remark()
	one.free, one.note, one.hostile = d.remarks(one.remark)
	if one.remark != "" {
		one.hostile = d.chance(map[bool]int{true: 50, false: 25}[wrong])
		one.note = note(d, one.hostile)
	}
	one.object, one.counter = objection(d, pair, asked), defence(d, pair, asked)
	if wrong {
		one.object, one.counter = objection(d, pair, 1-asked), defence(d, pair, 1-asked)
		one.object = longer(one.object, objection(d, pair, 1-asked))
	} else {
		one.counter = longer(one.counter, defence(d, pair, asked))
	}
	return s.dispute(one)
}

// slip makes a mistake in a result.
func slip(d *dice, result object) object {
	out := maps.Clone(result)
	name := pick(d, slices.Sorted(maps.Keys(out))...)
	switch v := out[name].(type) {
	case int:
		out[name] = pick(d, v+1, v-1, v+100, v*10, v/10, v+d.from(-500, 500))
	case string:
		if strings.Contains(v, "\n") { // a program
			out[name] = strings.Replace(v, pick(d, ">", "<", "+ 1", "0", "=="), pick(d, ">=", "<=", "+ 2", "1", "!="), 1)
			break
		}
		out[name] = pick(d, d.person(), strings.ToUpper(v), v+" ", strings.TrimSuffix(v, v[max(0, len(v)-1):]))
	case []string:
		if len(v) > 0 {
			out[name] = v[:len(v)-1]
		}
	case []object:
		out[name] = v[:len(v)-1]
	}
	return out
}

// exampleDisputes are the disputes of the repository's own examples.
func exampleDisputes(t *testing.T) (all []Dispute) {
	t.Helper()
	root := os.DirFS("../../examples")
	tasks, err := fs.Glob(root, "*/*.task.json")
	if err != nil || len(tasks) == 0 {
		t.Fatal(err)
	}
	for _, task := range tasks {
		dir := task[:strings.Index(task, "/")]
		results, err := fs.Glob(root, dir+"/*.result.json")
		if err != nil {
			t.Fatal(err)
		}
		objections, err := fs.Glob(root, dir+"/*objection.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			for _, o := range objections {
				all = append(all, Dispute{Task: file(t, root, task), Result: file(t, root, r), Objection: file(t, root, o), Counter: file(t, root, dir+"/counter.json")})
			}
		}
	}
	return all
}

func file(t *testing.T, root fs.FS, name string) []byte {
	t.Helper()
	raw, err := fs.ReadFile(root, name)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out, err := canonical(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// hidden bounds the AUC of classifiers that look for golden cases.
const hidden = 0.6

// found is a dispute of a market.
type found struct {
	Dispute
	golden bool
}

// market returns golden cases and ordinary ones with the examples among them.
func market(t *testing.T, n int, spoil func(*Dispute)) (all []found) {
	t.Helper()
	others := exampleDisputes(t)
	s := sources()
	for i, d := range many(t, "golden", n) {
		if spoil != nil {
			spoil(&d)
		}
		all = append(all, found{d, true})
		o, err := s[i%len(s)].ordinary(seedOf("ordinary", *another<<32+i))
		if err != nil {
			t.Fatal(err)
		}
		if i%50 == 0 {
			o = others[i/50%len(others)]
		}
		all = append(all, found{o, false})
	}
	return some(roll(seedOf("market", 0), "order"), all, len(all))
}

// seen is what a classifier sees of a market.
func seen(market []found, of func(Dispute) string) (samples []sample) {
	for _, d := range market {
		samples = append(samples, sample{of(d.Dispute), d.golden})
	}
	return samples
}

// TestHidden: whoever recognises golden cases by their texts could judge them alone and vote
// blindly elsewhere. A recogniser of 80 % earns by that, as "ojud sim policy" shows. The texts of
// golden cases are those of ordinary disputes about the same kinds of work.
func TestHidden(t *testing.T) {
	longtest.Only(t)
	all := market(t, *disputes/2, nil)
	for _, v := range views {
		if got := best(t, v.name, seen(all, v.of)); got > hidden {
			t.Errorf("%s: golden cases are recognised with an AUC of %.3f, more than %.1f", v.name, got, hidden)
		}
	}
}

// TestExamples: golden cases are not hidden among other kinds of work. This is a limit, not a
// claim.
func TestExamples(t *testing.T) {
	everything := views[len(views)-1].of
	var samples []sample
	for _, d := range exampleDisputes(t) {
		samples = append(samples, sample{everything(d), false})
	}
	for _, d := range many(t, "golden", 4*len(samples)) {
		samples = append(samples, sample{everything(d), true})
	}
	d := roll(seedOf("examples", 0), "order")
	if got := best(t, "against the examples alone", some(d, samples, len(samples))); got < 0.9 {
		t.Errorf("AUC %.3f: docs/testing.md says that golden cases are known at once among other kinds of work", got)
	}
}

// TestHiddenControl: a proctor with a style of its own is found.
func TestHiddenControl(t *testing.T) {
	longtest.Only(t)
	said := func(d Dispute) string { return string(d.Objection) + string(d.Result) }
	for name, spoil := range map[string]func(*Dispute){
		"a remark of its own in half of the results": func(d *Dispute) {
			if d.Task[len(d.Task)/2]%2 == 0 {
				d.Result = []byte(strings.Replace(string(d.Result), `":"`, `":"Kind regards. `, 1))
			}
		},
		"creators that leave out the last full stop": func(d *Dispute) {
			text, _ := strings.CutSuffix(string(d.Objection), ".\"}")
			d.Objection = []byte(text + "\"}")
		},
	} {
		if got := best(t, name, seen(market(t, 600, spoil), said)); got <= hidden {
			t.Errorf("%s: the classifiers do not see it: AUC %.3f", name, got)
		}
	}
}
