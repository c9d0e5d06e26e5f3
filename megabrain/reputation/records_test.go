package reputation_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"ojud/megabrain/reputation"
)

const day = 24 * 3600

func book() *reputation.Records {
	return reputation.New(reputation.Defaults(), map[string][]string{"maths": {"physics"}})
}

// proven lets an agent pass golden tasks and succeed in others.
func proven(b *reputation.Records, agent string, role reputation.Role, class string, tasks int) {
	for range tasks {
		b.Golden(agent, role, class, 0, true)
		b.Outcome(agent, role, class, 0, reputation.Good)
	}
}

// TestTells has scores for results of known truth. The pass mark is 50 and the tolerance 10.
func TestTells(t *testing.T) {
	right, wrong := true, false
	for _, k := range []struct {
		name string
		seen []reputation.Seen
		want bool
	}{
		{"looks", []reputation.Seen{{right, 80}, {wrong, 30}, {right, 70}}, true},
		{"is strict", []reputation.Seen{{right, 50}, {wrong, 0}}, true},
		{"is lenient", []reputation.Seen{{right, 95}, {wrong, 59}}, true},
		{"is too lenient", []reputation.Seen{{right, 95}, {wrong, 60}}, false},
		{"rejects a right one", []reputation.Seen{{right, 49}, {wrong, 0}}, false},
		{"stamps", []reputation.Seen{{right, 85}, {wrong, 85}}, false},
		{"stamps low", []reputation.Seen{{right, 5}, {wrong, 5}}, false},
		{"varies less than the tolerance", []reputation.Seen{{right, 55}, {wrong, 46}}, false},
		{"takes one for another", []reputation.Seen{{right, 60}, {wrong, 20}, {wrong, 58}}, false},
		{"only right ones", []reputation.Seen{{right, 80}, {right, 90}}, false},
		{"only wrong ones", []reputation.Seen{{wrong, 10}}, false},
		{"nothing", nil, false},
	} {
		if got := reputation.Tells(k.seen, 50, 10); got != k.want {
			t.Errorf("%s: %v", k.name, got)
		}
	}
}

// TestSources: golden tasks make a reputation, and agreement with others adds as much at most. A
// role, a class and an agent have records of their own; a near class counts in part.
func TestSources(t *testing.T) {
	b := book()
	newcomer := b.Value("new", reputation.Worker, "maths", 0)
	for range 100 {
		b.Outcome("agreeing", reputation.Worker, "maths", 0, reputation.Good)
	}
	if v := b.Value("agreeing", reputation.Worker, "maths", 0); v != newcomer {
		t.Errorf("100 tasks of agreement are worth %d, no record %d", v, newcomer)
	}
	for range 100 {
		b.Golden("golden", reputation.Worker, "maths", 0, true)
	}
	half := b.Value("golden", reputation.Worker, "maths", 0)
	proven(b, "both", reputation.Worker, "maths", 100)
	full := b.Value("both", reputation.Worker, "maths", 0)
	if half <= newcomer || half >= reputation.Whole*6/10 || full <= reputation.Whole*9/10 {
		t.Errorf("golden tasks alone are worth %d, both %d", half, full)
	}
	proven(b, "physicist", reputation.Worker, "physics", 100)
	near := b.Value("physicist", reputation.Worker, "maths", 0)
	if near <= newcomer || near >= b.Value("physicist", reputation.Worker, "physics", 0) {
		t.Errorf("a record in a near class is worth %d", near)
	}
	for _, k := range []struct {
		role  reputation.Role
		class string
	}{{reputation.Evaluator, "physics"}, {reputation.Worker, "law"}} {
		if v := b.Value("physicist", k.role, k.class, 0); v != newcomer {
			t.Errorf("%v: %d", k, v)
		}
	}
}

// TestDecay: a record is worth less as it gets old, however often one looks.
func TestDecay(t *testing.T) {
	b := book()
	proven(b, "a", reputation.Worker, "law", 20)
	before := b.Value("a", reputation.Worker, "law", 0)
	for month := range int64(40) {
		now := b.Value("a", reputation.Worker, "law", (month+1)*30*day)
		if now > before {
			t.Fatalf("%d after %d months, %d before", now, month, before)
		}
		before = now
	}
	if before > 1100 {
		t.Errorf("after 40 months %d", before)
	}
	daily, once := book(), book()
	proven(daily, "a", reputation.Worker, "law", 20)
	proven(once, "a", reputation.Worker, "law", 20)
	for d := range int64(90) {
		daily.Outcome("a", reputation.Worker, "other", d*day, reputation.Good)
		daily.Value("a", reputation.Worker, "law", d*day)
	}
	if a, b := daily.Value("a", reputation.Worker, "law", 90*day), once.Value("a", reputation.Worker, "law", 90*day); a != b {
		t.Errorf("%d, if one looks every day, and %d", a, b)
	}
}

// TestStamp: an evaluator that does not tell right from wrong is frozen for 30 days, and then has
// to restore itself by five tasks. One that errs now and then is not. Workers are never stamps.
func TestStamp(t *testing.T) {
	b := book()
	proven(b, "stamp", reputation.Evaluator, "law", 50)
	failed := 0
	for !b.Golden("stamp", reputation.Evaluator, "law", 0, false) {
		failed++
	}
	if failed != 3 {
		t.Errorf("it fails %d golden tasks before the one that shows it", failed)
	}
	for _, k := range []struct {
		at   int64
		want int
	}{{0, 0}, {30*day - 1, 0}, {30 * day, 1000}} {
		if v := b.Value("stamp", reputation.Evaluator, "law", k.at); v != k.want {
			t.Errorf("at %d: %d", k.at, v)
		}
	}
	for i := range 5 {
		if v := b.Value("stamp", reputation.Evaluator, "law", 30*day); v != 1000 {
			t.Errorf("%d after %d tasks", v, i)
		}
		b.Golden("stamp", reputation.Evaluator, "law", 30*day, true)
	}
	if v := b.Value("stamp", reputation.Evaluator, "law", 30*day); v <= 1000 {
		t.Errorf("%d after five tasks", v)
	}
	for i := range 400 {
		if b.Golden("errs", reputation.Evaluator, "law", 0, i%4 > 0) {
			t.Fatal("one that errs in every fourth task is taken for a stamp")
		}
		if b.Golden("worker", reputation.Worker, "law", 0, false) {
			t.Fatal("a worker is taken for a stamp")
		}
	}
}

// TestRestore: after low effort, a record counts again after five tasks.
func TestRestore(t *testing.T) {
	b := book()
	proven(b, "a", reputation.Worker, "law", 50)
	b.Outcome("a", reputation.Worker, "law", 0, reputation.LowEffort)
	for i := range 5 {
		if v := b.Value("a", reputation.Worker, "law", 0); v != 1000 {
			t.Errorf("%d after %d tasks", v, i)
		}
		b.Outcome("a", reputation.Worker, "law", 0, reputation.Good)
	}
	if v := b.Value("a", reputation.Worker, "law", 0); v < 8000 {
		t.Errorf("%d after five tasks", v)
	}
}

// TestMonotone: a success never lowers a reputation, and a failure never raises it.
func TestMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	for range 300 {
		b, at := book(), int64(0)
		for range 60 {
			at += r.Int64N(20 * day)
			before := b.Value("a", reputation.Worker, "maths", at)
			class := []string{"maths", "physics"}[r.IntN(2)]
			good := r.IntN(3) > 0
			if r.IntN(2) == 0 {
				b.Golden("a", reputation.Worker, class, at, good)
			} else {
				b.Outcome("a", reputation.Worker, class, at, map[bool]reputation.End{true: reputation.Good, false: reputation.Failed}[good])
			}
			after := b.Value("a", reputation.Worker, "maths", at)
			if good && after < before || !good && after > before {
				t.Fatalf("%v in %s: from %d to %d", good, class, before, after)
			}
		}
	}
}

// TestSplitting: one agent under several names, each with a part of the stake and of the tasks, is
// drawn no more often than under one name.
func TestSplitting(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 3))
	for range 400 {
		b, names := book(), 2+r.IntN(6)
		split, skill := 0, 20+r.IntN(81)
		const each = 24 // tasks of each kind for each name
		for n := range names {
			name := fmt.Sprint(n)
			for range each {
				good, end := r.IntN(100) < skill, reputation.Failed
				if r.IntN(100) < skill {
					end = reputation.Good
				}
				for _, who := range []string{name, "one"} {
					b.Golden(who, reputation.Worker, "law", 0, good)
					b.Outcome(who, reputation.Worker, "law", 0, end)
				}
			}
			split += b.Value(name, reputation.Worker, "law", 0)
		}
		if one := names * b.Value("one", reputation.Worker, "law", 0); split > one+names*4 {
			t.Fatalf("%d names of one that is right in %d %% are worth %d, one name %d", names, skill, split, one)
		}
	}
}

// TestVouching: reputation moves to a newcomer and back, is lost if the newcomer stamps, and is not
// multiplied by vouching.
func TestVouching(t *testing.T) {
	b := book()
	role := reputation.Evaluator
	proven(b, "old", role, "law", 50)
	alone := b.Value("old", role, "law", 0)
	vouch(t, b, "old", "new", 0)
	o, n := b.Value("old", role, "law", 0), b.Value("new", role, "law", 0)
	if o >= alone || n <= 1000 || o+n > alone+1000 {
		t.Errorf("%d alone; vouching, %d and %d", alone, o, n)
	}
	for _, k := range []struct {
		by, agent string
		stake     uint64
		share     int
	}{{"old", "old", 1, 1}, {"old", "new", 1, 1}, {"old", "third", 1, 1}, {"other", "third", 0, 1}, {"other", "third", 1, 0}, {"new", "third", 1, 1}} {
		if b.Vouch(k.by, k.agent, role, 0, k.stake, k.share) == nil {
			t.Errorf("%+v is allowed", k)
		}
	}
	if ends, err := b.Release("old", "new", role, 0); ends != 30*day || err != nil || b.Value("old", role, "physics", ends-1) >= b.Value("old", role, "physics", ends) {
		t.Errorf("it ends at %d: %v", ends, err)
	}
	b = book()
	proven(b, "old", role, "law", 50)
	vouch(t, b, "old", "new", 0)
	for !b.Golden("new", role, "law", 0, false) {
		continue
	}
	if v := b.Value("old", role, "law", 0); v > alone*80/100 {
		t.Errorf("it vouched for a stamp, and has %d of %d", v, alone)
	}
	if f := b.Forfeits(); len(f) != 1 || f[0] != (reputation.Forfeit{By: "old", For: "new", Stake: 1000}) {
		t.Errorf("%+v", f)
	}
}

// TestTerms: terms that cannot be meant are refused.
func TestTerms(t *testing.T) {
	if err := reputation.Defaults().Validate(); err != nil {
		t.Error(err)
	}
	if (reputation.Constants{}).Validate() == nil {
		t.Error("terms without numbers are taken")
	}
}

// vouch lets one stand in for another, who agrees.
func vouch(t *testing.T, b *reputation.Records, by, agent string, at int64) {
	t.Helper()
	if err := errors.Join(b.Vouch(by, agent, reputation.Evaluator, at, 1000, 2500), b.Agree(by, agent, reputation.Evaluator, at)); err != nil {
		t.Fatal(err)
	}
}
